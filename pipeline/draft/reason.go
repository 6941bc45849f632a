package draft

import (
	"fmt"

	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
)

// nameReleased completes the reasons of columns that determine each other, with the names of those
// that are released: the ones that were compared first may have been dropped since.
func (d *draft) nameReleased() {
	for _, p := range d.profiles {
		if by := p.role.by; by != nil {
			if of := by.released(); of != by && of.role.masked() && d.determines(of, p) {
				p.role.Reason = fmt.Sprintf("%s %s", job.Quoted(of.name), isDetermined)
			}
		}
		if !p.role.masked() {
			continue
		}
		var shown []string
		for _, of := range p.role.shows {
			if of.role.masked() {
				shown = append(shown, job.Quoted(of.name))
			}
		}
		if len(shown) > 0 {
			p.role.Reason += fmt.Sprintf(", determines %s, which may stay visible in rows with *",
				text.List(shown, mostLost))
		}
		for _, by := range p.role.stays {
			if of := by.released(); of.role.masked() && of != p && d.determines(of, p) {
				p.role.Reason += fmt.Sprintf(", determined by %s: it stays, as readers ask for it",
					job.Quoted(of.name))
				break
			}
		}
	}
}

// released returns the column because of which a column is dropped, and so on up to one that is
// not, or the column itself.
func (p *Profile) released() *Profile {
	for p.role.by != nil {
		p = p.role.by
	}
	return p
}
