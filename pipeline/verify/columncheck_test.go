package verify

import (
	"testing"

	"github.com/kcut/kcut/pipeline/cutfile"
)

// The columns of any cut can be checked.
func FuzzColumnChecks(f *testing.F) {
	for _, column := range []string{
		`{"mask":"discretize","render":"bounds","cut":[{"label":"(,37)","upper":37},{"label":"[37,1e+21)","lower":37,"upper":1e+21},null]}`,
		`{"mask":"discretize","render":"bounds","cut":[{"label":"[1990-01-01,2000-05-03)","lower":"1990-01-01","upper":"2000-05-03"}]}`,
		`{"mask":"generalize","cut":[{"label":"","lower":{"x":[1]},"upper":null}]}`,
		`{"mask":"suppress","cut":["Sales",null],"suppressed":"*"}`,
		`{"mask":"discretize","render":"interval","cut":[{"label":"(,)"},{"label":"(,37)","upper":37},{"label":"[37,90]","lower":37,"upper":90},null],"suppressed":"*"}`,
	} {
		f.Add([]byte(`{"version":1,"quasi_identifiers":[{"columns":["a"],"k":1}],"columns":{"a":` + column + `}}`))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cut, err := cutfile.Parse(data)
		if err != nil {
			return
		}
		cut.Flaws()
		for i := range cut.Columns {
			for _, check := range checksOf(&cut.Columns[i]) {
				for label := range check.labels {
					if n := check.numberOf(uint32(label)); uint64(n) >= check.below() {
						t.Errorf("label %d of column %s has number %d of %d", label, check.name, n,
							check.below())
					}
				}
			}
		}
	})
}
