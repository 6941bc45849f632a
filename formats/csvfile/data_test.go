package csvfile

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/seedtest"
)

// randomText returns a text that needs quotes more often than not.
func randomText(r *rand.Rand) string {
	alphabet := []string{"a", "b", "\"", ",", "\n", "\r\n", ";", " ", "é", "漢", "1", "."}
	var b strings.Builder
	for range r.IntN(8) {
		b.WriteString(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

// writeRandom writes a field, quoted when necessary and sometimes otherwise. Some quoted ones have
// blanks around them in the second text.
func writeRandom(b, blanks *strings.Builder, r *rand.Rand, text string) {
	if r.IntN(3) > 0 && !strings.ContainsAny(text, "\",\n\r") {
		b.WriteString(text)
		blanks.WriteString(text)
		return
	}
	quoted := `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	some := func() string {
		return strings.Repeat([]string{" ", "\t", " \t"}[r.IntN(3)], r.IntN(3))
	}
	b.WriteString(quoted)
	blanks.WriteString(some() + quoted + some())
}

// TestAgreesWithStandardLibrary compares the scanner with encoding/csv on random well-formed texts,
// with a buffer that has to grow every few records. Blanks around quoted fields change nothing.
func TestAgreesWithStandardLibrary(t *testing.T) {
	seed := seedtest.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 3000 {
		columns := 1 + r.IntN(4)
		var b, blanks strings.Builder
		for range r.IntN(20) {
			for c := range columns {
				if c > 0 {
					b.WriteByte(',')
					blanks.WriteByte(',')
				}
				writeRandom(&b, &blanks, r, randomText(r))
			}
			end := []string{"\n", "\r\n", "\n\n", "\r\n\n"}[r.IntN(4)]
			b.WriteString(end)
			blanks.WriteString(end)
		}
		cut := "\r\n"[2*r.IntN(2):]
		want, err := csv.NewReader(strings.NewReader(strings.TrimRight(b.String(), cut))).ReadAll()
		for _, text := range []string{b.String(), blanks.String()} {
			text = strings.TrimRight(text, cut)
			got, gotErr := scanAll(text, columns, 1+r.IntN(64))
			if err != nil || gotErr != nil ||
				!reflect.DeepEqual(got, want) && len(want)+len(got) > 0 {
				t.Fatalf("seed %d: %q: got %q (%v), want %q (%v)", seed, text, got, gotErr, want,
					err)
			}
		}
	}
}

// scanAll returns all records, with line ends inside fields in the form of encoding/csv.
func scanAll(text string, columns, buffer int) (records [][]string, err error) {
	s := newScanner(io.NopCloser(strings.NewReader(text)), dialect{delim: ',', quote: '"'}, 1,
		columns, nil)
	s.skip, s.buf = true, make([]byte, buffer)
	for {
		fields, err := s.record()
		if err == io.EOF {
			return records, nil
		}
		if err != nil {
			return records, err
		}
		var record []string
		for _, f := range fields {
			record = append(record, strings.ReplaceAll(string(f.text), "\r\n", "\n"))
		}
		records = append(records, record)
	}
}

func TestRealData(t *testing.T) {
	tests := []struct {
		file string
		rows int64
		ints string // columns of type Int; the others are String
	}{
		{"adult/adult.csv", 45222, "age fnlwgt education-num capital-gain capital-loss " +
			"hours-per-week"},
		{"uci/german.csv", 1000, "duration-months credit-amount installment-rate residence-since " +
			"age existing-credits dependents"},
		{"uci/nursery.csv", 12960, ""},
		{"uci/mushroom.csv", 8124, ""},
		{"uci/cmc.csv", 1473, "wife-age wife-education husband-education children " +
			"husband-occupation living-standard"},
		{"uci/car.csv", 1728, ""},
		{"uci/tictactoe.csv", 958, ""},
		{"uci/vote.csv", 435, ""},
		{"uci/breast_cancer_wisconsin.csv", 699, "id clump-thickness cell-size-uniformity " +
			"cell-shape-uniformity marginal-adhesion epithelial-cell-size bare-nuclei " +
			"bland-chromatin normal-nucleoli mitoses"},
	}
	for _, tt := range tests {
		path := formatstest.SharedData(t, tt.file)
		s, err := Open(context.Background(), path, formats.ReadOptions{})
		if err != nil {
			t.Error(err)
			continue
		}
		defer s.Close()
		var ints []string
		for _, f := range s.Fields() {
			if f.Type == (formats.Type{Kind: formats.Int, Bits: 64}) {
				ints = append(ints, f.Name)
			} else if f.Type.Kind != formats.String {
				t.Errorf("%s: column %s is %v", tt.file, f.Name, f.Type)
			}
		}
		if got := strings.Join(ints, " "); got != tt.ints || formatstest.Rows(s) != tt.rows {
			t.Errorf("%s: %d rows, ints %s", tt.file, formatstest.Rows(s), got)
		}
		compareWithStandardLibrary(t, s, path)
	}
}

func compareWithStandardLibrary(t *testing.T, s formats.Source, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for c, cells := range formatstest.ReadAll(t, s, true) {
		for i, got := range cells {
			want := records[i+1][c]
			if want == "" {
				want = formatstest.NullCell
			}
			if got != want {
				t.Fatalf("%s: row %d, column %d differs", path, i, c)
			}
		}
	}
}

// csvSeeds are small texts of all kinds.
func csvSeeds(t testing.TB) (seeds [][]byte) {
	for _, seed := range []string{
		"", "a\n", "a,b\n1,2\n", "a;b\n\"x\"\"y\";\r\n", "\ufeffa\tb\n1970-01-01\t1.5e3\n",
		"a,b\n\"1\n2\",true\n\n", "a\n\n\"\n",
	} {
		seeds = append(seeds, []byte(seed), packedText(t, []byte(seed), true),
			packedText(t, []byte(seed), false))
	}
	return seeds
}

// readOrRefuse reads a text, coded and plain, in batches of some rows: it is refused, or both have
// the same cells.
func readOrRefuse(t *testing.T, data []byte, batch byte) {
	s, err := tryCSV(t, string(data), formats.ReadOptions{BatchRows: int(batch)})
	if err != nil {
		formatstest.CheckRefused(t, err)
		return
	}
	coded := formatstest.ReadAll(t, s, true)
	if plain := formatstest.ReadAll(t, s, false); !reflect.DeepEqual(coded, plain) {
		t.Errorf("coded %q, plain %q", coded, plain)
	}
	if int64(len(coded[0])) != formatstest.Rows(s) {
		t.Errorf("%d rows, said %d", len(coded[0]), formatstest.Rows(s))
	}
}

// TestSpoiled changes random bytes of sound texts: they are read or refused.
func TestSpoiled(t *testing.T) {
	r := formatstest.Rand(t)
	seeds := append(csvSeeds(t), bigCSV(20), packedText(t, bigCSV(50), true))
	for range 300 {
		data := bytes.Clone(seeds[r.IntN(len(seeds))])
		for range 1 + r.IntN(4) {
			changed := []byte{byte(r.Uint32())}
			if r.IntN(2) == 0 {
				changed = []byte(",;\t\n\r\"'\\\x00.-e0")[r.IntN(13):][:1]
			}
			at := r.IntN(len(data) + 1)
			data = slices.Concat(data[:at], changed, data[min(len(data), at+r.IntN(2)):])
		}
		if readOrRefuse(t, data, byte(r.IntN(9))); t.Failed() {
			t.Fatalf("seed %d: %q", formatstest.Seed, data)
		}
	}
}

func FuzzRead(f *testing.F) {
	for i, seed := range csvSeeds(f) {
		f.Add(seed, []byte{0, 1, 7}[i%3])
	}
	f.Fuzz(readOrRefuse)
}

func BenchmarkRead(b *testing.B) {
	s := mustCSV(b, string(bigCSV(200000)), formats.ReadOptions{})
	parts := s.(*source).parts
	b.SetBytes(parts[len(parts)-1].end)
	for b.Loop() {
		for _, coded := range []bool{true, false} {
			if _, err := formatstest.Drain(s, formatstest.EveryColumn(s, coded)); err != nil {
				b.Fatal(err)
			}
		}
	}
	runtime.KeepAlive(s)
}

// A record that needs a larger buffer is reported, and reported again when its memory is free. When
// it is refused, the error does not blame the file, and has the missing bytes for the whole record.
func TestLargeRecordsAreHeld(t *testing.T) {
	const size = 3 << 20
	held, most := int64(0), int64(0)
	errMuch := errors.New("too much")
	var short *fault.Error
	limit := int64(1 << 40)
	hold := func(bytes int64) error {
		if held+bytes > limit {
			short = &fault.Error{
				Class: fault.Resources,
				Err:   errMuch,
				Lacks: bytes,
				Short: func(int64) string {
					return ""
				}}
			return short
		}
		held += bytes
		most = max(most, held)
		return nil
	}
	s := mustCSV(t, "a\nx\n"+strings.Repeat("y", size)+"\n",
		formats.ReadOptions{Hold: hold, Threads: 1})
	if held != 0 || most < size {
		t.Fatalf("opened: %d bytes held, %d at most", held, most)
	}
	most = 0
	if err := readOnce(s); err != nil || held != 0 || most < size {
		t.Errorf("read: %v, %d bytes held, %d at most", err, held, most)
	}
	all := most
	predicted, err := s.(formats.Weighed).Holds(t.Context(), 0, len(s.Chunks()), nil)
	if want := (formats.Held{Rows: all}); err != nil || predicted != want {
		t.Errorf("%+v is predicted for readers that report %d: %v", predicted, all, err)
	}
	for _, limit = range []int64{0, size, 2 * size} {
		if err := readOnce(s); !errors.Is(err, errMuch) || errors.Is(err, formats.ErrDamaged) ||
			held != 0 {
			t.Errorf("refused: %v, %d bytes held", err, held)
		}
		if missing := short.Lacks; limit+missing < all || missing > 3*all {
			t.Errorf("%d bytes are missing of %d where there are %d", missing, all, limit)
		}
	}
}

// readOnce reads a batch.
func readOnce(s formats.Source) error {
	r, err := s.Read(context.Background(), 0, len(s.Chunks()), []formats.Request{{Column: 0}})
	if err != nil {
		return err
	}
	_, err = r.Next(context.Background())
	return errors.Join(err, r.Close())
}
