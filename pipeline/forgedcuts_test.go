package pipeline

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// Verification finds cuts that kcut would not write, for any rows.
func TestVerifyFindsForgedCuts(t *testing.T) {
	const other = "an interval of its cut has other ends than its label"
	set := func(label *cutfile.Label, text, lower, upper string) {
		*label = cutfile.Label{Label: text, Interval: true}
		if lower != "" {
			label.Lower = json.RawMessage(lower)
		}
		if upper != "" {
			label.Upper = json.RawMessage(upper)
		}
	}
	cut := func(name, want string, change func(*cutfile.File)) forgery {
		return forgery{name, func(f *forged) { change(f.cut) }, []string{want}}
	}
	label := func(text string) cutfile.Label { return cutfile.Label{Label: text} }
	dir := releasedPeople(t, peopleJob)
	const city, age, work = 0, 1, 2
	if c := cutOf(t, dir).Columns; c[city].Name != "city" || c[age].Name != "age" ||
		c[work].Name != "job" || len(c[age].Cut) < 4 {
		t.Fatalf("the columns are %+v", c)
	}
	mustFindForgeries(t, dir,
		cut("algorithm", "its cut is of no algorithm of kcut", func(c *cutfile.File) {
			c.Algorithm = "luck"
		}),
		cut("auto", "its cut is of no algorithm of kcut", func(c *cutfile.File) {
			c.Algorithm = job.AlgorithmAuto
		}),
		cut("algorithm of regions", "its cut has no regions, which algorithm mondrian makes",
			func(c *cutfile.File) { c.Algorithm = job.AlgorithmMondrian }),
		cut("negative steps", "its cut claims fewer steps than none", func(c *cutfile.File) {
			c.Steps = -1
		}),
		cut("few steps", "its cut claims fewer steps than its labels take", func(c *cutfile.File) {
			c.Steps = 1
		}),
		cut("many steps", "its cut claims more steps than there can be", func(c *cutfile.File) {
			c.Steps = 1 << 40
		}),
		cut("suppressed rows", "its cut claims 1099511627776 suppressed records, and a column "+
			"has no mark", func(c *cutfile.File) { c.Suppressed = 1 << 40 }),
		cut("both lost", "both suppressed and dropped", func(c *cutfile.File) {
			c.Suppressed, c.Dropped = 1, 1
		}),
		cut("a set with a column twice", "set 1 has a column twice", func(c *cutfile.File) {
			c.Sets[0].Columns = append(c.Sets[0].Columns, "city")
		}),
		cut("anonymity below k", "set 1 claims an anonymity below its k", func(c *cutfile.File) {
			c.Entity, c.Sets[0].Anonymity = true, 1
		}),
		cut("too much anonymity", "set 1: anonymity", func(c *cutfile.File) {
			c.Sets[0].Anonymity = 1 << 40
		}),
		cut("a share above one", "shares of rows that are alone on all labels which no release has",
			func(c *cutfile.File) { c.Union.BelowK = 1.5 }),
		cut("more alone than few", "shares of rows that are alone on all labels which no "+
			"release has", func(c *cutfile.File) { c.Union.Unique, c.Union.BelowK = 0.5, 0.25 }),
		cut("other shares", "of the rows are alone on all labels, and below the smallest k; its "+
			"cut claims", func(c *cutfile.File) { c.Union.BelowK = 0.999 }),
		cut("no part", "a part of the classes that is none", func(c *cutfile.File) {
			c.Union.Error = 0.5
		}),
		cut("none alone", "and a set has all masked columns", func(c *cutfile.File) {
			all := cutfile.Set{K: 2, Anonymity: 2}
			for i := range c.Columns {
				all.Columns = append(all.Columns, c.Columns[i].Name)
			}
			c.Sets, c.Union.BelowK = append(c.Sets, all), 0.5
		}),
		cut("a redundant set", "set 3 demands nothing that another set does not",
			func(c *cutfile.File) {
				c.Sets = append(c.Sets, cutfile.Set{Columns: []string{"age"}, K: 2, Anonymity: 100})
			}),
		cut("a column in no set", "column job has a cut and is in no quasi-identifier set",
			func(c *cutfile.File) { c.Sets[0].Columns = []string{"city", "age"} }),
		cut("a masked class", "column city is to be kept, and is masked", func(c *cutfile.File) {
			c.Class = "city"
		}),
		cut("a pseudonym twice", "two columns of one name", func(c *cutfile.File) {
			c.Pseudonyms = []string{"income2", "income2"}
		}),
		cut("a rendered node", "column city is rendered as its mask is not", func(c *cutfile.File) {
			c.Columns[city].Render = job.RenderBounds
		}),
		cut("a rendering", "column age is rendered as its mask is not", func(c *cutfile.File) {
			c.Columns[age].Render = "circle"
		}),
		cut("a label twice", "column city: its cut has a label twice", func(c *cutfile.File) {
			c.Columns[city].Cut = append(c.Columns[city].Cut, c.Columns[city].Cut[0])
		}),
		cut("an early null", "the null is not the last label", func(c *cutfile.File) {
			c.Columns[city].Cut = append([]cutfile.Label{{Null: true}},
				slices.DeleteFunc(c.Columns[city].Cut, func(l cutfile.Label) bool {
					return l.Null
				})...)
		}),
		cut("labels of another mask", "column age: its cut has labels of another mask",
			func(c *cutfile.File) { c.Columns[age].Cut[0] = label("young") }),
		cut("no label", "column city: its cut has no label", func(c *cutfile.File) {
			c.Columns[city].Cut = []cutfile.Label{}
		}),
		cut("a mark", "column job: its mark is not *", func(c *cutfile.File) {
			c.Columns[work].Suppressed = "Alice"
		}),
		cut("no mark", "column job: its mark is not *", func(c *cutfile.File) {
			c.Columns[work].Suppressed = ""
		}),
		cut("a needless mark", "column city has a mark, and no record is suppressed",
			func(c *cutfile.File) { c.Columns[city].Suppressed = "Alice" }),
		cut("a narrow mark", "column age: its mark is no label of all values",
			func(c *cutfile.File) { c.Suppressed, c.Columns[age].Suppressed = 1, "[1,2)" }),
		cut("a mark among labels", "column job: its mark is a label, too", func(c *cutfile.File) {
			c.Columns[work].Cut = append([]cutfile.Label{label("*")}, c.Columns[work].Cut...)
		}),
		cut("values out of order", "column job: the values of its cut are out of order",
			func(c *cutfile.File) {
				c.Columns[work].Cut = append([]cutfile.Label{label("zz")}, c.Columns[work].Cut...)
			}),
		cut("intervals out of order", "have gaps, overlap or are out of order",
			func(c *cutfile.File) {
				c.Columns[age].Cut[0], c.Columns[age].Cut[1] = c.Columns[age].Cut[1],
					c.Columns[age].Cut[0]
			}),
		cut("a gap", "have gaps, overlap or are out of order", func(c *cutfile.File) {
			c.Columns[age].Cut = slices.Delete(c.Columns[age].Cut, 1, 2)
		}),
		cut("an overlap", "have gaps, overlap or are out of order", func(c *cutfile.File) {
			set(&c.Columns[age].Cut[0], "[17,88)", "17", "88")
		}),
		cut("an inverted interval", "an interval of its cut is empty", func(c *cutfile.File) {
			set(&c.Columns[age].Cut[0], "[88,17)", "88", "17")
		}),
		cut("an empty interval", "an interval of its cut is empty", func(c *cutfile.File) {
			set(&c.Columns[age].Cut[0], "[17,17)", "17", "17")
		}),
		cut("an end that is a list", other, func(c *cutfile.File) { set(&c.Columns[age].Cut[0], `[["Alice"],20)`, `["Alice"]`, "20") }),
		cut("an end that is null", other, func(c *cutfile.File) {
			set(&c.Columns[age].Cut[0], "(,20)", "null", "20")
		}),
		cut("an end that is a name", other, func(c *cutfile.File) { set(&c.Columns[age].Cut[0], "[Alice,20)", `"Alice"`, "20") }),
		cut("one number of two", other, func(c *cutfile.File) {
			set(&c.Columns[age].Cut[0], "18", "18", "20")
		}),
		cut("another number", other, func(c *cutfile.File) {
			set(&c.Columns[age].Cut[0], "19", "18", "19")
		}),
		cut("ends of several types", "ends of several types", func(c *cutfile.File) { set(&c.Columns[age].Cut[0], "[2001-01-01,20)", `"2001-01-01"`, "20") }),
		cut("an interval with the null", "column age: an interval of its cut names the null",
			func(c *cutfile.File) {
				l := &c.Columns[age].Cut[0]
				l.Label = l.Ends().WithNull().Label
			}),
		cut("a closed interval", "have gaps, overlap or are out of order", func(c *cutfile.File) {
			l := &c.Columns[age].Cut[0]
			l.Label = l.Label[:len(l.Label)-1] + "]"
		}),
	)
	dir, _ = releasedRegions(t)
	mustFindForgeries(t, dir,
		cut("a cut without regions", "its cut has regions, which algorithm tdr does not make",
			func(c *cutfile.File) { c.Algorithm = job.AlgorithmTDR }),
		cut("regions and steps", "its cut has regions and claims steps", func(c *cutfile.File) {
			c.Steps = 1
		}),
		cut("a region twice", "its cut has a region twice", func(c *cutfile.File) {
			c.Regions = append(c.Regions, c.Regions[0])
		}),
		cut("a label of no region", "labels that no region has", func(c *cutfile.File) {
			c.Columns[age].Cut = slices.Insert(c.Columns[age].Cut, len(c.Columns[age].Cut),
				cutfile.Label{Label: "[1,2)",
					Interval: true, Lower: []byte("1"), Upper: []byte("2")})
		}),
		cut("overlaps out of order", "column age: the intervals of its cut are out of order",
			func(c *cutfile.File) {
				c.Columns[age].Cut[0], c.Columns[age].Cut[1] = c.Columns[age].Cut[1],
					c.Columns[age].Cut[0]
			}),
		cut("all with the null", "column age: an interval of its cut names the null",
			func(c *cutfile.File) { set(&c.Columns[age].Cut[0], `{(,)|\N}`, "", "") }),
		cut("ends with a null", "column age: an interval of its cut names the null",
			func(c *cutfile.File) {
				set(&c.Columns[age].Cut[0], `{(,20)|\N}`, "", "20")
				c.Columns[age].Render = job.RenderBounds
			}),
		cut("a set with no null", other, func(c *cutfile.File) {
			set(&c.Columns[age].Cut[0], "{(,20)}", "", "20")
		}),
		cut("a null that comes late", "column age: the intervals of its cut are out of order",
			func(c *cutfile.File) {
				l := c.Columns[age].Cut[0]
				l.Label = l.Ends().WithNull().Label
				c.Columns[age].Cut = slices.Insert(c.Columns[age].Cut, 1, l)
			}),
		cut("sets out of order", "column job: the labels of its cut are out of order",
			func(c *cutfile.File) {
				c.Columns[work].Cut = append([]cutfile.Label{label("{x|y}")},
					c.Columns[work].Cut...)
			}),
		cut("a set of one", "is written in another way", func(c *cutfile.File) {
			c.Columns[work].Cut[0] = label("{x}")
		}),
		cut("values of a set out of order", "the values of a label of its cut are out of order",
			func(c *cutfile.File) { c.Columns[work].Cut[0] = label("{y|x}") }),
		cut("an order with a value that no label names", "column job: the order of its values is "+
			"not one of the values of its cut", func(c *cutfile.File) {
			c.Columns[work].SetOrder([]string{}, true)
			c.Columns[work].Order = append(c.Columns[work].Order, "zz")
		}),
		cut("an order that lacks a value", "column job: the order of its values is not one of the "+
			"values of its cut", func(c *cutfile.File) {
			c.Columns[work].SetOrder([]string{}, true)
			c.Columns[work].Order = c.Columns[work].Order[1:]
		}),
		cut("another order", "column job: the labels of its cut are out of order",
			func(c *cutfile.File) {
				c.Columns[work].SetOrder([]string{}, true)
				slices.Reverse(c.Columns[work].Order)
			}),
		cut("an order of nodes", "column city has an order, which its mask does not take",
			func(c *cutfile.File) { c.Columns[city].Order = []string{"Bonn"} }),
		cut("a mark of nodes", "column city has a mark, and no record is suppressed",
			func(c *cutfile.File) { c.Columns[city].Suppressed = "*" }),
	)
}
