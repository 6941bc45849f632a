package boost

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// newRecords draws tuples of a few columns, on which their class depends.
func newRecords(r *rand.Rand) (*Records, Options) {
	n := 1 + r.IntN(60)
	records := &Records{Classes: 1 + r.IntN(4), Codes: make([][]uint32, 1+r.IntN(3))}
	for c := range records.Codes {
		domain := 1 + r.IntN(6)
		if r.IntN(10) == 0 {
			domain = maxBins + 1 + r.IntN(400)
		}
		records.Columns = append(records.Columns, Column{Domain: domain, Ordered: r.IntN(2) == 0})
		for range n {
			records.Codes[c] = append(records.Codes[c], uint32(r.IntN(domain)))
		}
	}
	for row := range n {
		class := r.IntN(records.Classes)
		if r.IntN(2) == 0 {
			class = int(records.Codes[0][row]) % records.Classes
		}
		records.Class = append(records.Class, uint32(class))
		records.Counts = append(records.Counts, uint64(1+r.IntN(9)))
		records.Hash = append(records.Hash, r.Uint64())
	}
	return records, Options{
		Rounds: 1 + r.IntN(6),
		Leaves: 2 + r.IntN(6),
		Least:  uint64(1 + r.IntN(8)),
		Deals:  1 + r.IntN(3),
		Rate:   0.1 + r.Float64()/10,
	}
}

// predicted returns the predictions of models for the records that they were fitted to, by class
// without the last.
func predicted(t *testing.T, r *Records, o Options, threads int) [][]uint32 {
	t.Helper()
	models, err := Fit(t.Context(), r, o, threads)
	if err != nil {
		t.Fatal(err)
	}
	to := make([][]uint32, r.Classes-1)
	for class := range to {
		to[class] = make([]uint32, len(r.Counts))
	}
	models.Probabilities(&Scratch{}, r.Codes, r.Counts, r.Hash, to)
	return to
}

// TestAgreesWithNaiveFit compares the probabilities of every record.
func TestAgreesWithNaiveFit(t *testing.T) {
	apart := 0
	for seed := range uint64(150) {
		r, o := newRecords(rand.New(rand.NewPCG(seed, 1)))
		got, want := predicted(t, r, o, 1+int(seed%3)), naiveProbabilities(r, o)
		for class := range got {
			if !slices.Equal(got[class], want[class]) {
				t.Fatalf("seed %d, class %d: got %d\nwant %d", seed, class, got[class], want[class])
			}
			if len(slices.Compact(slices.Sorted(slices.Values(got[class])))) > 2 {
				apart++
			}
		}
	}
	if apart < 40 {
		t.Errorf("only %d classes have several probabilities", apart)
	}
}

// TestLearnAgreesWithNaiveFit compares what one model of all records says of each with the scores
// of the naive one.
func TestLearnAgreesWithNaiveFit(t *testing.T) {
	for seed := range uint64(100) {
		r, o := newRecords(rand.New(rand.NewPCG(seed, 2)))
		c, err := Learn(t.Context(), r, o)
		if err != nil {
			t.Fatal(err)
		}
		n := newNaive(r, o, leavesNoneOut)
		for range o.Rounds {
			n.round()
		}
		tuple, logs := make([]uint32, len(r.Codes)), make([]float64, r.Classes)
		for row, want := range n.scores {
			for column := range tuple {
				tuple[column] = r.Codes[column][row]
			}
			if c.Logs(tuple, logs); r.Classes > 1 && !slices.Equal(logs, want) {
				t.Fatalf("seed %d, record %d: got %v, want %v", seed, row, logs, want)
			}
		}
	}
}

// leavesNoneOut is the number of a naive fit that sees all records.
const leavesNoneOut = -1

// naiveProbabilities fits single records one fold after the other, and counts all of them for every
// question.
func naiveProbabilities(r *Records, o Options) [][]uint32 {
	sums := make([][]uint64, r.Classes)
	for class := range sums {
		sums[class] = make([]uint64, len(r.Counts))
	}
	for fit := range Folds * o.Deals {
		n := newNaive(r, o, fit)
		for range o.Rounds {
			n.round()
		}
		for row := range r.Counts {
			p := n.probabilities(row)
			for j := range r.Counts[row] {
				if naiveFold(r.Hash[row], j, fit) {
					for class := range sums {
						sums[class][row] += uint64(p[class])
					}
				}
			}
		}
	}
	var told [][]uint32
	for class := range r.Classes - 1 {
		told = append(told, nil)
		for row, n := range r.Counts {
			n := uint64(n) * uint64(o.Deals)
			mean := sums[class][row] / n
			if r.Classes == 2 { // the predictions are rounded for the second class
				mean = one - sums[1][row]/n
			}
			told[class] = append(told[class], uint32(min(mean>>4, 1<<16-1)))
		}
	}
	return told
}

// naiveFold reports whether a fit leaves out a tuple's record with a number: every deal divides the
// rest of the hash by 4,096.
func naiveFold(hash uint64, number uint64, fit int) bool {
	for range fit / Folds {
		hash /= 4096
	}
	return (hash%Folds+uint64(number))%Folds == uint64(fit%Folds)
}

// naive is the state of fitting a model to single records.
type naive struct {
	*Records
	Options
	weights []int64
	bins    [][]int     // by column and code
	scores  [][]float64 // by record and class
}

func newNaive(r *Records, o Options, fit int) *naive {
	n := &naive{Records: r, Options: o}
	for row, count := range r.Counts {
		weight := int64(0)
		for j := range count {
			if !naiveFold(r.Hash[row], j, fit) {
				weight++
			}
		}
		n.weights = append(n.weights, weight)
		n.scores = append(n.scores, make([]float64, r.Classes))
	}
	for c, column := range r.Columns {
		var bins []int
		for code := range column.Domain {
			bin := code
			if column.Domain > 256 {
				below, all := 0, 0
				for row, count := range r.Counts {
					all += int(count)
					if int(r.Codes[c][row]) < code {
						below += int(count)
					}
				}
				bin = min(below, all-1) * 256 / all
			}
			bins = append(bins, bin)
		}
		n.bins = append(n.bins, bins)
	}
	return n
}

func (n *naive) bin(c, row int) int { return n.bins[c][n.Codes[c][row]] }

// probabilities returns the probabilities of the classes of a record, in units of 1/one.
func (n *naive) probabilities(row int) []int64 {
	p := make([]int64, n.Classes)
	if n.Classes == 2 {
		s := n.scores[row][1]
		e := exp(-math.Abs(s))
		if s > 0 {
			p[1] = int64(1 / (1 + e) * (1 << 20))
		} else {
			p[1] = int64(e / (1 + e) * (1 << 20))
		}
		p[0] = 1<<20 - p[1]
		return p
	}
	sum, largest := 0.0, slices.Max(n.scores[row])
	for _, s := range n.scores[row] {
		sum += exp(s - largest)
	}
	for class, s := range n.scores[row] {
		p[class] = int64(exp(s-largest) / sum * (1 << 20))
	}
	return p
}

func (n *naive) round() {
	var told [][]int64
	for row := range n.Counts {
		told = append(told, n.probabilities(row))
	}
	for class := range n.Classes {
		if n.Classes == 2 && class == 0 {
			continue
		}
		all := make([]int, len(n.Counts))
		for row := range all {
			all[row] = row
		}
		leaves := [][]int{all}
		for len(leaves) < n.Leaves {
			best, at := naiveSplit{}, 0
			for i, leaf := range leaves {
				if s := n.split(leaf, class, told); s.gain > best.gain {
					best, at = s, i
				}
			}
			if best.gain == 0 {
				break
			}
			leaves[at] = best.left
			leaves = append(leaves, best.right)
		}
		for _, leaf := range leaves {
			slope, curve, _ := n.sums(leaf, class, told)
			for _, row := range leaf {
				n.scores[row][class] += float64(
					-n.Rate * (float64(slope) / (float64(curve) + 1<<20)))
			}
		}
	}
}

type naiveSplit struct {
	gain        float64
	left, right []int
}

// sums returns the slope and the curvature of some records' loss, and their number.
func (n *naive) sums(rows []int, class int, told [][]int64) (slope, curve, records int64) {
	for _, row := range rows {
		p, w := told[row][class], n.weights[row]
		slope += w * p
		if n.Class[row] == uint32(class) {
			slope -= w << 20
		}
		curve += w * (p * (1<<20 - p) >> 20)
		records += w
	}
	return slope, curve, records
}

// split returns the first split of a leaf with the highest gain.
func (n *naive) split(leaf []int, class int, told [][]int64) (best naiveSplit) {
	gain := func(rows []int) (float64, int64) {
		slope, curve, records := n.sums(rows, class, told)
		return float64(float64(slope)*float64(slope)) / (float64(curve) + 1<<20), records
	}
	whole, _ := gain(leaf)
	for c, column := range n.Columns {
		type binned struct {
			bin  int
			mean float64
		}
		var bins []binned
		for bin := range 256 {
			rows := n.where(leaf, c, func(b int) bool { return b == bin })
			if slope, curve, records := n.sums(rows, class, told); records > 0 {
				bins = append(bins, binned{bin, float64(slope) / (float64(curve) + 1<<20)})
			}
		}
		if !column.Ordered {
			slices.SortStableFunc(bins, func(a, b binned) int {
				return cmp.Compare(a.mean, b.mean)
			})
		}
		for i := 1; i < len(bins); i++ {
			has := func(some []binned, b int) bool {
				return slices.ContainsFunc(some, func(x binned) bool { return x.bin == b })
			}
			_, before := gain(n.where(leaf, c, func(b int) bool { return has(bins[:i], b) }))
			_, after := gain(n.where(leaf, c, func(b int) bool { return has(bins[i:], b) }))
			isLeft := func(b int) bool {
				switch {
				case column.Ordered:
					return b < bins[i].bin
				case !has(bins, b):
					return before >= after
				}
				return has(bins[:i], b)
			}
			left, right := n.where(leaf, c, isLeft), n.where(leaf, c, func(b int) bool {
				return !isLeft(b)
			})
			gainLeft, recordsLeft := gain(left)
			gainRight, recordsRight := gain(right)
			if min(recordsLeft, recordsRight) >= int64(n.Least) &&
				gainLeft+gainRight-whole > best.gain {
				best = naiveSplit{gainLeft + gainRight - whole, left, right}
			}
		}
	}
	return best
}

// where returns the records of a leaf whose bins satisfy a condition.
func (n *naive) where(leaf []int, column int, is func(bin int) bool) (rows []int) {
	for _, row := range leaf {
		if is(n.bin(column, row)) {
			rows = append(rows, row)
		}
	}
	return rows
}

// TestOrderAndThreadsDoNotMatter fits records in two orders.
func TestOrderAndThreadsDoNotMatter(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 2))
		r, o := newRecords(random)
		order := random.Perm(len(r.Counts))
		other := &Records{
			Columns: r.Columns,
			Classes: r.Classes,
			Codes:   make([][]uint32, len(r.Codes)),
		}
		for _, row := range order {
			for c := range r.Codes {
				other.Codes[c] = append(other.Codes[c], r.Codes[c][row])
			}
			other.Class, other.Counts, other.Hash = append(other.Class, r.Class[row]),
				append(other.Counts, r.Counts[row]), append(other.Hash, r.Hash[row])
		}
		want, got := predicted(t, r, o, 1), predicted(t, other, o, 4)
		for class := range want {
			for i, row := range order {
				if got[class][i] != want[class][row] {
					t.Fatalf("seed %d: record %d has %d, in another order %d", seed, row,
						want[class][row], got[class][i])
				}
			}
		}
	}
}

// TestExp compares exp with the machine's.
func TestExp(t *testing.T) {
	for x := 0.0; x > -45; x -= 0.0137 {
		if got, want := exp(x), math.Exp(x); math.Abs(got-want) > 1e-6*want+1e-17 {
			t.Errorf("exp(%g) is %g, want %g", x, got, want)
		}
	}
}

// TestHeld deals the records of a tuple to folds, five times.
func TestHeld(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 3))
	for n := range uint64(13) {
		hash := random.Uint64()
		for fit := range 5 * Folds {
			want := uint64(0)
			for j := range n {
				if naiveFold(hash, j, fit) {
					want++
				}
			}
			if got := held(n, hash, fit); got != want {
				t.Errorf("fit %d leaves out %d of %d records, want %d", fit, got, n, want)
			}
		}
	}
}

func TestFitStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, o := newRecords(rand.New(rand.NewPCG(1, 1)))
	if _, err := Fit(ctx, r, o, 2); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

// BenchmarkFit fits the largest number of records to which the search fits models.
func BenchmarkFit(b *testing.B) {
	random, n := rand.New(rand.NewPCG(1, 1)), 1<<16
	r := &Records{Classes: 2}
	for _, domain := range []int{74, 8, 16, 7, 14, 5, 2, 41} {
		codes := make([]uint32, n)
		for row := range codes {
			codes[row] = uint32(random.IntN(domain))
		}
		r.Columns, r.Codes = append(r.Columns, Column{domain, domain == 74}), append(r.Codes, codes)
	}
	for row := range n {
		class := uint32(0)
		if random.IntN(60) < int(r.Codes[0][row]%20+r.Codes[2][row]) {
			class = 1
		}
		r.Class, r.Counts, r.Hash = append(r.Class, class), append(r.Counts, 1),
			append(r.Hash, random.Uint64())
	}
	var models *Models
	b.Run("fit", func(b *testing.B) {
		for b.Loop() {
			var err error
			if models, err = Fit(b.Context(), r,
				Options{Rounds: 20, Leaves: 15, Least: 20, Deals: 1, Rate: 0.3}, 1); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("probabilities", func(b *testing.B) {
		to := [][]uint32{make([]uint32, n)}
		var s Scratch
		for b.Loop() {
			models.Probabilities(&s, r.Codes, r.Counts, r.Hash, to)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/record")
	})
}

// recordBytes counts a record's part of every list in Records.
func TestBytesOfRecords(t *testing.T) {
	const columns = 3
	taken, records := 0, reflect.TypeFor[Records]()
	for i := range records.NumField() {
		switch list := records.Field(i); {
		case list.Name == "Codes":
			taken += columns * int(list.Type.Elem().Elem().Size())
		case list.Type.Kind() == reflect.Slice && list.Name != "Columns":
			taken += int(list.Type.Elem().Size())
		}
	}
	if recordBytes(columns) != taken {
		t.Errorf("a record of %d columns takes %d bytes, not %d", columns, taken,
			recordBytes(columns))
	}
	of := make([]Column, columns)
	more := Bytes(of, 2, 100, 1, Options{Deals: 1}) - Bytes(of[1:], 2, 100, 1, Options{Deals: 1})
	if codes := int64(100 * (4 + 2)); more < codes {
		t.Errorf("one more column of 100 records takes %d bytes, its codes and bins %d", more,
			codes)
	}
}
