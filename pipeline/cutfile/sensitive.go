package cutfile

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats"
)

// Sensitive is the protection of a kept column's values in every equivalence class of every set, as
// in the job's key of the same name. It has at least one measure.
type Sensitive struct {
	Column string `json:"column"`
	L      int    `json:"l,omitempty"` // number of different values
	// job.NullsCount: the null is one of them
	Nulls string `json:"nulls,omitempty"`
	// entropy of this number of values of equal frequency
	EntropyL      float64 `json:"entropy_l,omitempty"`
	MaxConfidence *Shares `json:"max_confidence,omitempty"` // largest shares of single values
	// largest distance of the shares from those of the whole release
	T *float64 `json:"t,omitempty"`
}

// Shares are the largest shares that values may have of the records of a class: every value, or
// those that are named.
type Shares struct {
	Every float64
	Of    map[string]float64 // by the value's text; nil: the same for every value
}

// MarshalJSON writes a number or, for single values, an object.
func (s Shares) MarshalJSON() ([]byte, error) {
	if s.Of != nil {
		return Marshal(s.Of)
	}
	return Marshal(s.Every)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Shares) UnmarshalJSON(data []byte) error {
	*s = Shares{}
	if data[0] == '{' {
		return json.Unmarshal(data, &s.Of)
	}
	return json.Unmarshal(data, &s.Every)
}

// String returns the column and its measures with the job's keys.
func (s Sensitive) String() string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	var measures []string
	if s.L > 0 {
		measures = append(measures, "l "+strconv.Itoa(s.L))
	}
	if s.Nulls != "" {
		measures = append(measures, "nulls "+s.Nulls)
	}
	if s.EntropyL > 0 {
		measures = append(measures, "entropy_l "+number(s.EntropyL))
	}
	if shares := s.MaxConfidence; shares != nil && shares.Of == nil {
		measures = append(measures, "max_confidence "+number(shares.Every))
	} else if shares != nil {
		for _, value := range slices.Sorted(maps.Keys(shares.Of)) {
			measures = append(measures, fmt.Sprintf("max_confidence of %q %s", value,
				number(shares.Of[value])))
		}
	}
	if s.T != nil {
		measures = append(measures, "t "+number(*s.T))
	}
	return s.Column + ": " + strings.Join(measures, ", ")
}

// checkSensitive checks that sensitive columns occur once, are not masked, and that each demands
// something.
func (c *File) checkSensitive() error {
	for i := range c.Sensitive {
		s := &c.Sensitive[i]
		masked := c.Columns.Position(s.Column) >= 0
		if masked || slices.ContainsFunc(c.Sensitive[:i], func(o Sensitive) bool {
			return o.Column == s.Column
		}) {
			return fmt.Errorf("sensitive column %s is masked or there twice: %w", s.Column,
				formats.ErrDamaged)
		}
		if !s.demands() {
			return fmt.Errorf("sensitive column %s demands nothing: %w", s.Column,
				formats.ErrDamaged)
		}
	}
	return nil
}

// demands reports whether there is a measure, and none that every class meets.
func (s *Sensitive) demands() bool {
	shares := s.MaxConfidence
	if shares != nil {
		of := shares.Of
		if of == nil {
			of = map[string]float64{"": shares.Every}
		}
		for _, most := range of {
			if most <= 0 || most >= 1 {
				return false
			}
		}
		if len(of) == 0 {
			return false
		}
	}
	some := s.L > 0 || s.EntropyL > 0 || shares != nil || s.T != nil
	return some && (s.L == 0 || s.L > 1) && (s.EntropyL == 0 || s.EntropyL > 1) &&
		(s.T == nil || *s.T >= 0 && *s.T < 1)
}
