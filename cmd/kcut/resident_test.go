package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/formatstest"
)

// residentShape is a table that a part of a run would hold whole in memory, unless it reserved the
// memory before.
type residentShape struct {
	name  string
	write func(dir string) error // writes the files of the folder "in"
	job   string                 // without input and output
	runs  [][]string             // further commands, after run and plan
}

// residentBudgets are the budgets, in MiB, with which every shape runs.
var residentBudgets = []int64{64, 128, 256}

// TestResidentSet runs tables of different shapes, each of which is large in another way. A run
// succeeds, or ends with 7 and names a budget that is enough, and takes at most its budget and the
// promised overhead. A plan ends like the run, with and without a sample, but may refuse a budget
// that is less than a tenth above the least of the run. A budget that the plan names is enough for
// the run.
func TestResidentSet(t *testing.T) {
	if os.Getenv("KCUT_LONG") == "" {
		t.Skip("takes minutes: KCUT_LONG=1 runs it")
	}
	program := built(t)
	for _, shape := range residentShapes() {
		t.Run(shape.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := shape.prepare(dir); err != nil {
				t.Fatal(err)
			}
			for _, budget := range residentBudgets {
				checkPlans(t, program, dir, budget)
				for _, args := range shape.runs {
					staysWithin(t, program, dir, budget, args)
				}
			}
		})
	}
}

// checkPlans runs a job, and plans of it, with a budget. All end in the same way, but a plan may
// refuse a budget less than a tenth above the least of the run. A budget that one of them names is
// enough for the run. checkPlans reports whether the given budget was enough.
func checkPlans(t *testing.T, program, dir string, budget int64) (fits bool) {
	t.Helper()
	run := []string{"run", "JOB"}
	ran := staysWithin(t, program, dir, budget, run)
	named := map[int64]string{ran: "run"}
	for _, args := range [][]string{{"plan", "JOB"}, {"plan", "JOB", "--sample"}} {
		foreseen, of := staysWithin(t, program, dir, budget, args), strings.Join(args, " ")
		early := foreseen > 0 && ran == 0 && // a tenth less is too little for the run, too
			staysWithin(t, program, dir, budget*10/11, run) > 0
		if (foreseen > 0) != (ran > 0) && !early {
			t.Errorf("with %d MiB a run names %d MiB, and %s %d: 0 is that it ends well", budget,
				ran, of, foreseen)
		}
		named[foreseen] = of
	}
	for enough, of := range named {
		if enough == 0 || enough > mostNamed {
			continue
		}
		if more := staysWithin(t, program, dir, enough, run); more > 0 {
			t.Errorf("%d MiB are not enough for a run, as %s with %d MiB names: it names %d",
				enough, of, budget, more)
		}
	}
	return ran == 0
}

// mostNamed is the largest named budget, in MiB, that the tests try.
const mostNamed = 2048

// prepare writes the input and the job.
func (s *residentShape) prepare(dir string) error {
	in := filepath.Join(dir, "in")
	if err := os.Mkdir(in, 0o700); err != nil {
		return err
	}
	job := "input: in\noutput: out.parquet\n" + s.job
	return errors.Join(s.write(in),
		os.WriteFile(filepath.Join(dir, "job.yaml"), []byte(job), 0o600))
}

// enoughMemory matches the budget in the hint of an error.
var enoughMemory = regexp.MustCompile(`give (?:at least|more than) (\d+) MiB`)

// staysWithin runs a command with a budget in MiB. If the budget is too small it returns the budget
// that the command names.
func staysWithin(t *testing.T, program, dir string, budget int64, args []string) (enough int64) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "out.parquet")); err != nil &&
		slices.Contains(args, "OUT") {
		return 0 // no run has made a release
	}
	command := slices.Clone(args)
	for i, arg := range command {
		switch arg {
		case "JOB":
			command[i] = filepath.Join(dir, "job.yaml")
		case "IN", "OUT", "AGAIN":
			command[i] = filepath.Join(dir,
				map[string]string{"IN": "in", "OUT": "out.parquet", "AGAIN": "again.parquet"}[arg])
		}
	}
	switch args[0] {
	case "run", "apply":
		command = append(command, "--overwrite", "--no-resume")
	case "plan":
		command = append(command, "--overwrite")
	}
	cmd := exec.Command(program,
		append(command, "--memory", fmt.Sprintf("%dMiB", budget), "--quiet")...)
	// make test lets the system take memory back lazily, which counts as resident until it does
	cmd.Env = append(os.Environ(), "GODEBUG=")
	cmd.Stdout = io.Discard
	child := start(t, cmd)
	resident := child.most(func() int64 {
		bytes := child.peakResident()
		if bytes > budget<<20+4*overhead { // stop before the machine has no memory
			_ = cmd.Process.Kill()
		}
		return bytes
	})[0]
	code := child.exit(t)
	said := strings.TrimSpace(child.stderr.String())
	t.Logf("%4d MiB: %-9s exit %d, resident set %d MiB, %+d, %.1f s %s", budget, args[0], code,
		resident>>20, resident>>20-budget, cmd.ProcessState.UserTime().Seconds(), said)
	if resident > budget<<20+overhead {
		t.Errorf("%s with %d MiB took %d MiB", strings.Join(args, " "), budget, resident>>20)
	}
	switch code {
	case 0:
	case 7:
		named := enoughMemory.FindStringSubmatch(said)
		if named == nil {
			t.Errorf("%s with %d MiB does not say how much is enough: %s", strings.Join(args, " "),
				budget, said)
			break
		}
		enough, _ = strconv.ParseInt(named[1], 10, 64)
	default:
		t.Errorf("%s with %d MiB: exit code %d: %s", strings.Join(args, " "), budget, code, said)
	}
	return enough
}

// A plan ends like a run if a dictionary exceeds the memory, with and without a sample, and the
// budget that it names is enough for the run.
func TestPlanRefusesDictionaries(t *testing.T) {
	program, dir := built(t), t.TempDir()
	shape := residentShape{
		write: oneParquet(6000, 1<<40, numbers("age", 74), words("sex", 2),
			texts("note", 3000, 20_000, true)),
		job: shapeJob(50, "age discretize", "sex suppress", "note "+accepted, "class "+accepted),
	}
	if err := shape.prepare(dir); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"run", "JOB"}, {"plan", "JOB"}, {"plan", "JOB", "--sample"}} {
		if enough := staysWithin(t, program, dir, 32, args); enough == 0 ||
			staysWithin(t, program, dir, enough, args) > 0 {
			t.Errorf("%v with a dictionary of 60 MB: %d MiB are said to be enough", args, enough)
		}
	}
}

// A plan ends like a run if the pages of many columns do not fit into memory together, in both
// orders of rows. The budget that it names is enough for both orders, and a plan with this budget
// succeeds.
func TestPlanRefusesWideTables(t *testing.T) {
	program := built(t)
	for _, order := range []string{"input", "released"} {
		shape := residentShape{
			write: oneParquet(5_000, 1<<40,
				manyNumbers(900, 4096, numbers("age", 74), words("sex", 2))...),
			job: "order: " + order + "\n" +
				shapeJob(5, manyMasks(900, accepted, "age discretize", "sex suppress")...),
		}
		t.Run(order, func(t *testing.T) {
			dir := t.TempDir()
			if err := shape.prepare(dir); err != nil {
				t.Fatal(err)
			}
			commands, named := [][]string{{"run", "JOB"}, {"plan", "JOB"}}, make(map[int64]bool)
			for _, args := range commands {
				enough := staysWithin(t, program, dir, 20, args)
				if enough == 0 {
					t.Fatalf("%v ends well with 20 MiB", args)
				}
				named[enough] = true
			}
			for enough := range named {
				for _, args := range commands {
					if staysWithin(t, program, dir, enough, args) > 0 {
						t.Errorf("%d MiB are said to be enough, and %v lacks more", enough, args)
					}
				}
			}
		})
	}
}

// manyNumbers appends n columns of numbers below a domain to the first columns. Domain 0 makes all
// numbers different.
func manyNumbers(n, domain int, first ...bigColumn) []bigColumn {
	for i := range n {
		first = append(first, bigColumn{name: fmt.Sprint("c", i), typ: bigInt, domain: domain})
	}
	return first
}

// If a record of CSV is too large for a budget, the named budget is enough for a whole run, in both
// orders of rows.
func TestLargeCellsNameEnough(t *testing.T) {
	program := built(t)
	for _, order := range []string{"input", "released"} {
		dir := t.TempDir()
		shape := residentShape{
			write: oneCSV("age,sex,note,class", 12, func(w *bufio.Writer, i int) {
				fmt.Fprintf(w, "%d,%d,%s,%d", i%2, i%2, large(uint64(i), 5<<20), i%2)
			}),
			job: "order: " + order + "\n" +
				shapeJob(2, "age discretize", "sex suppress", "note "+accepted, "class "+accepted),
		}
		if err := shape.prepare(dir); err != nil {
			t.Fatal(err)
		}
		for _, budget := range []int64{16, 24, 40} {
			enough := staysWithin(t, program, dir, budget, []string{"run", "JOB"})
			if budget == 16 && enough == 0 ||
				enough > 0 && staysWithin(t, program, dir, enough, []string{"run", "JOB"}) > 0 {
				t.Errorf("order %s, %d MiB: %d are said to be enough", order, budget, enough)
			}
		}
	}
}

// Memory holds no more of a large dictionary than its page and its entries at a time, with a budget
// for just these.
func TestPackedDictionaryIsGivenUp(t *testing.T) {
	program, dir := built(t), t.TempDir()
	shape := residentShape{
		write: oneParquet(300, 1<<40, numbers("age", 74), words("sex", 2),
			texts("note", 60, 3<<20, true)),
		job: shapeJob(5, "age discretize", "sex suppress", "note "+accepted, "class "+accepted),
	}
	if err := shape.prepare(dir); err != nil {
		t.Fatal(err)
	}
	enough := staysWithin(t, program, dir, 380, []string{"plan", "JOB", "--sample"})
	if enough > 0 {
		t.Errorf("%d MiB are said to be enough for a dictionary of 180 MiB", enough)
	}
}

// shapeJob returns the set and the columns of a job: names with their masks, those of the set
// first.
func shapeJob(k int, masks ...string) string {
	var set, columns []string
	for _, m := range masks {
		name, mask, _ := strings.Cut(m, " ")
		columns = append(columns, "  "+name+": "+mask+"\n")
		if !strings.HasPrefix(mask, "keep") && !strings.HasPrefix(mask, "drop") &&
			!strings.HasPrefix(mask, "{keep") && !strings.HasPrefix(mask, "pseudonym") {
			set = append(set, name)
		}
	}
	return fmt.Sprintf("quasi_identifiers:\n  - {columns: [%s], k: %d}\ncolumns:\n%s",
		strings.Join(set, ", "), k, strings.Join(columns, ""))
}

const (
	accepted = "{keep: {identifying: accepted}}"
	prefixes = "{mask: generalize, taxonomy: {prefix: [3, 1]}}"
)

// large returns a text of the given number of bytes that compression does not shrink.
func large(number uint64, bytes int) string {
	rng, text := rand.New(rand.NewPCG(number, 1)), make([]byte, bytes)
	for i := 0; i < len(text); i += 8 {
		x := rng.Uint64()
		for j := range min(8, len(text)-i) {
			text[i+j] = 'a' + byte(x>>(8*j))&15
		}
	}
	return string(text)
}

// writeCSV writes a file of the given number of rows. The cells must not need quotes.
func writeCSV(path, header string, rows int, row func(w *bufio.Writer, i int)) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(file, 1<<20)
	fmt.Fprintln(w, header)
	for i := range rows {
		row(w, i)
		_ = w.WriteByte('\n')
	}
	return errors.Join(w.Flush(), file.Close())
}

// oneCSV returns a function that writes one CSV file to a folder.
func oneCSV(header string, rows int, row func(w *bufio.Writer, i int)) func(dir string) error {
	return func(dir string) error {
		return writeCSV(filepath.Join(dir, "a.csv"), header, rows, row)
	}
}

// oneParquet returns a function that writes a big table to a folder.
func oneParquet(rows, rowGroup int64, columns ...bigColumn) func(dir string) error {
	return func(dir string) error {
		b := bigTable{rows: rows, rowGroup: rowGroup, columns: columns}
		return b.write(filepath.Join(dir, "a.parquet"))
	}
}

// oneArrow returns a function that writes an Arrow file to a folder, in record batches of batch
// rows.
func oneArrow(batch, rows int, columns ...bigColumn) func(dir string) error {
	return func(dir string) error {
		b := bigTable{columns: columns}
		filled, table := b.newBatch(), &formatstest.ArrowTable{}
		filled.fill(0, rows)
		for i, c := range b.output() {
			table.Fields, table.Columns = append(table.Fields, c.Field),
				append(table.Columns, &filled.columns[i])
		}
		return table.WriteIPC(filepath.Join(dir, "a.arrow"), 0, rows,
			formatstest.ArrowLayout{GroupRows: batch})
	}
}

// texts returns a column of texts, with the given numbers of texts and of bytes, in dictionaries if
// listed is true.
func texts(name string, domain, bytes int, listed bool) bigColumn {
	return bigColumn{name: name, typ: bigText, domain: domain, listed: listed,
		text: func(v uint64) string {
			return large(v, bytes)
		}}
}

// manyColumns returns the given columns and more columns of numbers.
func manyColumns(n int, first ...bigColumn) []bigColumn {
	for i := range n {
		first = append(first, numbers(fmt.Sprint("c", i), 10+i%100))
	}
	return first
}

func manyMasks(n int, mask string, first ...string) []string {
	for i := range n {
		first = append(first, fmt.Sprintf("c%d %s", i, mask))
	}
	return append(first, "class "+accepted)
}

func residentShapes() []residentShape {
	check := []string{"check", "IN", "--columns", "age,sex"}
	verify, apply := []string{"verify", "OUT"},
		[]string{"apply", "JOB", "--cut", "OUT", "--output", "AGAIN"}
	draft, evaluate := []string{"init", "IN"}, []string{"evaluate", "JOB", "--folds", "2"}
	all := [][]string{check, verify, apply, draft}
	age, sex := numbers("age", 74), words("sex", 2)
	usual := []string{"age discretize", "sex suppress"}
	with := func(more ...string) []string { return append(slices.Clone(usual), more...) }
	var shapes []residentShape
	add := func(name string, write func(dir string) error, job string, runs ...[]string) {
		shapes = append(shapes, residentShape{name, write, job, runs})
	}
	for _, order := range []string{"input", "released"} {
		ordered := "order: " + order + "\n"
		for _, size := range []int{1 << 20, 2 << 20} {
			add(fmt.Sprintf("dictionary of %d MB, order %s", size*107>>20, order),
				oneParquet(2<<20, 1<<40, age, sex, texts("note", size, 103, true)),
				ordered+shapeJob(50, with("note "+accepted, "class "+accepted)...))
		}
		add("dictionary of 60 texts of 2 MB, order "+order,
			oneParquet(300, 1<<40, age, sex, texts("note", 60, 2<<20, true)),
			ordered+shapeJob(5, with("note "+accepted, "class "+accepted)...), all...)
		add("4000 kept columns, order "+order,
			oneParquet(20_000, 1<<40, manyColumns(4000, age, sex)...), ordered+
				shapeJob(5, manyMasks(4000, accepted, usual...)...), verify, draft)
		add("2000 kept columns, order "+order,
			oneParquet(100_000, 1<<40, manyColumns(2000, age, sex)...), ordered+
				shapeJob(5, manyMasks(2000, accepted, usual...)...), verify)
		add("300 kept columns of different numbers, order "+order,
			oneParquet(20_000, 1<<40, manyNumbers(300, 0, age, sex)...), ordered+
				shapeJob(5, manyMasks(300, accepted, usual...)...), verify)
		add("kept texts of 10 MB, order "+order,
			oneParquet(60, 4, age, sex, texts("note", 0, 10_000_000, false)), ordered+
				shapeJob(5, with("note "+accepted, "class "+accepted)...), all...)
		add("kept lists, order "+order, lists(20_000, 5_000, 500),
			ordered+shapeJob(5, with("tags "+accepted, "class "+accepted)...), all...)
		add("kept lists of 2 MB, order "+order, lists(100, 50, 100_000),
			ordered+shapeJob(5, with("tags "+accepted, "class "+accepted)...), all...)
		add("cells of 5 MB, order "+order,
			oneCSV("age,sex,note,class", 60, func(w *bufio.Writer, i int) {
				fmt.Fprintf(w, "%d,%d,%s,%d", i%20, i%2, large(uint64(i), 5<<20), i%2)
			}), ordered+shapeJob(5, with("note "+accepted, "class "+accepted)...), verify, draft)
		add("million of row groups' values, order "+order,
			oneParquet(400_000, 200, manyColumns(60, age, sex)...), ordered+
				shapeJob(5, manyMasks(60, accepted, usual...)...), all...)
	}
	for _, mask := range []string{"suppress", prefixes} {
		name := strings.Fields(mask)[len(strings.Fields(mask))/3]
		add("60 texts of 10 MB, "+name,
			oneParquet(60, 1<<40, age, texts("note", 0, 10_000_000, false)),
			shapeJob(5, "age discretize", "note "+mask, "class "+accepted), verify)
		add("60 listed texts of 10 MB, "+name,
			oneParquet(600, 1<<40, age, texts("note", 60, 10_000_000, true)),
			shapeJob(5, "age discretize", "note "+mask, "class "+accepted))
		add("60 texts of 10 MB in CSV, "+name,
			oneCSV("age,note,class", 60, func(w *bufio.Writer, i int) {
				fmt.Fprintf(w, "%d,%s,%d", i%20, large(uint64(i), 10_000_000), i%2)
			}), shapeJob(5, "age discretize", "note "+mask, "class "+accepted))
		add("20000 texts of 10 KB, "+name,
			oneParquet(20_000, 5000, age, texts("note", 0, 10_000, false)),
			shapeJob(5, "age discretize", "note "+mask, "class "+accepted), verify)
		add("near-unique codes, "+name,
			oneParquet(2_000_000, 1<<18, age, bigColumn{name: "code", typ: bigText, text: account}),
			shapeJob(20, "age discretize", "code "+mask, "class "+accepted), verify)
	}
	add("near-unique numbers",
		oneParquet(2_000_000, 1<<18, age, bigColumn{name: "n", typ: bigInt},
			bigColumn{name: "f", typ: bigFloat}),
		shapeJob(20, "age discretize", "n discretize", "f discretize", "class "+accepted), verify,
		[]string{"check", "IN", "--columns", "n,f"})
	add("1000 masked columns", oneParquet(20_000, 1<<40, manyColumns(1000)...),
		shapeJob(5, manyMasks(1000, "discretize")...), verify, draft)
	add("3000 files", func(dir string) error {
		for i := range 3000 {
			err := writeCSV(filepath.Join(dir, fmt.Sprintf("%d.csv", i)), "age,sex,note,class", 100,
				func(w *bufio.Writer, j int) {
					fmt.Fprintf(w, "%d,%d,n%d,%d", i%70, j%2, i*100+j, i%2)
				})
			if err != nil {
				return err
			}
		}
		return nil
	}, shapeJob(5, with("note "+accepted, "class "+accepted)...), all...)
	add("entities", oneParquet(1_000_000, 1<<18, age, sex, numbers("person", 300_000)),
		"entity: person\n"+shapeJob(20, with("person drop", "class "+accepted)...), verify)
	add("sensitive values", oneParquet(1_000_000, 1<<18, age, sex, words("disease", 1000)),
		"sensitive: [{column: disease, l: 3}]\n"+
			shapeJob(20, with("disease "+accepted, "class "+accepted)...), verify)
	add("300 sets", oneParquet(20_000, 1<<40, manyColumns(300)...), manySets(300, 3), verify)
	add("classifiers", oneParquet(200_000, 1<<18, manyColumns(12, age, sex)...),
		"class: class\n"+shapeJob(20, manyMasks(12, "discretize", usual...)...), evaluate)
	add("texts that are discretized",
		oneCSV("age,at,class", 1_000_000, func(w *bufio.Writer, i int) {
			fmt.Fprintf(w, "%d,%s,%d", i%70, moment(mix(uint64(i))), i%2)
		}), shapeJob(20, "age discretize", "at discretize", "class "+accepted), verify)
	for rows, name := range map[int]string{4_000: "record batches of Arrow",
		100_000: "a record batch of Arrow"} {
		add(name, oneArrow(rows, 100_000, age, sex, texts("note", 500, 1000, false)),
			shapeJob(20, with("note "+accepted, "class "+accepted)...), all...)
	}
	return shapes
}

// manySets returns a job with n sets of the given number of columns.
func manySets(n, columns int) string {
	job := &strings.Builder{}
	job.WriteString("quasi_identifiers:\n")
	for i := range n {
		var set []string
		for j := range columns {
			set = append(set, fmt.Sprint("c", (i+j*j)%n))
		}
		fmt.Fprintf(job, "  - {columns: [%s], k: 5}\n", strings.Join(set, ", "))
	}
	job.WriteString("max_unique: 100%\ncolumns:\n")
	for _, mask := range manyMasks(n, "discretize") {
		name, mask, _ := strings.Cut(mask, " ")
		fmt.Fprintf(job, "  %s: %s\n", name, mask)
	}
	return job.String()
}

// lists returns a function that writes rows with lists of texts, in row groups of the given size.
func lists(rows, group, length int) func(dir string) error {
	return func(dir string) error {
		return formatstest.WriteLists(filepath.Join(dir, "a.parquet"), rows, group, length)
	}
}
