package report

import (
	"strconv"
	"strings"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

// mostChildren is how many children of a step are listed.
const mostChildren = 12

// stepView is one performed step.
type stepView struct {
	Number    int
	Column    string
	Value     string
	Children  string
	Gain      string
	Loss      string
	Score     string
	Anonymity []string
}

func stepViews(trace []kcut.TraceStep) []stepView {
	views := make([]stepView, len(trace))
	for i, s := range trace {
		v := stepView{
			Number: s.Step, Column: s.Column, Value: labelText(s.Value), Children: childrenText(s.Children),
			Gain: number(s.InfoGain), Loss: number(s.AnonyLoss), Score: number(s.Score),
		}
		for _, a := range s.Anonymity {
			v.Anonymity = append(v.Anonymity, text.Grouped(int64(a)))
		}
		views[i] = v
	}
	return views
}

func labelText(l kcut.TraceLabel) string {
	if l.Null {
		return "null"
	}
	return l.Text
}

func childrenText(children []kcut.TraceLabel) string {
	var texts []string
	for i, c := range children {
		if i == mostChildren {
			texts = append(texts, "… of "+text.Grouped(int64(len(children))))
			break
		}
		texts = append(texts, labelText(c))
	}
	return strings.Join(texts, " | ")
}

// number writes a figure of the search with four digits that count.
func number(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
