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

// Values counts the (value, class) pairs of one column that may have more values than fit
// the memory:
//
//	rows ──▶ tally a worker ──▶ spill.Sorter, whose rows are a value and a class
//
// When all rows are in, each walks the values in order, with the sums of their classes.
type Values struct {
	column    string
	typ       formats.Type
	nanIsNull bool // as of an interner
	texts     bool // values are counted by their text, which is what a taxonomy knows
	budget    *spill.Budget
	sorting   spill.Sorting
	sorter    *spill.Sorter // nil: there are no parts
	parts     []*part
}

// part is one worker's part of a column's values.
type part struct {
	*Values
	rows  *spill.RowRun
	row   []byte             // scratch
	nulls []engine.Frequency // records without a value
}

// Opener returns the store of a run, which is opened when something does not fit the
// memory: what that is comes in the user's words. It is safe for concurrent use.
type Opener func(what string) (*spill.Store, error)

const (
	// EntryBytes is what a value of 12 bytes takes with a class.
	EntryBytes = spill.RowRefBytes + 12 + classBytes
	// classBytes is what a class takes in a row.
	classBytes = 4
)

// NewValues returns a counter for a mask. NaNs may be nulls to it. Its parts move values to a store when
// they are full; without one, counting ends where memory does.
func NewValues(field formats.Field, mask string, nanIsNull bool, open Opener, budget *spill.Budget) *Values {
	what := "the values of column " + field.Name
	c := &Values{
		column: field.Name, typ: field.Type, nanIsNull: nanIsNull, texts: mask == job.MaskGeneralize, budget: budget,
		sorting: spill.Sorting{
			Budget: budget, What: what, Instead: "drop columns of large texts, or generalize them before",
			Readers: min(max(budget.Grant(&spill.MergedRuns), 16*spill.ReaderBytes), 256*spill.ReaderBytes),
		},
	}
	if open != nil {
		c.sorting.Open = func() (*spill.Store, error) { return open(what) }
	}
	return c
}

// HoldValues refuses a budget that has no room for the values of column i, of which the longest has so many bytes, and all together, as
// counting them does: in memory or, where they do not fit the part of that, in order.
func (r *Request) HoldValues(i int, longest, all int64, budget *spill.Budget) error {
	c := &r.Columns[i]
	if kind := r.field(c).Type.Kind; i >= r.bound() || c.Labeler != nil || kind != formats.String && kind != formats.Binary {
		return nil
	}
	var open Opener
	if all > budget.Grant(&spill.Counts)/2 {
		open = func(string) (*spill.Store, error) { return nil, nil }
	}
	counter := NewValues(r.field(c), c.Spec.Mask, false, open, budget)
	if err := spill.NewSorter(counter.sorting).Foresee(all, longest); err != nil {
		return fmt.Errorf("count the values of column %s: %w", counter.column, err)
	}
	return nil
}

// newPart returns a part that holds about as many bytes in memory as it has room for, as all parts of the column.
func (c *Values) newPart(room int64) *part {
	if c.sorter == nil {
		c.sorting.Run = room / 2 // what it leaves behind while it grows takes as much
		c.sorter = spill.NewSorter(c.sorting)
	}
	p := &part{Values: c, rows: c.sorter.NewRun()}
	c.parts = append(c.parts, p)
	return p
}

// nulls returns the classes of records without a value, in order.
func (c *Values) nulls() (nulls []engine.Frequency) {
	for _, p := range c.parts {
		nulls = engine.AddFrequencies(nulls, p.nulls)
	}
	return nulls
}

// words reports whether rows have their values as words.
func (c *Values) words() bool { return c.typ.InWords() && !c.texts }

// add counts the records of a reader's code, by class.
func (p *part) add(values *formats.Values, code uint32, classes ...engine.Frequency) error {
	i := int(code) - 1
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

// put counts the records of a word or, where words is not so, of a value.
func (p *part) put(word uint64, value []byte, classes []engine.Frequency) error {
	if p.words() {
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

// addRows adds every row of a batch, which is as many records as counts say.
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

// addPairs adds values by the codes that pairs have of them.
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

// each calls f with every value in order. The values are consumed.
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
	var of []byte // the value as rows have it
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
		value.Classes = append(value.Classes, engine.Frequency{Class: binary.BigEndian.Uint32(row[end:]), Count: uint64(count)})
	}
}

// parse finds the value that rows have.
func (c *Values) parse(of []byte, value *domain.Counted) {
	if c.words() {
		value.Word = binary.BigEndian.Uint64(of)
		return
	}
	value.Value = spill.ParseText(value.Value[:0], of)
}
