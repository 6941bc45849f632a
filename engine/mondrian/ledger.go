package mondrian

import (
	"fmt"

	"github.com/kcut/kcut/spill"
)

// ledger draws what the result of a search takes, while the search lasts.
type ledger struct {
	budget *spill.Budget // nil: memory has no limit
	drawn  int64
}

// ledgerPage is how much is drawn at a time.
const ledgerPage = 64 << 10

// draw makes sure that so many bytes are drawn.
func (l *ledger) draw(bytes int64) error {
	if l.budget == nil || bytes <= l.drawn {
		return nil
	}
	more := bytes - l.drawn + ledgerPage
	if err := l.budget.Draw("regions", more); err != nil {
		return fmt.Errorf("keep regions: %w", err)
	}
	l.drawn += more
	return nil
}

// close returns everything.
func (l *ledger) close() {
	if l.budget != nil {
		l.budget.Return(l.drawn)
		l.drawn = 0
	}
}

// Bytes of what grows with the number of regions: of a content with its place in a map and
// its label, of a moved cell besides its codes.
const (
	contentBytes = 160
	movedBytes   = 240
)

// bytes returns the memory that the search has taken for its result so far.
func (s *search) bytes() int64 {
	t := &s.tree
	bytes := int64(cap(t.nodes))*24 + int64(cap(t.links))*4 + int64(cap(t.steps))*8
	bytes += s.raw.bytes + int64(cap(s.raw.contents))*4
	if s.relaxed != nil {
		bytes += int64(len(s.relaxed.cells)) * (movedBytes + 12*int64(len(s.fields)))
	}
	return bytes
}
