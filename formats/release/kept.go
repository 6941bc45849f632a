package release

import (
	"fmt"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/codec"
	"github.com/kcut/kcut/formats/internal/page"
	"github.com/kcut/kcut/formats/internal/rle"
)

// keptChunk walks the pages of a kept column's chunk to their last byte, and holds what is said of their
// values against them.
type keptChunk struct {
	pages
	extremes extremes
	used     []bool // entries of the dictionary, by a row
	wrong    wrongKept
	indexes  [stepValues]uint32
}

// wrongKept counts what is wrong with the pages of a kept column's chunk.
type wrongKept struct {
	spare  int // bytes that no level and no value needs
	unused int // entries of the dictionary that no row uses
	counts int // pages that say another number of nulls or rows than they have
}

// read walks the pages, and returns what is wrong with them in words.
func (k *keptChunk) read() ([]string, error) {
	k.extremes.reset(k.leaf, &k.chunk.Statistics.V)
	k.used, k.wrong = nil, wrongKept{}
	for {
		h, err := k.next()
		switch {
		case err != nil:
			return nil, err
		case h == nil:
			if k.inexact+k.foreign == 0 && k.begun != k.group.NumRows {
				k.wrong.counts++
			}
			return k.report(
				counted{k.wrong.spare, "bytes after the values of a page"},
				counted{k.wrong.unused, "dictionary entries that no row uses"},
				counted{k.wrong.counts, "pages with other numbers of nulls or rows than is said"},
				counted{k.wrongStatistics(&k.extremes), "statistics that are not those of its values"}), nil
		case !codec.Exact(k.Codec):
			k.inexact++
			err = k.Pass(h)
		case !k.own:
			err = k.Pass(h)
		case h.Type == format.DictionaryPage:
			err = k.dictionary(h)
		default:
			err = k.data(h)
		}
		if err != nil {
			return nil, err
		}
	}
}

func (k *keptChunk) dictionary(h *page.Header) error {
	dictionary, err := k.load(h)
	if err != nil {
		return err
	}
	rest, err := k.extremes.add(dictionary.Values, h.Entries)
	k.used, k.wrong.unused = make([]bool, h.Entries), h.Entries
	k.wrong.spare += len(rest)
	return err
}

func (k *keptChunk) data(h *page.Header) error {
	p, err := k.load(h)
	if err != nil {
		return err
	}
	rows, err := k.levels(p.Repetition, k.leaf.Repetition, 0, h.Entries)
	if err != nil {
		return err
	}
	defined, err := k.levels(p.Definition, k.leaf.Definition, uint32(k.leaf.Definition), h.Entries)
	if err != nil {
		return err
	}
	k.missing += int64(h.Entries - defined)
	k.begun += int64(rows)
	if saysOther(h, h.Entries-defined, rows) {
		k.wrong.counts++
	}
	var rest []byte
	switch {
	case isIndexes(h):
		return k.look(p.Values, defined)
	case k.leaf.Type.V == format.Boolean:
		rest, err = k.extremes.addBits(p.Values, defined)
	default:
		rest, err = k.extremes.add(p.Values, defined)
	}
	k.wrong.spare += len(rest)
	return err
}

// levels returns how many of n levels are one. Where only level 0 is possible there are none, and all are.
func (k *keptChunk) levels(stored []byte, highest int, one uint32, n int) (int, error) {
	if highest == 0 {
		k.wrong.spare += len(stored)
		return n, nil
	}
	spare, err := rle.Spare(stored, rle.Width(highest), n)
	if err != nil {
		return 0, err
	}
	k.wrong.spare += spare
	var levels rle.Reader
	levels.Reset(stored, rle.Width(highest))
	return levels.Count(one, n)
}

// look walks the n indexes of a page, and notes which entries of the dictionary they use.
func (k *keptChunk) look(values []byte, n int) error {
	runs, width, err := rle.CutWidth(values)
	if err != nil {
		return err
	}
	if k.dictionaries == 0 {
		return fmt.Errorf("%w: indexes without a dictionary", formats.ErrDamaged)
	}
	spare, err := rle.Spare(runs, width, n)
	if err != nil {
		return err
	}
	k.wrong.spare += spare
	var indexes rle.Reader
	indexes.Reset(runs, width)
	for ; n > 0 && k.wrong.unused > 0; n -= stepValues {
		some := k.indexes[:min(n, stepValues)]
		if err := indexes.Read(some); err != nil {
			return err
		}
		for _, index := range some {
			if int(index) >= len(k.used) {
				return fmt.Errorf("%w: index %d, dictionary of %d", formats.ErrDamaged, index, len(k.used))
			}
			if !k.used[index] {
				k.used[index] = true
				k.wrong.unused--
			}
		}
	}
	return nil
}

// isIndexes reports whether the values of a data page point into a dictionary.
func isIndexes(h *page.Header) bool {
	return h.Encoding == format.RLEDictionary || h.Encoding == format.PlainDictionary
}

// saysOther reports whether a data page's header says another number of nulls or rows than the page has.
func saysOther(h *page.Header, nulls, rows int) bool {
	if h.Type == format.DataPageV2 {
		return int(h.DataV2.V.NumNulls) != nulls || int(h.DataV2.V.NumRows) != rows
	}
	said, counted := h.Data.V.Statistics.V.NullCount.Get()
	return counted && said != int64(nulls)
}
