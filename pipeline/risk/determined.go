package risk

import "slices"

// Determined is a masked column that a kept column determines, or two kept columns together.
type Determined struct {
	Kept   string  `json:"kept"`
	With   string  `json:"with,omitempty"` // the other kept column
	Masked string  `json:"masked"`
	Share  float64 `json:"share,omitempty"` // of the rows for which they determine it; 0: all
}

// Member is a kept column that masked columns of a set determine: who knows the set also knows the
// column.
type Member struct {
	Column string   `json:"column"`
	Set    int      `json:"set,omitempty"`   // from 1 on; 0: not counted together with a set
	By     []string `json:"told_by"`         // one masked column, or two
	Share  float64  `json:"share,omitempty"` // of the rows for which these determine it; 0: all
	// Below is the share of the rows in classes of fewer than K on the set and this column.
	Below float64 `json:"below_k,omitempty"`
	K     int     `json:"k,omitempty"`
}

// Within reports whether a list of columns has all columns that determine the member.
func (m *Member) Within(columns []string) bool {
	return !slices.ContainsFunc(m.By,
		func(name string) bool { return !slices.Contains(columns, name) })
}
