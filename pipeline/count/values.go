package count

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// Values counts the (value, class) pairs of one column. The column may have more values than fit
// the memory:
//
//	rows ──▶ a column counter for each worker ──▶ spill.Sorter, with rows of a value and a class
//
// After all rows have been counted, each visits the values in order, with the counts of their
// classes.
type Values struct {
	column    string
	typ       formats.Type
	nanIsNull bool // NaN counts as null, as in an interner
	texts     bool // values are counted by their texts, because a taxonomy has texts
	budget    *spill.Budget
	sorting   spill.Sorting
	sorter    *spill.Sorter // nil: there are no parts
	parts     []*part       // by worker
	ofPeople  bool          // the values that are added are those of people of the population
}

// part is one worker's part of a column's values.
type part struct {
	*Values
	rows  *spill.RowRun
	row   []byte             // scratch
	nulls []engine.Frequency // the classes of records without a value
}

const (
	// EntryBytes is the number of bytes for a value of 12 bytes and a class.
	EntryBytes = spill.RowRefBytes + 12 + classBytes
	// classBytes is the number of bytes of a class in a row.
	classBytes = 4
)

// NewValues returns a counter of the values of a column with the given mask. If nanIsNull, NaN
// counts as null. If open, which is Resources.Open, is not nil, full parts move their values to a
// store. Else counting fails if the memory is too small.
func NewValues(
	field formats.Field, mask string, nanIsNull bool, open func(string) (*spill.Store, error),
	budget *spill.Budget,
) *Values {
	what := "the values of column " + field.Name
	readers := max(budget.Grant(&spill.MergedRuns), 16*spill.ReaderBytes)
	c := &Values{
		column: field.Name, typ: field.Type, nanIsNull: nanIsNull,
		texts: job.Gives(mask, engine.Generalize), budget: budget,
		sorting: spill.Sorting{
			Budget: budget, What: what,
			Instead: "drop columns of large texts, or generalize them before",
			Readers: min(readers, 256*spill.ReaderBytes),
		},
	}
	if open != nil {
		c.sorting.Open = func() (*spill.Store, error) { return open(what) }
	}
	return c
}

// CheckValueRoom refuses a budget that has no room for the values of column i, as counting the
// values would. longest and all are the bytes of the longest value and of all values. The values
// are counted in memory or, if they do not fit their part of the memory, in order.
func (r *Request) CheckValueRoom(i int, longest, all int64, budget *spill.Budget) error {
	c := &r.Columns[i]
	kind := r.field(c).Type.Kind
	if i >= r.bound() || c.Labeler != nil || kind != formats.String && kind != formats.Binary {
		return nil
	}
	var open func(string) (*spill.Store, error)
	if all > budget.Grant(&spill.Counts)/2 {
		open = func(string) (*spill.Store, error) { return nil, nil }
	}
	counter := NewValues(r.field(c), c.Spec.Mask, false, open, budget)
	if err := spill.NewSorter(counter.sorting).Foresee(all, longest); err != nil {
		return fmt.Errorf("count the values of column %s: %w", counter.column, err)
	}
	return nil
}

// part returns the part of the worker with a number. The workers before it have their parts
// already. A part holds at most about room bytes in memory, the same for all parts of a column.
func (c *Values) part(worker int, room int64) *part {
	if c.sorter == nil {
		c.sorting.Run = room / 2 // the garbage of a growing run takes the other half
		c.sorter = spill.NewSorter(c.sorting)
	}
	if worker == len(c.parts) {
		c.parts = append(c.parts, &part{Values: c, rows: c.sorter.NewRun()})
	}
	return c.parts[worker]
}

// nulls returns the classes of records without a value, in order, and whether a person of the
// population has none.
func (c *Values) nulls() (nulls []engine.Frequency, ofPeople bool) {
	for _, p := range c.parts {
		nulls = engine.AddFrequencies(nulls, p.nulls)
	}
	last := len(nulls) - 1
	if ofPeople = last >= 0 && nulls[last].Class == classOfPeople; ofPeople {
		nulls = nulls[:last]
	}
	return nulls, ofPeople
}

// inWords reports whether rows have values as words.
func (c *Values) inWords() bool { return c.typ.InWords() && !c.texts }

// add counts the records with a reader's code, by class.
func (p *part) add(values *formats.Values, code uint32, classes ...engine.Frequency) error {
	i := int(code) - 1
	if p.ofPeople {
		classes = []engine.Frequency{{Class: classOfPeople, Count: 1}}
	}
	switch {
	case code == 0 || p.nanIsNull && domain.IsNaN(values, i):
		p.nulls = engine.AddFrequencies(p.nulls, classes)
		return nil
	case values.Type.InWords() && p.texts:
		return p.put(0, []byte(domain.TextOf(values, i)), classes)
	case values.Type.InWords():
		return p.put(domain.CanonicalWord(values, i), nil, classes)
	case values.Type.Kind == formats.String && !utf8.Valid(values.Bytes(i)):
		return fmt.Errorf("read column %s: a text is not UTF-8: %w", p.column, formats.ErrDamaged)
	case values.Type.Kind != formats.String && p.texts:
		return p.put(0, []byte(values.Text(i)), classes)
	}
	return p.put(0, values.Bytes(i), classes)
}

// put counts the records of a value. If inWords, the value is word, else it is value.
func (p *part) put(word uint64, value []byte, classes []engine.Frequency) error {
	if p.inWords() {
		p.row = binary.BigEndian.AppendUint64(p.row[:0], word)
	} else {
		p.row = spill.AppendText(p.row[:0], value)
	}
	of := len(p.row)
	for _, k := range classes {
		p.row = binary.BigEndian.AppendUint32(p.row[:of], k.Class)
		if err := p.rows.Append(p.row, int64(k.Count)); err != nil {
			return fmt.Errorf("count the values of column %s: %w", p.column, err)
		}
	}
	return nil
}

// addRows adds every row of a batch. Row i stands for counts[i] records, or for one record if
// counts is nil.
func (p *part) addRows(values *formats.Values, codes, classes []uint32, counts []uint64) error {
	for i, code := range codes {
		n := uint64(1)
		if counts != nil {
			n = counts[i]
		}
		if err := p.add(values, code, engine.Frequency{Class: classes[i], Count: n}); err != nil {
			return err
		}
	}
	return nil
}

// addPairs adds the values of all pairs. The codes of the pairs are positions in values.
func (p *part) addPairs(values *formats.Values, pairs partition.Pairs) error {
	var classes []engine.Frequency
	for i, pair := range pairs {
		classes = append(classes, engine.Frequency{Class: pair.Class, Count: pair.Count})
		if i+1 < len(pairs) && pairs[i+1].Code == pair.Code {
			continue
		}
		if err := p.add(values, pair.Code, classes...); err != nil {
			return err
		}
		classes = classes[:0]
	}
	return nil
}

// each calls f with every value, in order. It may be called only once.
func (c *Values) each(ctx context.Context, f func(*domain.Counted) error) (err error) {
	if c.sorter == nil {
		return nil
	}
	defer func() {
		if closed := c.sorter.Close(); err == nil && closed != nil {
			err = fmt.Errorf("free the values of column %s: %w", c.column, closed)
		}
	}()
	rows, err := c.sorter.Merge(ctx)
	if err != nil {
		return fmt.Errorf("merge the values of column %s: %w", c.column, err)
	}
	defer rows.Close()
	var value domain.Counted
	var of []byte // the value in the form of rows
	for n := 0; ; n++ {
		row, count, err := rows.Next()
		if err != nil && err != io.EOF {
			return fmt.Errorf("merge the values of column %s: %w", c.column, err)
		}
		if n&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		end := max(0, len(row)-classBytes)
		if n > 0 && (err == io.EOF || !bytes.Equal(row[:end], of)) {
			if err := f(&value); err != nil {
				return err
			}
			value.Classes = value.Classes[:0]
		}
		if err == io.EOF {
			return nil
		}
		if len(value.Classes) == 0 {
			of = append(of[:0], row[:end]...)
			c.parse(of, &value)
		}
		class := binary.BigEndian.Uint32(row[end:])
		if class == classOfPeople {
			continue
		}
		value.Classes = append(value.Classes, engine.Frequency{Class: class, Count: uint64(count)})
	}
}

// parse decodes a value from the form of rows.
func (c *Values) parse(of []byte, value *domain.Counted) {
	if c.inWords() {
		value.Word = binary.BigEndian.Uint64(of)
		return
	}
	value.Value = spill.ParseText(value.Value[:0], of)
}
