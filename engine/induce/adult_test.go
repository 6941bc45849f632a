package induce_test

import (
	"context"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/induce"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/cells"
)

// trained is how many of Adult's rows are for training; they come first.
const trained = 30162

// TestAdult compares the errors on the test rows with those of J48 (Weka 3.6.14, its
// defaults), which puts numbers between two training values on the other side of a split.
func TestAdult(t *testing.T) {
	for _, c := range []struct {
		names []string
		j48   float64 // percent
	}{{enginetest.EightAttributes, 17.07}, {nil, 14.69}} {
		codes := enginetest.Adult(t, c.names...).Codes()
		i := inducer(codes)
		i.MinObjects = 2
		tree := grow(t, i, head(codes, trained))
		i.Prune = true
		pruned := grow(t, i, head(codes, trained))
		t.Logf("%d attributes: %d nodes, %.2f %% of errors; pruned %d nodes, %.2f %%; J48 %.2f %%",
			len(i.Columns), tree.Len(), errors(tree, codes), pruned.Len(), errors(pruned, codes), c.j48)
		if e := errors(pruned, codes); e < c.j48-0.5 || e > c.j48+0.5 {
			t.Errorf("%d attributes: %.2f %% of errors, J48 has %.2f", len(i.Columns), e, c.j48)
		}
	}
}

func inducer(codes enginetest.Codes) induce.Inducer {
	i := induce.Inducer{Classes: codes.Classes, MDL: true}
	for a := range codes.Attributes {
		i.Columns = append(i.Columns, induce.ColumnOf(&codes.Attributes[a]))
	}
	return i
}

// head returns the first n rows.
func head(codes enginetest.Codes, n int) enginetest.Codes {
	codes.Rows, codes.Class, codes.Columns = n, codes.Class[:n], slices.Clone(codes.Columns)
	for a := range codes.Columns {
		codes.Columns[a] = codes.Columns[a][:n]
	}
	return codes
}

// table counts all columns and the class.
func table(codes enginetest.Codes) *partition.Table {
	var all []int
	for a := range codes.Attributes {
		all = append(all, a)
	}
	plan := engine.Plan{Groupings: []engine.Grouping{{Columns: all, Class: true}}}
	return codes.Table(plan).Groupings[0]
}

func grow(tb testing.TB, i induce.Inducer, codes enginetest.Codes) *induce.Tree {
	tb.Helper()
	cells, err := cells.New(table(codes), i.Classes, partition.Space{})
	if err != nil {
		tb.Fatal(err)
	}
	tree, err := i.Grow(context.Background(), cells, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return tree
}

// errors returns how many percent of the rows after the training rows are predicted wrong.
func errors(tree *induce.Tree, codes enginetest.Codes) float64 {
	wrong := 0
	tuple := make([]uint32, len(codes.Columns))
	for row := trained; row < codes.Rows; row++ {
		for a := range tuple {
			tuple[a] = codes.Columns[a][row]
		}
		classes, counts := tree.Predict(tuple)
		if classes[slices.Index(counts, slices.Max(counts))] != codes.Class[row] {
			wrong++
		}
	}
	return 100 * float64(wrong) / float64(codes.Rows-trained)
}
