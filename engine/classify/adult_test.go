package classify

import (
	"math"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
)

// trained is the number of Adult's training rows; they come first.
const trained = 30162

// TestAdult compares the errors on the test rows with those of Weka 3.6.14 (J48 and
// NaiveBayes by default), of scikit-learn's LogisticRegression with hardly any penalty, and of its
// HistGradientBoostingClassifier with 15 leaves.
func TestAdult(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  []float64 // in percent
	}{
		{enginetest.EightAttributes, []float64{17.07, 18.29, 17.29, 16.69}},
		{enginetest.EightAttributes[1:], []float64{17.46, 18.24, 17.17, 17.18}},
		{nil, []float64{14.69, 17.46, 15.21, 13.14}},
	} {
		codes := enginetest.Adult(t, c.names...).Codes()
		var columns []Column
		for a := range codes.Attributes {
			columns = append(columns, columnOf(&codes.Attributes[a]))
		}
		rows := make([]row, codes.Rows)
		for i := range rows {
			rows[i].class = codes.Class[i]
			for _, column := range codes.Columns {
				rows[i].codes = append(rows[i].codes, column[i])
			}
		}
		training, test := dataOf(columns, codes.Classes, rows[:trained]),
			dataOf(columns, codes.Classes, rows[trained:])
		for i, l := range Learners() {
			learned, err := l.Learn(t.Context(), training)
			if err != nil {
				t.Fatal(err)
			}
			outcome, err := examine(t.Context(), learned, test)
			if err != nil {
				t.Fatal(err)
			}
			got := 100 * outcome.Error()
			t.Logf("%d attributes, %s: %.2f %%, others' %.2f", len(columns), l.Name(), got,
				c.want[i])
			if math.Abs(got-c.want[i]) > 0.5 {
				t.Errorf("%d attributes: %s errs in %.2f %%, others in %.2f", len(columns),
					l.Name(), got, c.want[i])
			}
		}
	}
}

func columnOf(a *engine.Attribute) Column {
	return Column{
		Domain:  len(a.Texts) + 1,
		Numeric: a.Mask == engine.Discretize,
		Values:  a.Positions,
	}
}
