package pipeline

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// numberTable has one column x of a type, which repeats the given texts, and a class that depends
// on their order.
func numberTable(of formats.Type, texts []string, times int) *testTable {
	table := &testTable{fields: []formats.Field{
		{Name: "x", Type: of, Nullable: true},
		{Name: "class", Type: textType},
	}}
	for i, text := range texts {
		for range times {
			table.rows = append(table.rows, []string{text, string(rune('a' + i*6/len(texts)))})
		}
	}
	return table
}

// numberJob discretizes x with further options.
func numberJob(options string) string {
	return fmt.Sprintf(`
input: in
output: out.parquet
class: class
quasi_identifiers: [{columns: [x], k: 3}]
columns:
  x: {mask: discretize%s}
  class: keep
`, options)
}

// orderedTypes are types that can be discretized, with values of each.
var orderedTypes = []struct {
	name string
	of   formats.Type
	text func(i int) string
}{
	{"int8", formats.Type{Kind: formats.Int, Bits: 8}, func(i int) string {
		return strconv.Itoa(i*3 - 20)
	}},
	{"int64", wholeType, func(i int) string { return strconv.Itoa(i*1234567891234567 - 1e16) }},
	{"uint64", formats.Type{Kind: formats.Uint, Bits: 64}, func(i int) string {
		return strconv.FormatUint(math.MaxUint64-uint64(100-i), 10)
	}},
	{"half", formats.Type{Kind: formats.Float, Bits: 16}, func(i int) string {
		return fmt.Sprint(i*8 - 40)
	}},
	{"float", formats.Type{Kind: formats.Float, Bits: 32}, func(i int) string {
		return fmt.Sprintf("%d.1", i-5)
	}},
	{"double", floatType, func(i int) string { return fmt.Sprintf("%d.7e-9", i+1) }},
	{"decimal", formats.Type{Kind: formats.Decimal, Precision: 9, Scale: 2}, func(i int) string {
		return fmt.Sprintf("%d.05", i)
	}},
	{"long decimal", formats.Type{Kind: formats.Decimal, Precision: 18, Scale: 3},
		func(i int) string { return fmt.Sprintf("%d00000000000.001", i+7) }},
	{"wide decimal", formats.Type{Kind: formats.Decimal, Precision: 38, Scale: 5, Wide: true},
		func(i int) string { return fmt.Sprintf("%d000000000000000000000.00001", i+7) }},
	{"date", formats.Type{Kind: formats.Date}, func(i int) string {
		return fmt.Sprintf("%d-03-05", 1960+i*37)
	}},
	{"old date", formats.Type{Kind: formats.Date}, func(i int) string {
		return fmt.Sprintf("%04d-02-28", 1+i*900)
	}},
	{"time", formats.Type{Kind: formats.Time, Unit: formats.Milli}, func(i int) string {
		return fmt.Sprintf("%02d:30:00.25", i)
	}},
	{"timestamp", formats.Type{Kind: formats.Timestamp, Unit: formats.Micro, Zone: "UTC"},
		func(i int) string { return fmt.Sprintf("2024-03-%02dT12:00:00.5Z", i+1) }},
	{"time of nanoseconds", formats.Type{Kind: formats.Time, Unit: formats.Nano},
		func(i int) string { return fmt.Sprintf("%02d:30:00.25", i) }},
	{"nanoseconds", formats.Type{Kind: formats.Timestamp, Unit: formats.Nano}, func(i int) string {
		return fmt.Sprintf("2024-03-01T12:00:00.0000001%02d", i*8+1)
	}},
	{"local timestamp", formats.Type{Kind: formats.Timestamp, Unit: formats.Nano},
		func(i int) string { return fmt.Sprintf("2024-03-%02dT12:00:00", i+1) }},
}

// Every ordered type, in every rendering, open and with bounds, is true, verified and of the
// right type.
func TestRender(t *testing.T) {
	for _, tt := range orderedTypes {
		for _, render := range []string{job.RenderLabel, job.RenderBounds, job.RenderInterval} {
			for _, declared := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s %s %v", tt.name, render, declared), func(t *testing.T) {
					var texts []string
					for i := range 12 {
						texts = append(texts, tt.text(i))
					}
					bounds := ""
					if declared {
						bounds = fmt.Sprintf(", bounds: [%q, %q]", tt.text(0), tt.text(11))
					}
					renderOne(t, numberTable(tt.of, append(texts, null), 4), tt.of, render, bounds)
				})
			}
		}
	}
}

func renderOne(t *testing.T, table *testTable, of formats.Type, render, bounds string) {
	t.Helper()
	dir := table.folder(t, numberJob(", render: "+render+bounds), 20)
	a := mustRelease(t, dir, 3)
	want := textType
	if render == job.RenderBounds {
		want = typeOfEnds(of, &a.cut.Columns[0])
	}
	for _, field := range a.release.fields[:len(a.release.fields)-1] {
		if render == job.RenderInterval { // see checkColumns
			break
		}
		if field.Type != want || !field.Nullable {
			t.Errorf("column %s is %s", field.Name, field.Type)
		}
	}
}

// INT96 timestamps are released as INT64, in microseconds if these hold the ends.
func TestRenderOldTimestamps(t *testing.T) {
	var nanos []uint64
	var classes []string
	for i := range 60 {
		nanos, classes = append(nanos, uint64(i/5)*3_600_000_000_000),
			append(classes, string(rune('a'+i/10)))
	}
	moments := formats.Type{Kind: formats.Timestamp, Unit: formats.Micro}
	for _, render := range []string{job.RenderBounds, job.RenderInterval} {
		dir := jobFolder(t, numberJob(", render: "+render))
		if err := formatstest.WriteOldMoments(filepath.Join(dir, "in", "a.parquet"),
			nanos, classes); err != nil {
			t.Fatal(err)
		}
		a := mustRelease(t, dir, 3)
		if steps := len(a.cut.Columns[0].Cut); steps < 2 {
			t.Errorf("%s: %d intervals", render, steps)
		}
		for _, field := range a.release.fields[:len(a.release.fields)-1] {
			if render == job.RenderBounds && field.Type != moments {
				t.Errorf("column %s is %s", field.Name, field.Type)
			}
		}
	}
}

// hasNanoseconds reports whether a label has an end with digits behind microseconds.
func hasNanoseconds(c *cutfile.Column) bool {
	return slices.ContainsFunc(c.Cut, func(l cutfile.Label) bool {
		i, _ := parseInterval(l.Label)
		return len(behindPoint.FindString(i.lower)) > 7 || len(behindPoint.FindString(i.upper)) > 7
	})
}

var behindPoint = regexp.MustCompile(`\.[0-9]+`)

// Infinite and huge values have intervals, -0 equals 0, and a NaN is in no interval.
func TestFloatCorners(t *testing.T) {
	double := floatType
	texts := []string{
		"-Infinity", "-1.7e308", "-1e-320", "-0", "0", "1e-320", "0.1", "1e21", "1.7e308",
		"Infinity", "NaN", "NaN:7ff8000000000001", null,
	}
	for _, options := range []string{"", ", render: bounds", ", render: interval",
		", bounds: [-Infinity, Infinity]", ", render: interval, bounds: [-Infinity, Infinity]",
		", bounds: [-1.8e308, null]"} {
		t.Run(options, func(t *testing.T) {
			table := numberTable(double, texts, 4)
			for row := range table.rows { // only the order of -0 and 0 would tell these apart
				if table.rows[row][0] == "0" || table.rows[row][0] == "-0" {
					table.set(row, "class", string(rune('x'+row%2)))
				}
			}
			dir := table.folder(t, numberJob(options), 7)
			report, err := runJob(t, dir, nil)
			if strings.Contains(options, "1.8e308") {
				mustFail(t, err, fault.Usage) // a bound that is no float
				return
			}
			if err != nil || report.Steps < 4 {
				t.Fatalf("got %+v, %v", report, err)
			}
			if len(report.Nulls) != 1 || report.Nulls[0].Rows != 12 {
				t.Errorf("nulls %+v", report.Nulls)
			}
			a := auditFolder(t, dir)
			for _, label := range a.cut.Columns[0].Cut {
				if strings.Contains(label.Label, "-0,") || strings.Contains(label.Label, "NaN") {
					t.Errorf("label %s", label.Label)
				}
			}
		})
	}
}

// Columns of nulls only, even without a type, are released in every form.
func TestNullColumn(t *testing.T) {
	for _, options := range []string{"", ", render: bounds", ", render: interval",
		", bounds: [1, 9]", ", bounds: [1, 9], render: interval",
		", bounds: [1, 9], render: bounds"} {
		for name, of := range map[string]formats.Type{
			"integer": {Kind: formats.Int, Bits: 32}, "none": {Kind: formats.Null},
		} {
			t.Run(name+options, func(t *testing.T) {
				dir := numberTable(of, []string{null, null, null},
					4).folder(t, numberJob(options), 5)
				if report := mustRun(t, dir, nil); report.Sets[0].Anonymity != 12 {
					t.Errorf("got %+v", report)
				}
			})
		}
	}
}
