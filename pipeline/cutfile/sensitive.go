package cutfile

import (
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/job"
)

// Sensitive is the protection of a kept column's values in every equivalence class of every set, as
// the job asked for it.
type Sensitive = job.Sensitive

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
		if !s.Demands() {
			return fmt.Errorf("sensitive column %s demands nothing: %w", s.Column,
				formats.ErrDamaged)
		}
	}
	return nil
}
