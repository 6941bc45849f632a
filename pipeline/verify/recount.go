package verify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/cutfile"
)

// Recount is what was counted of some row groups of a release, going by its cut.
type Recount struct {
	Cut      [sha256.Size]byte // of the cut's JSON, by which labels are numbered
	Rows     int64
	Marked   uint64   // rows with marks alone, if the cut is an applied one that has marks
	Groups   []Groups // of every quasi-identifier set and, of a cut of regions, of all masked columns
	Findings []string // in the order of the release
}

// Groups are combinations of labels and the records that have them.
type Groups struct {
	// Keys are in ascending order, of so many words each: the numbers of the labels as digits of
	// numbers of mixed radix, lowest first, as many in a word as fit.
	Keys    []uint64
	Words   int
	Records []uint64 // of every key, at least 1
}

// key returns the key at a position.
func (g *Groups) key(i int) []uint64 { return g.Keys[i*g.Words:][:g.Words] }

func (g *Groups) add(key []uint64, records uint64) {
	g.Keys, g.Records = append(g.Keys, key...), append(g.Records, records)
}

// merge returns the groups of both.
func (g *Groups) merge(o *Groups) Groups {
	sum := Groups{Words: g.Words}
	for i, j := 0, 0; i < len(g.Records) || j < len(o.Records); {
		order := -1
		switch {
		case i == len(g.Records):
			order = 1
		case j < len(o.Records):
			order = slices.Compare(g.key(i), o.key(j))
		}
		switch {
		case order < 0:
			sum.add(g.key(i), g.Records[i])
		case order > 0:
			sum.add(o.key(j), o.Records[j])
		default:
			sum.add(g.key(i), g.Records[i]+o.Records[j])
		}
		i, j = i+one(order <= 0), j+one(order >= 0)
	}
	return sum
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Tally counts the row groups from ≤ number < to of a part of a release, going by the cut that
// all parts must have; a negative end is that of the part. What the part's footer gives away is
// found with the first row group. The groups take so many bytes while they are counted: an
// error that wraps spill.ErrBudget asks for fewer row groups at a time. What the part holds
// that it must not is a finding, and no error.
func Tally(ctx context.Context, cut *cutfile.File, part string, from, to int, memory int64) (*Recount, error) {
	rules := rulesOf(cut)
	spans := make([]*span, len(rules.keys))
	for i := range spans {
		spans[i] = newSpan()
		spans[i].limit = memory / int64(len(spans))
	}
	p, t := rules.newReading(spans, 1), &Recount{Cut: rules.sum}
	err := workers.Each(1, 1, func(w workers.Worker, _ int) (err error) {
		t.Findings, err = p.part(ctx, w, part, from, to)
		return err
	})
	if err != nil {
		return nil, err
	}
	t.Rows, t.Marked = p.rows.Load(), p.marked()
	for i, table := range p.counters[0].tables {
		if spans[i].until.Load() < hashShares {
			return nil, fmt.Errorf("verify %s: %w", part, errManyGroups)
		}
		t.Groups = append(t.Groups, table.groups())
	}
	return t, nil
}

// groups returns the keys in order.
func (t *table) groups() Groups {
	var keys [][]uint64
	for key := range t.all() {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, slices.Compare)
	g := Groups{Words: t.size}
	for _, key := range keys {
		g.add(key, t.records(key))
	}
	return g
}

// Merge returns the recount of the row groups of both, those of r first. It returns an error
// when they go by different cuts.
func (r *Recount) Merge(o *Recount) (*Recount, error) {
	if r.Cut != o.Cut || len(r.Groups) != len(o.Groups) {
		return nil, fmt.Errorf("merge recounts: they are of different cuts: %w", formats.ErrSchema)
	}
	sum := &Recount{Cut: r.Cut, Rows: r.Rows + o.Rows, Marked: r.Marked + o.Marked, Findings: slices.Concat(r.Findings, o.Findings)}
	for i := range r.Groups {
		if r.Groups[i].Words != o.Groups[i].Words {
			return nil, fmt.Errorf("merge recounts: they are of different cuts: %w", formats.ErrSchema)
		}
		sum.Groups = append(sum.Groups, r.Groups[i].merge(&o.Groups[i]))
	}
	return sum, nil
}

// recountForm is how an encoded recount begins; its number is the version of the form.
const recountForm = "kcut recount 1\n"

// Encode returns the recount as bytes, the same for the same recount: the line "kcut recount 1",
// the cut's SHA-256, and unsigned varints (encoding/binary): rows; rows with marks alone; the
// number of lists of groups, and of each the words of a key, the number of keys, and the words of
// every key and its records; the number of findings, and of each its bytes' number and bytes.
func (r *Recount) Encode() []byte {
	data := append([]byte(recountForm), r.Cut[:]...)
	data = appendNumbers(data, uint64(r.Rows), r.Marked, uint64(len(r.Groups)))
	for i := range r.Groups {
		g := &r.Groups[i]
		data = appendNumbers(data, uint64(g.Words), uint64(len(g.Records)))
		for i, records := range g.Records {
			data = appendNumbers(appendNumbers(data, g.key(i)...), records)
		}
	}
	data = appendNumbers(data, uint64(len(r.Findings)))
	for _, finding := range r.Findings {
		data = append(appendNumbers(data, uint64(len(finding))), finding...)
	}
	return data
}

func appendNumbers(data []byte, numbers ...uint64) []byte {
	for _, n := range numbers {
		data = binary.AppendUvarint(data, n)
	}
	return data
}

// DecodeRecount reads what Encode returned. Any other bytes are an error of class Input.
func DecodeRecount(data []byte) (*Recount, error) {
	version, _, _ := bytes.Cut(data, []byte("\n"))
	if string(version)+"\n" != recountForm && bytes.HasPrefix(data, []byte("kcut recount ")) {
		return nil, fmt.Errorf("read recount: it is of another version: %w", formats.ErrUnsupported)
	}
	d := &decoder{data: data}
	r := d.recount()
	if d.failed || len(d.data) > 0 {
		return nil, fmt.Errorf("read recount: %w", formats.ErrDamaged)
	}
	return r, nil
}

// decoder reads bytes from the front. After a failure it returns nothing.
type decoder struct {
	data   []byte
	failed bool
}

func (d *decoder) bytes(n uint64) []byte {
	if d.failed = d.failed || n > uint64(len(d.data)); d.failed {
		return nil
	}
	taken := d.data[:n]
	d.data = d.data[n:]
	return taken
}

func (d *decoder) number() uint64 {
	n, size := binary.Uvarint(d.data)
	d.failed = d.failed || size <= 0
	d.bytes(uint64(max(size, 0)))
	return n
}

func (d *decoder) recount() *Recount {
	r := &Recount{}
	d.failed = string(d.bytes(uint64(len(recountForm)))) != recountForm
	copy(r.Cut[:], d.bytes(sha256.Size))
	r.Rows, r.Marked = int64(d.number()), d.number()
	d.failed = d.failed || r.Rows < 0
	for left := d.number(); left > 0 && !d.failed; left-- {
		r.Groups = append(r.Groups, d.groups())
	}
	for left := d.number(); left > 0 && !d.failed; left-- {
		r.Findings = append(r.Findings, string(d.bytes(d.number())))
	}
	return r
}

func (d *decoder) groups() Groups {
	g := Groups{Words: int(min(d.number(), uint64(len(d.data))))}
	d.failed = d.failed || g.Words == 0
	for left := d.number(); left > 0 && !d.failed; left-- {
		for range g.Words {
			g.Keys = append(g.Keys, d.number())
		}
		g.Records = append(g.Records, d.number())
		last := len(g.Records) - 1
		d.failed = d.failed || g.Records[last] == 0 || last > 0 && slices.Compare(g.key(last-1), g.key(last)) >= 0
	}
	return g
}
