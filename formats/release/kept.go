package release

import (
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/codec"
	"github.com/kcut/kcut/formats/internal/page"
)

// keptChunk walks the pages of a kept column's chunk to their last byte, and holds what is said of
// their values against them.
type keptChunk struct {
	pages
	extremes extremes
	used     []bool // entries of the dictionary, by a row
	indexes  []uint32
	wrong    wrongKept
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
	values, err := k.pages.dictionary(h)
	if err != nil {
		return err
	}
	k.used, k.wrong.unused = make([]bool, h.Entries), h.Entries
	k.wrong.spare += k.Spare()
	return k.extremes.add(&values, h.Entries)
}

func (k *keptChunk) data(h *page.Header) error {
	if err := k.begin(h); err != nil {
		return err
	}
	for k.Ahead > 0 {
		levels, err := k.Levels(min(k.Ahead, stepValues))
		if err == nil {
			err = k.take(levels.Defined)
		}
		if err != nil {
			return err
		}
	}
	wrong, err := k.end(h)
	k.wrong.spare += wrong.spare
	k.wrong.counts += wrong.counts
	return err
}

// take takes in the next n values of a page.
func (k *keptChunk) take(n int) error {
	if k.Indexed {
		k.indexes = slices.Grow(k.indexes[:0], n)[:n]
		if err := k.Indexes(k.indexes); err != nil {
			return err
		}
		return k.look(k.indexes)
	}
	values, err := k.Values(n)
	if err != nil {
		return err
	}
	return k.extremes.add(&values, n)
}

// look notes which entries of the dictionary are used.
func (k *keptChunk) look(indexes []uint32) error {
	for _, index := range indexes {
		if k.wrong.unused == 0 {
			return nil
		}
		if int64(index) >= int64(len(k.used)) {
			return fmt.Errorf("%w: index %d, dictionary of %d", formats.ErrDamaged, index, len(k.used))
		}
		if !k.used[index] {
			k.used[index] = true
			k.wrong.unused--
		}
	}
	return nil
}

// saysOther reports whether a data page's header says another number of nulls or rows than the page
// has.
func saysOther(h *page.Header, nulls, rows int) bool {
	if h.Type == format.DataPageV2 {
		return int(h.DataV2.V.NumNulls) != nulls || int(h.DataV2.V.NumRows) != rows
	}
	said, counted := h.Data.V.Statistics.V.NullCount.Get()
	return counted && said != int64(nulls)
}
