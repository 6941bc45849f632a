package report

import (
	"fmt"
	"strings"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

// setView is a quasi-identifier set.
type setView struct {
	Number    int
	Columns   string
	K         string
	Anonymity string
	Classes   string
	Largest   string
	Sizes     []sizeView
}

// sizeView is a bar of a set's group sizes.
type sizeView struct {
	Size    string
	Classes string
	Records string
	Share   string // of the records, in percent
	Bar     string // its width
}

func setViews(in *kcut.Inspection) (views []setView) {
	for i, set := range in.Cut.Sets {
		sizes := in.Sizes[i]
		v := setView{
			Number: i + 1, Columns: strings.Join(set.Columns, ", "), K: text.Grouped(int64(set.K)),
			Anonymity: text.Grouped(int64(in.Sets[i].Anonymity)), Classes: text.Grouped(int64(sizes.Classes)), Largest: text.Grouped(int64(sizes.Largest)),
		}
		most := uint64(0)
		for _, b := range sizes.Buckets {
			most = max(most, b.Records)
		}
		for _, b := range sizes.Buckets {
			v.Sizes = append(v.Sizes, sizeView{
				Size:    sizeText(b.From, min(b.To-1, sizes.Largest)),
				Classes: text.Grouped(int64(b.Classes)), Records: text.Grouped(int64(b.Records)),
				Share: percent(b.Records, uint64(in.Rows)), Bar: barWidth(b.Records, most),
			})
		}
		views = append(views, v)
	}
	return views
}

func sizeText(from, to uint64) string {
	if from == to {
		return text.Grouped(int64(from))
	}
	return text.Grouped(int64(from)) + " – " + text.Grouped(int64(to))
}

// percent is a share with one digit after the point, computed in whole numbers.
func percent(part, whole uint64) string {
	if whole == 0 {
		return "0.0 %"
	}
	tenths := (part*1000 + whole/2) / whole
	return fmt.Sprintf("%d.%d %%", tenths/10, tenths%10)
}

// fullBar is the width of a bar that stands for the most there is.
const fullBar = 240

func barWidth(part, most uint64) string {
	if most == 0 {
		return "0"
	}
	return fmt.Sprint(max(part*fullBar/most, min(part, 1)))
}
