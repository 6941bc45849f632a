package risk

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/spill"
)

// What parts of a table were counted to have, on its way through bytes and in any order, is what the whole has, and nothing stays drawn.
func TestCountsOfParts(t *testing.T) {
	told := 0
	enginetest.Cases(t, 40, func(rng *rand.Rand) {
		header, rows := randomTable(rng)
		columns := []int{0, 1, 2, 3, 4}
		r := &Request{Raw: true, Kept: []int{0, 1, 2}, Masked: []int{3, 4}, Sets: [][]int{{3, 4}}, Guards: []Guard{{Columns: []int{0, 1}}, {Columns: []int{1}, Few: true}}, K: 3}
		if rng.IntN(2) == 0 {
			r.Entity = []int{2}
		}
		budget := spill.NewBudget(64 << 20)
		of := func(rows [][]string) *Counts {
			c, err := Count(t.Context(), openTable(t, header, rows), r, columns, 1+rng.IntN(3), budget, func(int64) {})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		parts := make([][][]string, 1+rng.IntN(4))
		for _, row := range rows {
			at := rng.IntN(len(parts))
			parts[at] = append(parts[at], row)
		}
		sum := NewCounts(r, int64(len(rows)), 1, budget)
		for _, at := range rng.Perm(len(parts)) {
			part := of(parts[at])
			encoded, err := part.Encode()
			if err != nil {
				t.Fatal(err)
			}
			part.Close()
			if err := sum.Merge(encoded); err != nil {
				t.Fatal(err)
			}
			encoded[rng.IntN(len(encoded))] ^= 0x10
			if err := sum.Merge(encoded); !errors.Is(err, formats.ErrDamaged) {
				t.Errorf("merged damaged bytes: %v", err)
			}
		}
		whole := of(rows)
		if got, want := sum.Raw(3), whole.Raw(3); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v of %d parts, want %+v", got, len(parts), want)
		}
		for g := range r.Guards {
			if got, want := sum.Guard(g), whole.Guard(g); !reflect.DeepEqual(got, want) {
				t.Errorf("guard %d: %+v of %d parts, want %+v", g, got, len(parts), want)
			}
		}
		got, known := sum.Determines()
		want, _ := whole.Determines()
		if !known || !reflect.DeepEqual(got, want) {
			t.Errorf("%d parts tell %v, want %v", len(parts), got, want)
		}
		told += len(want)
		a, errA := sum.Encode()
		b, errB := whole.Encode()
		if err := errors.Join(errA, errB); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%d bytes of the sum, %d of the whole: %v", len(a), len(b), err)
		}
		sum.Close()
		whole.Close()
		if n := budget.Used(); n != 0 {
			t.Errorf("%d bytes stay drawn", n)
		}
	})
	if told == 0 {
		t.Error("no column told another")
	}
}

// Tallies that were full stand for the same classes whoever counted which rows.
func TestTalliesOfParts(t *testing.T) {
	const rows = 600_000
	rng := rand.New(rand.NewPCG(1, 2))
	budget := spill.NewBudget(64 << 20)
	whole := NewPartSum(mostHashes, rows, budget)
	parts := []*Sum{NewPartSum(mostHashes, rows, budget), NewPartSum(mostHashes, rows, budget)}
	hashes := make([]uint64, rows)
	for i := range hashes {
		hashes[i] = Scatter(rng.Uint64N(rows))
	}
	counted := func(s *Sum, hashes []uint64) *Sum {
		if err := s.count(rng, 2, budget, hashes); err != nil {
			t.Fatal(err)
		}
		return s
	}
	counted(whole, hashes)
	var sum *Tallies
	for i, part := range parts {
		counted(part, hashes[i*rows/2:(i+1)*rows/2])
		encoded, err := (&Tallies{Others: []*Sum{part}, Rows: rows}).Encode()
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := DecodeTallies(encoded)
		if err != nil || decoded.Rows != rows || len(decoded.Others) != 1 {
			t.Fatalf("decoded %+v: %v", decoded, err)
		}
		if sum == nil {
			sum = decoded
		} else if !sum.Merge(decoded) {
			t.Fatal("not merged")
		}
	}
	got, want := sum.Others[0].Figures(rows, 4), whole.Figures(rows, 4)
	if !reflect.DeepEqual(got, want) || want.Part == 0 {
		t.Errorf("%+v, want %+v", got, want)
	}
	if _, err := DecodeTallies([]byte("something else")); !errors.Is(err, formats.ErrDamaged) {
		t.Errorf("decoded something else: %v", err)
	}
}
