package writer

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	declared "github.com/kcut/kcut/formats/internal/schema"
)

// visitRow is a row of one nested column with all kinds of nested types.
type visitRow struct {
	Visit struct {
		Codes []string
		Notes *string
		Fixed [4]byte
		Steps []struct {
			Done  bool
			Marks []int32
			Score float64
		}
	}
}

func randomVisit(r *rand.Rand) (v visitRow) {
	for range r.IntN(4) {
		v.Visit.Codes = append(v.Visit.Codes, fmt.Sprint("code ", r.IntN(9)))
	}
	if r.IntN(3) > 0 {
		note := fmt.Sprint("note ", r.IntN(9))
		v.Visit.Notes = &note
	}
	v.Visit.Fixed[r.IntN(4)] = byte(r.IntN(256))
	for range r.IntN(3) {
		step := struct {
			Done  bool
			Marks []int32
			Score float64
		}{Done: r.IntN(2) == 0, Score: r.Float64()}
		for range r.IntN(4) {
			step.Marks = append(step.Marks, int32(r.IntN(100)))
		}
		v.Visit.Steps = append(v.Visit.Steps, step)
	}
	return v
}

// leavesOfRows returns rows as the leaves of a batch's column.
func leavesOfRows(schema *pq.Schema, rows []visitRow, highest []declared.Leaf) []formats.Leaf {
	leaves := make([]formats.Leaf, len(highest))
	for i := range leaves {
		leaves[i].Values = &formats.Values{Type: formats.Type{Kind: formats.Binary}}
	}
	for _, row := range rows {
		for _, v := range schema.Deconstruct(nil, row) {
			l, h := &leaves[v.Column()], highest[v.Column()]
			l.Entries++
			if h.Repetition > 0 {
				l.Repetition = append(l.Repetition, byte(v.RepetitionLevel()))
			}
			if h.Definition > 0 {
				l.Definition = append(l.Definition, byte(v.DefinitionLevel()))
			}
			if v.DefinitionLevel() == h.Definition {
				l.Values.AppendBytes(v.Bytes())
			}
		}
	}
	return leaves
}

func TestWriteNested(t *testing.T) {
	const seed = 31
	r := rand.New(rand.NewPCG(seed, 0))
	schema := pq.SchemaOf(visitRow{})
	for _, n := range []int{1, 2, 9, 1000, 40_000} {
		rows := make([]visitRow, n)
		for i := range rows {
			rows[i] = randomVisit(r)
		}
		var out bytes.Buffer
		must(t, pq.Write(&out, rows))
		source := out.Bytes()
		f, err := pq.OpenFile(bytes.NewReader(source), int64(len(source)))
		must(t, err)
		field := formats.Field{
			Name:     "Visit",
			Type:     formats.Type{Kind: formats.Nested},
			Declared: declared.Elements(f.Metadata().Schema[1:]),
		}
		b := writeNested(t, r, schema, field, rows)
		formatstest.Keep(t, fmt.Sprintf("nested-%d", n), b)
		if got := readNested(t, b); !reflect.DeepEqual(got, rows) {
			t.Errorf("seed %d, %d rows: parquet-go reads something else", seed, n)
		}
		_, got := leavesOf(t, b)
		_, want := leavesOf(t, source)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d, %d rows: arrow reads something else", seed, n)
		}
	}
}

// writeNested writes rows in batches, each appended in two spans.
func writeNested(t *testing.T, r *rand.Rand, schema *pq.Schema, field formats.Field,
	rows []visitRow) []byte {
	t.Helper()
	columns := []Column{{Field: field}}
	g := newGroup(t, Options{}, columns...)
	for len(rows) > 0 {
		n := 1 + r.IntN(len(rows))
		leaves, err := declared.Of(field).Leaves()
		must(t, err)
		c := &formats.Column{Leaves: leavesOfRows(schema, rows[:n], leaves)}
		middle := r.IntN(n + 1)
		for _, span := range [][2]int{{0, middle}, {middle, n}} {
			must(t, g.Append(0, c, span[0], span[1]))
		}
		rows = rows[n:]
	}
	return writeFile(t, columns, nil, g)
}

func readNested(t *testing.T, b []byte) []visitRow {
	t.Helper()
	rows, err := pq.Read[visitRow](bytes.NewReader(b), int64(len(b)))
	must(t, err)
	for i := range rows {
		emptyToNil(&rows[i])
	}
	return rows
}

// emptyToNil makes empty lists nil: Parquet cannot distinguish them if the list is not nullable.
func emptyToNil(v *visitRow) {
	if len(v.Visit.Codes) == 0 {
		v.Visit.Codes = nil
	}
	if len(v.Visit.Steps) == 0 {
		v.Visit.Steps = nil
	}
	for i := range v.Visit.Steps {
		if len(v.Visit.Steps[i].Marks) == 0 {
			v.Visit.Steps[i].Marks = nil
		}
	}
}
