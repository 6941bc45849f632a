package metrics

import (
	"strconv"
	"strings"
)

// prefix is in front of every metric's name.
const prefix = "kcut_"

// family is a metric: all are gauges, since every run starts from nothing.
type family struct {
	name, help string
	samples    []sample
}

type sample struct {
	labels []label
	value  float64
}

type label struct{ name, value string }

// gauge returns a metric of one sample.
func gauge(name, help string, value float64) family {
	return family{name, help, []sample{{value: value}}}
}

// encoder appends to text. Every sample has the common label first.
type encoder struct {
	common label
	text   []byte
}

// family writes a metric that has samples.
func (e *encoder) family(f family) {
	if len(f.samples) == 0 {
		return
	}
	e.line("# HELP ", f.name, " ", f.help)
	e.line("# TYPE ", f.name, " gauge")
	for _, s := range f.samples {
		e.line("", f.name, e.labels(s.labels), " ", strconv.FormatFloat(s.value, 'f', -1, 64))
	}
}

// line writes words around the name of a metric.
func (e *encoder) line(before, name string, after ...string) {
	e.text = append(append(append(e.text, before...), prefix...), name...)
	for _, text := range after {
		e.text = append(e.text, text...)
	}
	e.text = append(e.text, '\n')
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func (e *encoder) labels(more []label) string {
	var text strings.Builder
	between := "{"
	for _, l := range append([]label{e.common}, more...) {
		text.WriteString(between + l.name + `="` + escape.Replace(strings.ToValidUTF8(l.value, "\uFFFD")) + `"`)
		between = ","
	}
	return text.String() + "}"
}
