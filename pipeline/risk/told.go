package risk

import "slices"

// Determined is a masked column that a kept one tells, or two together.
type Determined struct {
	Kept   string  `json:"kept"`
	With   string  `json:"with,omitempty"` // the other kept column
	Masked string  `json:"masked"`
	Share  float64 `json:"share,omitempty"` // of the rows for which it is told; 0: all
}

// Member is a kept column that masked ones of a set tell: who knows the set knows it, too.
type Member struct {
	Column string   `json:"column"`
	Set    int      `json:"set,omitempty"`     // from 1 on; 0: it was not counted with one
	Told   []string `json:"told_by"`           // one masked column, or two
	Share  float64  `json:"share,omitempty"`   // of the rows for which it is told; 0: all
	Below  float64  `json:"below_k,omitempty"` // share of the rows whose class on the set and this column has fewer than k
	K      int      `json:"k,omitempty"`
}

// Within reports whether some columns have all those that tell the column.
func (m *Member) Within(columns []string) bool {
	return !slices.ContainsFunc(m.Told, func(name string) bool { return !slices.Contains(columns, name) })
}
