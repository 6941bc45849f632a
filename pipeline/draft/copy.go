package draft

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/spill"
)

// dropCopies drops columns of texts that repeat those of another column in all rows but a few,
// apart from case, blanks and text behind them, as towns with their coordinates. The column with
// fewer spellings stays.
func (d *draft) dropCopies(ctx context.Context, in *dataset.Dataset, budget *spill.Budget) error {
	var of []*Profile
	var columns []int
	bytes := 0 // of a row
	for i, p := range d.profiles {
		if p.role.masked() && p.typ.Kind == formats.String && p.Field.Distinct > fewCodes {
			of, columns = append(of, p), append(columns, i)
			bytes += textBytes + min(p.texts.longest*utf8.UTFMax, mostMatched)
		}
	}
	if len(of) < 2 {
		return nil
	}
	rows := min(d.looked, mostCompared)
	if left := budget.Left() / int64(bytes); left < rows {
		if rows = left; rows < fewestRows { // too few to show that columns say the same
			return nil
		}
	}
	if err := budget.Draw("texts that are compared", rows*int64(bytes)); err != nil {
		return fmt.Errorf("look at the input: %w", err)
	}
	defer budget.Return(rows * int64(bytes))
	texts := plainTexts{ids: map[string]uint32{"": 0}, all: []string{""},
		rows: make([][]uint32, len(of))}
	err := in.Sample(ctx, rows, columns, texts.add)
	if err != nil {
		return fmt.Errorf("look at the input: %w", err)
	}
	for i, by := range of {
		for j, p := range of {
			if i == j || !by.role.masked() || !p.role.masked() {
				continue
			}
			same := texts.extend(texts.rows[i], texts.rows[j], true)
			first := cmp.Or(cmp.Compare(by.Field.Distinct, p.Field.Distinct), i-j) < 0
			if same && first || !same && texts.extend(texts.rows[i], texts.rows[j], false) {
				p.role = dropBy(by, "says the same, apart from case, blanks and added text")
			}
		}
	}
	return nil
}

// textBytes is the memory of a text that is compared, but for its characters: its number in a row,
// and its entries among all texts.
const textBytes = 80

// plainTexts are the texts of some columns, apart from case and blanks, by number; 0: no text, or
// one that is too long to be compared.
type plainTexts struct {
	ids  map[string]uint32
	all  []string
	rows [][]uint32 // of each column
}

// add adds the rows of a batch.
func (f *plainTexts) add(b *formats.Batch) error {
	for i, column := range b.Columns {
		var ids []uint32 // of the codes of the batch
		for _, code := range column.Codes {
			for int(code) >= len(ids) {
				text := ""
				if n := len(ids); n > 0 && len(column.Values.Bytes(n-1)) <= mostMatched {
					text = strings.Join(strings.Fields(strings.ToLower(
						string(column.Values.Bytes(n-1)))), " ")
				}
				id, found := f.ids[text]
				if !found {
					id = uint32(len(f.all))
					f.ids[text], f.all = id, append(f.all, text)
				}
				ids = append(ids, id)
			}
			f.rows[i] = append(f.rows[i], ids[code])
		}
	}
	return nil
}

// extend reports whether nearly all texts of a column are those of another one or, if not only the
// same count, have something behind these, the same behind each, in most rows with a text.
func (f *plainTexts) extend(by, of []uint32, same bool) bool {
	with := make(map[uint32]uint32)
	both, none, others := 0, 0, 0
	for row, id := range by {
		added := of[row]
		switch {
		case added == 0:
			none++
			continue
		case id == 0:
			if same {
				others++
			}
			continue
		}
		both++
		if with[id] == 0 {
			with[id] = added
		}
		if with[id] != added || id != added && (same || !continues(f.all[added], f.all[id])) {
			others++
		}
		if others*renamed > len(by) {
			return false
		}
	}
	return both*2 > len(of)-none
}

// continues reports whether a text is another one with something behind it.
func continues(text, begin string) bool {
	rest, found := strings.CutPrefix(text, begin)
	next, _ := utf8.DecodeRuneInString(rest)
	return found && rest != "" && !unicode.IsLetter(next) && !unicode.IsDigit(next)
}
