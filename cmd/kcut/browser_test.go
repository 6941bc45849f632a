package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut"
)

// reviewed is a release of the demo's people whose page the tests check.
type reviewed struct {
	name      string
	change    string // replaces the line of the job with the class
	flags     []string
	evaluated bool
	wide      bool // instead of people, a table of 25 columns with many values
}

var reviewedReleases = []reviewed{
	{name: "tdr", evaluated: true},
	{name: "protected",
		change: "class: income\nentity: name\nsensitive: [{column: workclass, l: " +
			"2}]\nmax_suppressed: 5%"},
	{name: "bottom-up", flags: []string{"--algorithm", "bottom-up"}},
	{name: "mondrian", flags: []string{"--algorithm", "mondrian"}},
	{name: "infogain-mondrian", flags: []string{"--algorithm", "infogain-mondrian"},
		evaluated: true},
	{name: "kactus", flags: []string{"--algorithm", "kactus"}},
	{name: "classless", change: "max_steps: 12", evaluated: true},
	{name: "wide", wide: true},
	{name: "wide-regions", wide: true, flags: []string{"--algorithm", "infogain-mondrian"}},
}

// kcut runs a command that must succeed, and returns its output.
func kcutMust(t *testing.T, args ...string) []byte {
	t.Helper()
	var out, said bytes.Buffer
	if exit := execute(t.Context(), args, newUI(&out, &said, false)); exit != 0 {
		t.Fatalf("kcut %s: exit %d\n%s", strings.Join(args, " "), exit, said.String())
	}
	return out.Bytes()
}

// demoFolder makes a folder with the demo and some people, and changes to it.
func demoFolder(t *testing.T, rows string) {
	t.Helper()
	demo, err := filepath.Abs(filepath.Join("..", "..", "docs", "demo"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", os.DirFS(demo)); err != nil {
		t.Fatal(err)
	}
	kcutMust(t, "sample", "--rows", rows, "--quiet", "people.parquet")
}

// wideJob writes a table of 24 columns and a class, and returns a job that masks all but the class.
func wideJob(t *testing.T) []byte {
	t.Helper()
	const columns, rows = 24, 20000
	random := rand.New(rand.NewPCG(25, 25))
	var job, table strings.Builder
	job.WriteString("input: wide.csv\noutput: wide.parquet\nclass: class\nmax_unique: 100%\n" +
		"columns:\n  class: keep\n")
	for i := range columns {
		mask := []string{"discretize", "suppress", "discretize"}[i%3]
		fmt.Fprintf(&job, "  c%d: %s\n", i, mask)
		fmt.Fprintf(&table, "c%d,", i)
	}
	job.WriteString("quasi_identifiers:\n")
	for i := 0; i < columns; i += 4 {
		fmt.Fprintf(&job, "  - {columns: [c%d, c%d, c%d, c%d], k: 10}\n", i, i+1, i+2, i+3)
	}
	table.WriteString("class\n")
	for range rows {
		for i := range columns {
			switch i % 3 {
			case 0:
				fmt.Fprintf(&table, "%d,", random.IntN(1000))
			case 1:
				fmt.Fprintf(&table, "word%d,", random.IntN(5+i%20))
			default:
				fmt.Fprintf(&table, "19%d-0%d-1%d,", 30+random.IntN(70), 1+random.IntN(9),
					random.IntN(10))
			}
		}
		fmt.Fprintf(&table, "%d\n", random.IntN(2))
	}
	if err := os.WriteFile("wide.csv", []byte(table.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return []byte(job.String())
}

// make makes the release and its page, and returns the path of the page.
func (r *reviewed) make(t *testing.T) (page string) {
	t.Helper()
	text, err := os.ReadFile("people.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if r.wide {
		text = wideJob(t)
	}
	if r.change != "" { // without a class the column is kept like others
		text = bytes.Replace(text, []byte("income:         keep"),
			[]byte("income:         {keep: {identifying: accepted}}"), 1)
		text = bytes.Replace(text, []byte("class: income"), []byte(r.change), 1)
	}
	job, release := r.name+".yaml", r.name+".parquet"
	if err := os.WriteFile(job, text, 0o600); err != nil {
		t.Fatal(err)
	}
	kcutMust(t,
		append([]string{"run", job, "--quiet", "--output", release, "--trace", r.name + ".jsonl",
			"--run-json", r.name + ".json"}, r.flags...)...)
	page = r.name + ".html"
	args := []string{"report", release, page, "--quiet", "--trace", r.name + ".jsonl", "--run-json",
		r.name + ".json"}
	if r.evaluated {
		evaluation := kcutMust(t, "evaluate", job, "--curve", "--k", "10,20,50,100,200,500",
			"--folds", "2", "--quiet", "--json")
		if err := os.WriteFile("evaluation.json", evaluation, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--evaluation", "evaluation.json")
	}
	kcutMust(t, args...)
	absolute, err := filepath.Abs(page)
	if err != nil {
		t.Fatal(err)
	}
	return absolute
}

// mostPages is the largest number of pages of a print, also of 25 columns.
const mostPages = 8

// TestBrowser checks pages of releases in a real browser: on a screen and a phone, in light and in
// dark, in print and without a script. Nothing is cut off, everything is readable and has a name,
// and the slider shows the steps of the trace.
func TestBrowser(t *testing.T) {
	if os.Getenv("KCUT_BROWSER") == "" {
		t.Skip("it starts a browser; make test-browser runs it")
	}
	program := findBrowser()
	if program == "" {
		t.Skip("there is no Chromium: install it, or name it in CHROMIUM")
	}
	demoFolder(t, "6000")
	for i := range reviewedReleases {
		r := &reviewedReleases[i]
		t.Run(r.name, func(t *testing.T) {
			page := r.make(t)
			b := newBrowser(t, program)
			b.open("file://" + page)
			b.size(1280, 900, "light")
			b.checkWhole()
			for _, scheme := range []string{"light", "dark"} {
				for _, width := range []int{1280, 800, 400} {
					b.size(width, 900, scheme)
					b.checkLook(fmt.Sprintf("%d pixels, %s", width, scheme), width)
				}
			}
			b.size(717, 900, "dark") // A4 without margins, as pixels
			b.media("print", "dark")
			b.checkLook("print", 717)
			b.checkSizes()
			pdf := b.bytesOf("Page.printToPDF", nil)
			if pages := bytes.Count(pdf, []byte("/Type /Page\n")); !bytes.HasPrefix(pdf,
				[]byte("%PDF-")) || pages < 1 || pages > mostPages {
				t.Errorf("a print of %d bytes and %d pages", len(pdf), pages)
			}
			b.size(1280, 900, "light")
			b.checkNames()
			if steps := readSteps(t, r.name+".jsonl"); len(steps) > 0 {
				b.checkSlider(steps, r.name+".parquet")
			}
			if all := b.complaints(); len(all) > 0 {
				t.Errorf("the browser complains: %q", all)
			}
			b.checkWithoutScript(page)
		})
	}
}

// lookScript opens everything that is folded. It returns elements that do not fit into a width, and
// texts that are hard to read: their contrast is below that of WCAG 2.1 AA.
const lookScript = `(width => {
  document.querySelectorAll("details").forEach(d => d.open = true);
  const wide = [], faint = [], split = [];
  if (document.documentElement.scrollWidth > width) wide.push("the page: " + document.documentElement.scrollWidth);
  const number = c => { const n = c.match(/[\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const luminance = c => { const [r, g, b] = c.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = e => { for (; e; e = e.parentElement) { const c = number(getComputedStyle(e).backgroundColor); if (c[3] > 0) return c; } return [255, 255, 255, 1]; };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  for (let node; node = texts.nextNode();) {
    const e = node.parentElement, text = node.textContent.trim();
    if (!text || e.closest("script, title, .skip") || !e.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width === 0 || box.right < 0) continue;
    seen++;
    if (box.right > width + 0.5 || box.left < -0.5) wide.push(e.tagName + ": " + text.slice(0, 40) + " to " + box.right);
    for (const word of node.textContent.matchAll(/(?<!\S)[A-Za-z]{2,14}(?!\S)/g)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(r => Math.round(r.top))).size > 1) split.push(word[0]);
    }
    const style = getComputedStyle(e), size = parseFloat(style.fontSize);
    const large = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700;
    const [a, b] = [luminance(number(e.closest("svg") ? style.fill : style.color)), luminance(ground(e))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < (large ? 3 : 4.5)) faint.push(e.tagName + "." + e.className + ": " + text.slice(0, 40) + " " + (a + 0.05) / (b + 0.05));
  }
  return { wide: wide.slice(0, 5), faint: faint.slice(0, 5), split: split.slice(0, 5), seen, height: document.documentElement.scrollHeight };
})(%d)`

// checkLook checks that all texts of the page fit into a width and are readable.
func (b *browser) checkLook(how string, width int) {
	b.t.Helper()
	var look struct {
		Wide, Faint, Split []string
		Seen, Height       int
	}
	b.run(fmt.Sprintf(lookScript, width), &look)
	if len(look.Wide) > 0 {
		b.t.Errorf("%s: too wide: %q", how, look.Wide)
	}
	if len(look.Faint) > 0 {
		b.t.Errorf("%s: hard to read: %q", how, look.Faint)
	}
	if len(look.Split) > 0 {
		b.t.Errorf("%s: words are split: %q", how, look.Split)
	}
	if look.Seen < 100 {
		b.t.Errorf("%s: only %d texts are seen", how, look.Seen)
	}
}

// checkWhole checks that no table of labels goes on in the next column, where it has no heading.
func (b *browser) checkWhole() {
	b.t.Helper()
	var divided []string
	b.run(`[...document.querySelectorAll(".two > section")].filter(e => e.getClientRects().length > 1).map(e => e.querySelector("h3").textContent)`, &divided)
	if len(divided) > 0 {
		b.t.Errorf("divided between columns: %q", divided)
	}
}

// checkSizes checks that a print has the group sizes of two sets side by side: Chromium divides
// headings between the columns of a page.
func (b *browser) checkSizes() {
	b.t.Helper()
	var tops []float64
	b.run(`[...document.querySelector(".sizes").querySelectorAll(":scope > section > h3")].slice(0, 2).map(e => e.getBoundingClientRect().top)`, &tops)
	if len(tops) == 0 || tops[len(tops)-1] != tops[0] {
		b.t.Errorf("print: the group sizes of sets are at %v", tops)
	}
}

// namesScript returns elements of the page without a name or without a place in the reading order.
const namesScript = `(() => {
  const lacks = [];
  if (document.documentElement.lang !== "en" || !document.title) lacks.push("language or title");
  if (document.querySelectorAll("h1").length !== 1 || document.querySelectorAll("main").length !== 1 || document.querySelectorAll("nav[aria-label]").length !== 1) lacks.push("h1, main or nav");
  let level = 1;
  document.querySelectorAll("h1, h2, h3").forEach(h => { const n = Number(h.tagName[1]); if (n > level + 1) lacks.push("heading " + h.textContent); level = n; });
  document.querySelectorAll("nav a").forEach(a => { if (!document.getElementById(a.getAttribute("href").slice(1))) lacks.push("link " + a.textContent); });
  document.querySelectorAll("svg").forEach(s => { if (s.getAttribute("aria-hidden") !== "true" && !(s.getAttribute("role") === "img" && s.getAttribute("aria-label"))) lacks.push("picture " + s.outerHTML.slice(0, 60)); });
  document.querySelectorAll("table").forEach(t => { if ([...t.querySelectorAll("th")].length === 0 || [...t.querySelectorAll("th")].some(h => !h.scope || !h.textContent.trim())) lacks.push("table " + t.textContent.slice(0, 60)); });
  return lacks;
})()`

// checkNames checks that everything has a name for people who do not see the page, in the
// accessibility tree of the browser.
func (b *browser) checkNames() {
	b.t.Helper()
	var lacks []string
	if b.run(namesScript, &lacks); len(lacks) > 0 {
		b.t.Errorf("not named or not in order: %q", lacks)
	}
	var tree struct {
		Nodes []struct {
			Ignored    bool
			Role, Name struct{ Value any }
		}
	}
	b.call("Accessibility.getFullAXTree", nil, &tree)
	for _, n := range tree.Nodes {
		named := []any{"slider", "button", "link", "image", "img", "heading", "navigation"}
		if !n.Ignored && slices.Contains(named, n.Role.Value) &&
			(n.Name.Value == nil || n.Name.Value == "") {
			b.t.Errorf("a %v has no name", n.Role.Value)
		}
	}
}

// checkWithoutScript checks that a page whose script does not run hides the slider and shows
// everything else.
func (b *browser) checkWithoutScript(page string) {
	b.t.Helper()
	b.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	b.open("file://" + page)
	b.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": false}, nil)
	var shown struct {
		Slider bool
		Words  int
	}
	b.run(`({slider: [...document.querySelectorAll("#anytime")].some(e => e.checkVisibility()), words: document.body.innerText.split(/\s+/).length})`, &shown)
	if shown.Slider || shown.Words < 300 {
		b.t.Errorf("without a script: %+v", shown)
	}
}

func readSteps(t *testing.T, path string) []kcut.TraceStep {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := kcut.ReadTrace(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

// sliderState is the state of the page at a step.
type sliderState struct {
	Value      int
	Score      string
	Sets, Most []string   // sizes of the smallest groups, and their largest possible numbers
	Cut        [][]string // the first labels of every column
	Labels     []string   // the number of labels
	Marker     float64
}

const sliderScript = `(() => {
  const cells = (body, i) => [...document.getElementById(body).rows].map(r => r.cells[i].textContent.replace(/,/g, ""));
  return {
    value: Number(document.getElementById("step").value), score: document.getElementById("score").textContent,
    sets: cells("sets-at", 1), most: cells("sets-at", 3), labels: cells("cut-at", 1),
    cut: [...document.getElementById("cut-at").rows].map(r => [...r.querySelectorAll(".chip:not(.more)")].map(c => c.textContent)),
    marker: Number(document.getElementById("marker").getAttribute("x1")),
  };
})()`

// checkSlider drags the slider to some steps, and compares the page with the trace.
func (b *browser) checkSlider(steps []kcut.TraceStep, release string) {
	b.t.Helper()
	cut, err := kcut.ReadCut(b.t.Context(), release)
	if err != nil {
		b.t.Fatal(err)
	}
	var track struct{ Left, Top, Width, Height float64 }
	b.run(`(() => { const e = document.getElementById("step"); e.scrollIntoView({block: "center", behavior: "instant"}); const r = e.getBoundingClientRect(); return {left: r.left, top: r.top, width: r.width, height: r.height}; })()`, &track)
	const thumb = 16.0 // in pixels; the middle of the thumb stays half of them away from both ends
	at := func(step int) float64 {
		return track.Left + thumb/2 + (track.Width-thumb)*float64(step)/float64(len(steps))
	}
	middle, from := track.Top+track.Height/2, len(steps)
	visited := make(map[int]bool)
	for _, to := range []int{len(steps) / 2, 0, 1, len(steps) * 3 / 4, len(steps)} {
		b.mouse("mousePressed", at(from), middle)
		b.mouse("mouseMoved", (at(from)+at(to))/2, middle)
		b.mouse("mouseMoved", at(to), middle)
		b.mouse("mouseReleased", at(to), middle)
		var shown sliderState
		b.run(sliderScript, &shown)
		if math.Abs(float64(shown.Value-to)) > 1+float64(len(steps))/100 {
			b.t.Errorf("dragged to step %d it is at %d", to, shown.Value)
		}
		b.checkState(&shown, steps, cut)
		visited[shown.Value], from = true, shown.Value
	}
	b.run(`document.getElementById("back").click()`, nil)
	var shown sliderState
	if b.run(sliderScript, &shown); shown.Value != from-1 {
		b.t.Errorf("a step back of %d is %d", from, shown.Value)
	}
	b.checkState(&shown, steps, cut)
	if len(visited) < min(4, len(steps)) {
		b.t.Errorf("it was at steps %v alone", visited)
	}
}

// checkState compares the page at a step with the trace.
func (b *browser) checkState(shown *sliderState, steps []kcut.TraceStep, cut *kcut.Cut) {
	b.t.Helper()
	labels := labelsAt(steps, shown.Value, cut)
	for i := range cut.Columns {
		want := labels[cut.Columns[i].Name]
		listed := slices.Sorted(slices.Values(shown.Cut[i]))
		if shown.Labels[i] != strconv.Itoa(len(want)) ||
			len(want) <= 24 && !slices.Equal(listed, want) {
			b.t.Errorf("step %d: column %s has %s labels, %q; want %q", shown.Value,
				cut.Columns[i].Name, shown.Labels[i], listed, want)
		}
	}
	if x := 70 + 570*float64(shown.Value)/float64(len(steps)); math.Abs(x-shown.Marker) > 0.01 {
		b.t.Errorf("step %d is marked at %v, want %v", shown.Value, shown.Marker, x)
	}
	if shown.Value == 0 {
		return
	}
	step := steps[shown.Value-1]
	if score, err := strconv.ParseFloat(shown.Score, 64); err != nil ||
		math.Abs(score-step.Score) > math.Abs(step.Score)*0.001 {
		b.t.Errorf("step %d: score %s, want %v", shown.Value, shown.Score, step.Score)
	}
	for i, set := range cut.Sets {
		most := uint64(1)
		for _, name := range set.Columns {
			most *= uint64(len(labels[name]))
		}
		most = max(1, min(most, uint64(cut.Rows)/step.Anonymity[i]))
		if shown.Sets[i] != fmt.Sprint(step.Anonymity[i]) || shown.Most[i] != fmt.Sprint(most) {
			b.t.Errorf("step %d, set %d: %s in at most %s groups, want %d and %d", shown.Value, i+1,
				shown.Sets[i], shown.Most[i], step.Anonymity[i], most)
		}
	}
}

// labelsAt returns the labels of every column after a number of steps, in order. It computes them
// in its own way, from the origin of every label.
func labelsAt(steps []kcut.TraceStep, at int, cut *kcut.Cut) map[string][]string {
	name := func(l kcut.TraceLabel) string {
		if l.Null {
			return "null"
		}
		return l.Text
	}
	labels := make(map[string]map[string]bool)
	generalizes := cut.Algorithm == "bottom-up"
	for _, c := range cut.Columns {
		set := make(map[string]bool)
		first := slices.IndexFunc(steps, func(s kcut.TraceStep) bool { return s.Column == c.Name })
		switch {
		case first >= 0 && !generalizes && c.Mask != kcut.MaskSuppress:
			set[name(steps[first].Value)] = true
		case first < 0 || generalizes:
			for _, l := range c.Cut {
				set[name(kcut.TraceLabel{Text: l.Label, Null: l.Null})] = true
			}
		}
		if c.Suppressed != "" {
			set[c.Suppressed] = true
		}
		labels[c.Name] = set
	}
	apply := func(s kcut.TraceStep) {
		delete(labels[s.Column], name(s.Value))
		for _, c := range s.Children {
			labels[s.Column][name(c)] = true
		}
	}
	if generalizes {
		for i := len(steps) - 1; i >= at; i-- {
			apply(steps[i])
		}
	} else {
		for _, s := range steps[:at] {
			apply(s)
		}
	}
	sorted := make(map[string][]string)
	for column, set := range labels {
		for l := range set {
			sorted[column] = append(sorted[column], l)
		}
		slices.Sort(sorted[column])
	}
	return sorted
}

// TestScreenshots takes the pictures for the documents.
func TestScreenshots(t *testing.T) {
	folder, program := os.Getenv("KCUT_SCREENSHOTS"), findBrowser()
	if folder == "" || program == "" {
		t.Skip("it takes the pictures of the documents anew; make screenshots runs it, with a " +
			"Chromium")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	job := []byte(strings.NewReplacer("k: 20", "k: 50", "k: 100",
		"k: 50").Replace(repository(t, "docs", "demo", "people.yaml")))
	demoFolder(t, "60000")
	if err := os.WriteFile("people.yaml", job, 0o600); err != nil {
		t.Fatal(err)
	}
	r := reviewed{name: "release", evaluated: true}
	page := r.make(t) // for minutes, which the browser is not given
	b := newBrowser(t, program)
	b.open("file://" + page)
	b.call("Emulation.setScrollbarsHidden", map[string]any{"hidden": true}, nil)
	for _, shot := range []struct {
		width, height int
		at            string // the element at the top; empty: the top of the page
		step          int
	}{{1280, 1000, "summary", 0}, {800, 1000, "anytime", 23}, {400, 800, "chart-errors", 0}} {
		for _, scheme := range []string{"light", "dark"} {
			b.size(shot.width, shot.height, scheme)
			b.run(fmt.Sprintf(`(() => {
				const step = document.getElementById("step");
				if (%[2]d > 0) { step.value = %[2]d; step.dispatchEvent(new Event("input")); }
				const e = document.getElementById(%[1]q);
				window.scrollTo({top: e.tagName === "H1" ? 0 : e.getBoundingClientRect().top + window.scrollY - 16, behavior: "instant"});
			})()`, shot.at, shot.step), nil)
			picture := b.bytesOf("Page.captureScreenshot",
				map[string]any{"format": "webp", "quality": 80})
			err := os.WriteFile(filepath.Join(folder,
				fmt.Sprintf("%d-%s.webp", shot.width, scheme)), picture, 0o644)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
