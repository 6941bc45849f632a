package pipeline

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/kcut/kcut/formats"
)

// censusPart is one worker's part of a census.
type censusPart struct {
	*census
	room    int      // entries held in memory
	nulls   []uint64 // records without a value, by class
	entries []censusEntry
	arena   []byte // the bytes of values that are not words
}

// newPart returns a part that holds up to room entries in memory.
func (c *census) newPart(room int) *censusPart {
	p := &censusPart{census: c, room: room}
	c.parts = append(c.parts, p)
	return p
}

// add counts n records of entry i of values and a class.
func (p *censusPart) add(values *formats.Values, i int, class, n uint32) error {
	e := censusEntry{class: class, count: n}
	if values.Type.InWords() {
		e.word = values.Words[i]
		if values.Type.Kind == formats.Float {
			if e.word = canonicalFloat(e.word); e.word == canonicalNaN && p.nanIsNull {
				p.addNull(class, n)
				return nil
			}
		}
		if p.texts {
			word := formats.Values{Type: values.Type, Words: []uint64{e.word}}
			p.keep(&e, []byte(word.Text(0)))
		}
	} else {
		value := values.Bytes(i)
		switch {
		case values.Type.Kind == formats.String && !utf8.Valid(value):
			return fmt.Errorf("read column %s: a text is not UTF-8: %w", p.column, formats.ErrDamaged)
		case values.Type.Kind != formats.String && p.texts:
			value = []byte(values.Text(i))
		}
		p.keep(&e, value)
	}
	if len(p.entries) == cap(p.entries) {
		if err := p.grow(); err != nil {
			return err
		}
	}
	p.entries = append(p.entries, e)
	if len(p.entries) >= p.room || len(p.arena) >= p.arenaRoom() {
		return p.compact()
	}
	return nil
}

// keep puts an entry's value into the arena.
func (p *censusPart) keep(e *censusEntry, value []byte) {
	e.word, e.at, e.length = wordAt(value, 0), uint32(len(p.arena)), uint32(len(value))
	p.arena = append(p.arena, value...)
}

// wordAt returns eight bytes of a value as a word that has their order.
func wordAt(value []byte, at int) uint64 {
	if len(value)-at >= 8 {
		return binary.BigEndian.Uint64(value[at:])
	}
	var last [8]byte
	copy(last[:], value[min(at, len(value)):])
	return binary.BigEndian.Uint64(last[:])
}

// maxArena leaves positions in the arena 32 bits, whatever the next value is.
const maxArena = 1 << 30

// arenaRoom is how many bytes of values are held in memory.
func (p *censusPart) arenaRoom() int { return min(p.room*valueBytes, maxArena) }

// grow doubles the room for entries, within what the part may hold.
func (p *censusPart) grow() error {
	had := cap(p.entries)
	size := min(max(2*had, 1024), p.room)
	if err := p.budget.Draw("the values of column "+p.column, int64(size-had)*entryBytes); err != nil {
		return err
	}
	p.entries = append(make([]censusEntry, 0, size), p.entries...)
	return nil
}

// release gives back what the part has drawn.
func (p *censusPart) release() {
	p.budget.Return(int64(cap(p.entries)) * entryBytes)
	p.entries, p.arena = nil, nil
}

func (p *censusPart) addNull(class, n uint32) {
	for len(p.nulls) <= int(class) {
		p.nulls = append(p.nulls, 0)
	}
	p.nulls[class] += uint64(n)
}

// compact merges equal entries, and moves them to a run when that does not make enough room.
func (p *censusPart) compact() error {
	if alive := p.sort(); len(p.entries) >= p.room/2 || alive >= p.arenaRoom()/2 {
		return p.flush()
	}
	p.repack()
	return nil
}

// sort orders the entries and merges equal ones. It returns the bytes of values that are left.
func (p *censusPart) sort() (alive int) {
	entrySorter{p.arena}.sort(p.entries, 0)
	kept := p.entries[:0]
	for _, e := range p.entries {
		if n := len(kept); n > 0 && kept[n-1].word == e.word && bytes.Equal(kept[n-1].value(p.arena), e.value(p.arena)) {
			last := &kept[n-1]
			if last.class == e.class && last.count <= math.MaxUint32-e.count {
				last.count += e.count
				continue
			}
			e.at = last.at
		} else {
			alive += int(e.length)
		}
		kept = append(kept, e)
	}
	p.entries = kept
	return alive
}

// repack makes an arena of the values that sorted entries have.
func (p *censusPart) repack() {
	old := p.arena
	p.arena = make([]byte, 0, len(old)/2)
	for i := range p.entries {
		e := &p.entries[i]
		if i > 0 && bytes.Equal(p.entries[i-1].value(p.arena), e.value(old)) {
			e.at = p.entries[i-1].at
			continue
		}
		value := e.value(old)
		e.at = uint32(len(p.arena))
		p.arena = append(p.arena, value...)
	}
}

// flush writes the sorted entries to a run of their own.
func (p *censusPart) flush() error {
	w, err := p.newRun()
	if err != nil {
		return err
	}
	for i := range p.entries {
		e := &p.entries[i]
		if err := w.add(e.word, e.value(p.arena), e.class, e.count); err != nil {
			return err
		}
	}
	p.entries, p.arena = p.entries[:0], p.arena[:0]
	return w.end()
}
