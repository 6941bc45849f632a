package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"github.com/kcut/kcut/internal/text"
)

//go:embed html
var files embed.FS

// layout is parsed on first use: most commands write no page.
var layout = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"head": newHead, "bar": newBar, "most": most, "micros": micros, "percent": percent,
		"share": text.Percent, "span": span, "grouped": grouped,
		"numberText": numberText, "labelText": shortened, "childrenText": childrenText,
		"anonymityText": anonymityText, "ends": ends, "score": Score, "chosen": Chosen,
		"alarms": Alarms, "letter": Letter,
		"mebibytes": func(n int64) string { return text.Grouped(n>>20) + " MiB" },
		"count":     func(n any, what string) string { return counted(grouped(n), what) },
		"number":    func(index int) int { return index + 1 }, // of a set
		"join":      func(names []string) string { return strings.Join(names, ", ") },
		"rest":      func(number, of int) int { return number % of },
		"dash":      func(number int) string { return dashes[number%len(dashes)] },
		"add":       func(a, b int) int { return a + b },
	}).ParseFS(files, "html/*.html"))
})

// execute makes a page from a template. Characters that do not print, such as those that change the
// direction of text, are written as their numbers: otherwise their effect on a name would be
// invisible.
func execute(name string, data any) ([]byte, error) {
	var page bytes.Buffer
	if err := layout().ExecuteTemplate(&page, name, data); err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	return []byte(text.Escaped(page.String())), nil
}

// head is the beginning of a page: its title, its style, and its security policy.
type head struct {
	Title  string
	Style  template.CSS
	Policy string
}

// newHead allows a page's own style, and its script if it has one, by their hashes, and nothing
// else.
func newHead(title string, scripted bool) head {
	h := head{
		Title: title,
		Style: template.CSS(file("page.css")),
	} //nolint:gosec // it is a part of this program
	h.Policy = "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " +
		hash(file("page.css"))
	if scripted {
		h.Policy += "; script-src " + hash(file("page.js"))
	}
	return h
}

// Script returns the script of a page with a replay.
func (r *replay) Script() template.JS {
	return template.JS(file("page.js"))
} //nolint:gosec // it is a part of this program

// file returns a file of the pages.
func file(name string) string {
	content, err := files.ReadFile("html/" + name)
	if err != nil {
		panic(err)
	}
	return string(content)
}

// hash returns the name of a text in a content security policy.
func hash(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// bar is a part of the largest value in a list, in percent.
type bar struct{ Width string }

func newBar(part, most uint64) bar {
	if most == 0 {
		return bar{"0"}
	}
	return bar{coordinate(max(100*float64(part)/float64(most), float64(min(part, 1))/2))}
}
