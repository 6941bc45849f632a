package report

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

const (
	mostLabels   = 200 // of a column that are listed
	mostChildren = 12  // of a step that are listed
	fullBar      = 240 // width of a bar that stands for the most there is
)

//go:embed *.html
var layouts embed.FS

// layout is parsed when it is first asked for: most commands write no page.
var layout = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"bar": newBar, "most": most, "micros": micros, "percent": percent, "share": text.Percent, "span": span, "grouped": grouped, "numberText": numberText,
		"mebibytes": func(n int64) string { return text.Grouped(n>>20) + " MiB" },
		"number":    func(index int) int { return index + 1 }, // of a set
		"join":      func(names []string) string { return strings.Join(names, ", ") },
		"label":     labelText, "labels": childrenText,
		"score": scoreText, "rest": func(number, of int) int { return number % of }, "dash": func(number int) string { return dashes[number%len(dashes)] },
		"add": func(a, b int) int { return a + b },
	}).ParseFS(layouts, "*.html"))
})

// page is what the layout shows.
type page struct {
	Source
	Name    string
	Cut     *kcut.Cut
	Columns []column
	Curve   *curve // nil: there were no steps, or they are not known
	Traced  bool
	Regions bool // the cut is not one of steps
	Up      bool // steps generalize: the algorithm goes bottom-up
}

func newPage(s Source) *page {
	cut := s.Release.Cut
	p := &page{
		Source: s, Name: filepath.Base(filepath.Clean(s.Release.Path)), Cut: cut,
		Traced: s.Trace != nil, Regions: cut.Kind == kcut.KindRegions, Up: cut.Algorithm == "bottom-up",
	}
	for i := range cut.Columns {
		p.Columns = append(p.Columns, p.column(i))
	}
	if len(s.Trace) > 0 {
		p.Curve = newCurve(s.Trace, cut)
	}
	return p
}

// Masked names the columns with a mask, as far as the report of the run tells.
func (p *page) Masked(mask string) (names []string) {
	if p.Run != nil {
		for _, c := range p.Run.Columns {
			if c.Mask == mask {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// alike is what rows are like on some columns.
type alike struct {
	What string
	*kcut.RiskFigures
}

// Alike lists what is known of rows that are alike.
func (p *page) Alike() (rows []alike) {
	add := func(what string, f *kcut.RiskFigures) {
		if f != nil {
			rows = append(rows, alike{what, f})
		}
	}
	add("kept columns", p.Risk.Kept)
	add("labels of all sets", p.Risk.Labels)
	add("both", p.Risk.Both)
	if p.Run != nil && p.Run.Risk != nil {
		add("quasi-identifiers before they were masked", p.Run.Risk.Raw)
	}
	return rows
}

// Estimated tells of a part of the classes that stands for all.
func (a *alike) Estimated() string {
	if a.Part == 0 {
		return ""
	}
	return "1/" + grouped(int64(1/a.Part))
}

// Determines lists the masked columns that a kept one tells, as far as the report of the run does.
func (p *page) Determines() []kcut.RiskDetermined {
	if p.Run == nil || p.Run.Risk == nil {
		return nil
	}
	return p.Run.Risk.Determines
}

// Suppressed is how many records have marks alone, as the cut tells.
func (p *page) Suppressed() uint64 {
	n, _ := p.Cut.Marked()
	return n
}

// Unreleased is how many rows were read and not released.
func (p *page) Unreleased() int64 { return p.Run.Rows - p.Run.Released }

// Near reports whether a class is below twice the k of a set: a step that divides it would break k.
func (p *page) Near(size uint64, set int) bool { return size > 0 && size < 2*uint64(p.Cut.Sets[set].K) }

// column is a masked column and its labels.
type column struct {
	kcut.CutColumn
	Sets   []int   // those with the column
	Labels []label // in the cut's order
	More   int     // labels that are not listed
	Most   uint64  // records with one label
	Why    bool    // labels tell why they are no finer
}

// label is one released label. Of a column that is released as numbers nothing was counted.
type label struct {
	Label   string
	Special bool // it is no text of the data: the null or the mark of suppressed values
	kcut.LabelGroups
	Why string
}

func (p *page) column(i int) column {
	c := column{CutColumn: p.Cut.Columns[i]}
	for set := range p.Cut.Sets {
		if slices.Contains(p.Cut.Sets[set].Columns, c.Name) {
			c.Sets = append(c.Sets, set)
		}
	}
	for _, of := range c.Cut {
		l := label{Label: of.Label, Special: of.Null}
		if of.Null {
			l.Label = "null"
		}
		c.Labels = append(c.Labels, l)
	}
	if c.Suppressed != "" {
		c.Labels = append(c.Labels, label{Label: c.Suppressed, Special: true})
	}
	for at, groups := range p.Release.Labels[i] {
		c.Labels[at].LabelGroups = groups
	}
	c.Most = most(p.Release.Labels[i])
	c.explain(p.Run)
	if c.More = max(len(c.Labels)-mostLabels, 0); c.More > 0 {
		c.Labels = c.Labels[:mostLabels]
	}
	return c
}

// whyWords say in words why a label is no finer.
var whyWords = map[string]string{
	"finest": "nothing finer is there or allowed", "empty": "no record has it", "class": "its records have one class",
	"records": "a part would have fewer than k records", "steps": "the steps were used up",
	"suppressed": "more records than may be would have to be suppressed", "few": "its records would be in classes of fewer than k",
}

// explain puts in words why labels are no finer, when the report tells it.
func (c *column) explain(run *kcut.Report) {
	if run == nil {
		return
	}
	for _, stopped := range run.Stopped {
		if c.Why || stopped.Column != c.Name || len(stopped.Why) != len(c.Labels) {
			continue
		}
		c.Why = true
		for i, why := range stopped.Why {
			if set, ok := strings.CutPrefix(why, "sensitive "); ok {
				c.Labels[i].Why = "a class of set " + set + " would not have what is asked of sensitive values"
			} else {
				c.Labels[i].Why = cmp.Or(whyWords[why], why+" would fall below its k")
			}
		}
	}
}

// bar draws a part of the most there is.
type bar struct {
	Title string
	Width uint64
}

func newBar(title string, part, most uint64) bar {
	if most == 0 {
		return bar{Title: title}
	}
	return bar{title, max(part*fullBar/most, min(part, 1))}
}

// most is the most that bars of a list stand for.
func most(list any) (most uint64) {
	switch list := list.(type) {
	case []kcut.SizeBucket:
		for _, b := range list {
			most = max(most, b.Records)
		}
	case []kcut.LabelGroups:
		for _, l := range list {
			most = max(most, l.Records)
		}
	case []kcut.StageTime:
		for _, s := range list {
			most = max(most, micros(s.Seconds))
		}
	}
	return most
}

func micros(seconds float64) uint64 { return uint64(seconds * 1e6) }

// percent is a share with one digit after the point, computed in whole numbers.
func percent(part uint64, whole int64) string {
	if whole == 0 {
		return "0.0 %"
	}
	tenths := (part*1000 + uint64(whole)/2) / uint64(whole)
	return fmt.Sprintf("%d.%d %%", tenths/10, tenths%10)
}

// span writes the sizes of a bucket, of which the largest that there is may be the last.
func span(from, to, largest uint64) string {
	if to = min(to-1, largest); from == to {
		return grouped(from)
	}
	return grouped(from) + " – " + grouped(to)
}

// grouped writes a whole number of any type.
func grouped(n any) string {
	if v := reflect.ValueOf(n); v.CanUint() {
		return text.Grouped(int64(v.Uint()))
	} else {
		return text.Grouped(v.Int())
	}
}

// numberText writes a number with four digits that count.
func numberText(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

func labelText(l kcut.TraceLabel) string {
	if l.Null {
		return "null"
	}
	return l.Text
}

func childrenText(children []kcut.TraceLabel) string {
	var texts []string
	for _, c := range children[:min(len(children), mostChildren)] {
		texts = append(texts, labelText(c))
	}
	if len(children) > mostChildren {
		texts = append(texts, "… of "+grouped(len(children)))
	}
	return strings.Join(texts, " | ")
}
