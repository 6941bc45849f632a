package report

import (
	"slices"
	"strings"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

// alarming is the share of rows that are alone, or in groups that are too small, above which a
// verdict says so. It is the max_unique of jobs that have none.
const alarming = 0.01

// mostNamed is the largest number of columns that a verdict names.
const mostNamed = 3

// verdict is the first sentences of a page: how many rows somebody finds who knows all labels, and
// what groups disclose of a person without anybody being found.
type verdict struct {
	Kind, Strong, Rest string
	Points             bool // there is more in the section on sensitive values
}

// Verdict judges the risk. A run publishes more than 1 % of rows that are alone on the labels of
// all masked columns together only if max_unique allows it: that is shown in red. k does not limit
// what a group has in common, so that a job which does not either is no fault, but not shown in
// green, unless the shares of the whole release disclose about as much.
func (p *page) Verdict() verdict {
	v := p.found()
	open, limited := p.disclosed()
	first := func(h homogeneous) bool { return h.Records > 0 }
	v.Points = slices.ContainsFunc(slices.Concat(open, limited), first)
	if known := p.known(open); known == "" {
		v.Rest += sentence("No group has only one value of ", columnNames(open))
	} else if certain := "hoever finds somebody’s group knows " + known; !surprises(open) {
		v.Rest += " W" + certain + ", about as sure as the shares of the whole release make " +
			"anybody."
	} else if v.Kind == "verdict" {
		alone := strings.TrimPrefix(v.Strong, "Low risk: ")
		v = verdict{"caution", "Some risk: w" + certain,
			", since all rows of such a group have one value; k does not limit that. " + alone +
				v.Rest, v.Points}
	} else {
		v.Rest += " W" + certain + ": k does not limit that."
	}
	if names := columnNames(limited); names != "" {
		v.Rest += " Each group meets the job’s limits on " + names
		if known := p.known(limited); known != "" {
			v.Rest += "; whoever finds somebody’s group still knows " + known
		}
		v.Rest += "."
	}
	return v
}

// sentence returns a sentence that ends with names, if there are names.
func sentence(begin, names string) string {
	if names == "" {
		return ""
	}
	return " " + begin + names + "."
}

// found judges how many rows somebody finds who knows the labels of all masked columns.
func (p *page) found() verdict {
	u := p.Union()
	if u == nil {
		return verdict{Kind: "caution", Strong: "The risk of all labels together is not known",
			Rest: ": whether somebody who knows several sets finds more was not counted."}
	}
	alone := "Nobody is alone"
	if u.Unique > 0 {
		alone = text.Percent(u.Unique) + " of the " + u.Who + " are alone"
	}
	knows := " for somebody who knows all masked columns of a person"
	small := text.Percent(u.BelowK) + " of the " + u.Who + " are in groups of fewer than " +
		grouped(u.K)
	switch {
	case u.Unique > alarming:
		return verdict{Kind: "alarm", Strong: "High risk: " + alone, Rest: knows + "; " + small +
			". The job allows it with max_unique, on somebody’s word that nobody knows more " +
			"than one set."}
	case u.BelowK > alarming:
		return verdict{Kind: "caution", Strong: "Some risk: " + small, Rest: knows + ". " + alone +
			"."}
	case u.BelowK > 0:
		return verdict{Kind: "verdict", Strong: "Low risk: " + alone, Rest: knows + "; " + small +
			"."}
	}
	return verdict{Kind: "verdict", Strong: "Low risk: " + alone, Rest: knows + "."}
}

// disclosed lists the class and the sensitive columns, each with the set of which groups disclose
// most of it, the column of which they disclose most first: those that the job does not limit, and
// those that it does.
func (p *page) disclosed() (open, limited []homogeneous) {
	for _, most := range kcut.MostHomogeneous(p.Release.Homogeneous) {
		h := homogeneous{Homogeneity: most, Rows: p.Release.Rows}
		if slices.ContainsFunc(p.Cut.Sensitive, func(s kcut.Sensitive) bool {
			return s.Column == h.Column
		}) {
			limited = append(limited, h)
		} else {
			open = append(open, h)
		}
	}
	return open, limited
}

// surprises reports whether groups of one value disclose more of a column than the shares of its
// values in the whole release.
func surprises(columns []homogeneous) bool {
	return slices.ContainsFunc(columns, func(h homogeneous) bool { return h.Surprises() })
}

// known names columns, with the shares of the rows whose value groups disclose.
func (p *page) known(columns []homogeneous) string {
	var words []string
	for _, h := range columns {
		if h.Records == 0 {
			continue
		}
		of := h.Column + " for " + percent(h.Records, h.Rows) + " of the rows"
		if len(p.Cut.Sets) > 1 {
			of += " (set " + grouped(h.Set) + ")"
		}
		words = append(words, of)
	}
	return listed(words)
}

// columnNames names columns.
func columnNames(columns []homogeneous) string {
	var names []string
	for _, h := range columns {
		names = append(names, h.Column)
	}
	return listed(names)
}

// listed joins words, of many the first ones.
func listed(words []string) string {
	if n := len(words); n > mostNamed {
		more := counted(grouped(n-mostNamed+1), "more column")
		words = append(slices.Clip(words[:mostNamed-1]), more)
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// Uncounted lists the kept columns of which nobody has counted what groups disclose.
func (p *page) Uncounted() (names []string) {
	if p.Risk() == nil {
		return nil
	}
	for _, name := range p.Risk().Columns {
		if !slices.ContainsFunc(p.Release.Homogeneous, func(h kcut.Homogeneity) bool {
			return h.Column == name
		}) {
			names = append(names, name)
		}
	}
	return names
}
