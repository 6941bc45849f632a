package writer

import (
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/plain"
)

// Limits of a dictionary that is not forced: beyond them PLAIN pages are smaller or
// faster, and other readers' tables stay small.
const (
	maxDictionaryEntries = 1 << 16
	maxDictionaryBytes   = 1 << 20
)

// dictionary collects the distinct values of one column chunk in order of first
// appearance. Code c ≥ 1 stands for entry c−1.
type dictionary struct {
	values formats.Values // the entries
	bytes  int            // their PLAIN size
	words  map[uint64]uint32
	texts  map[string]uint32

	// Codes of a batch mean what they mean as long as the pointer stays: every entry is
	// looked up once. Only entries that some row used have a code here.
	source     *formats.Values
	translated []uint32 // source's code → own code; 0: not met yet
}

// reset empties d for a chunk of values of type t.
func (d *dictionary) reset(t formats.Type) {
	d.values = formats.Values{Type: t, Words: d.values.Words[:0], Ends: d.values.Ends[:0], Data: d.values.Data[:0]}
	d.bytes = 0
	if d.words == nil {
		d.words, d.texts = map[uint64]uint32{}, map[string]uint32{}
	}
	clear(d.words)
	clear(d.texts)
	d.forget()
}

// forget drops what was derived from the last source.
func (d *dictionary) forget() { d.source, d.translated = nil, d.translated[:0] }

// follow makes translated cover every code of v.
func (d *dictionary) follow(v *formats.Values) {
	if d.source != v {
		d.forget()
		d.source = v
	}
	for len(d.translated) <= v.Len() {
		d.translated = append(d.translated, 0)
	}
}

// code returns the code of value i of v, which it adds when it is new.
func (d *dictionary) code(v *formats.Values, i int, f plain.Form) uint32 {
	if v.Type.InWords() {
		return d.codeOfWord(v.Words[i], f)
	}
	return d.codeOfBytes(v.Bytes(i), f)
}

func (d *dictionary) codeOfWord(w uint64, f plain.Form) uint32 {
	if c, ok := d.words[w]; ok {
		return c
	}
	d.values.Words = append(d.values.Words, w)
	c := uint32(len(d.values.Words))
	d.words[w] = c
	d.bytes += f.Size
	return c
}

func (d *dictionary) codeOfBytes(b []byte, f plain.Form) uint32 {
	if c, ok := d.texts[string(b)]; ok {
		return c
	}
	d.values.AppendBytes(b)
	c := uint32(len(d.values.Ends))
	d.texts[string(b)] = c
	d.bytes += f.Size
	if f.Size == 0 {
		d.bytes += 4 + len(b)
	}
	return c
}

// full reports whether d has outgrown what pays.
func (d *dictionary) full() bool {
	return d.values.Len() > maxDictionaryEntries || d.bytes > maxDictionaryBytes
}

// encode writes the dictionary page.
func (d *dictionary) encode(p *pageWriter, f plain.Form) (err error) {
	v := &d.values
	if p.body, err = f.AppendWords(p.body[:0], v.Words); err != nil {
		return err
	}
	for i := range v.Ends {
		if p.body, err = f.AppendBytes(p.body, v.Bytes(i)); err != nil {
			return err
		}
	}
	return p.dictionary(v.Len())
}
