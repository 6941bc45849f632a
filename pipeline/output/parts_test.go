package output

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/spill"
)

// TestFootersAreDrawn writes row groups until their entries in the footer exceed the budget. It
// also writes fewer row groups. In the end all memory is returned to the budget.
func TestFootersAreDrawn(t *testing.T) {
	for _, directory := range []bool{false, true} {
		for _, complete := range []bool{false, true} {
			budget := spill.NewBudget(256 << 10)
			p := newParts(t, directory, budget)
			groups := fillParts(t, p, 4*GroupsPerPart-1)
			if groups != 4*GroupsPerPart-1 ||
				budget.Used() < p.writer.Held() || budget.Used() == 0 {
				t.Fatalf("%d row groups, drawn %d, the footer takes %d",
					groups, budget.Used(), p.writer.Held())
			}
			if err := p.Close(complete); err != nil || budget.Used() != 0 {
				t.Errorf("closed: %v, %d bytes still drawn", err, budget.Used())
			}
		}
	}
	budget := spill.NewBudget(256 << 10)
	p := newParts(t, false, budget)
	groups := fillParts(t, p, 1<<14)
	if held := p.writer.Held(); groups == 1<<14 || held < budget.Limit()/2 {
		t.Errorf("%d row groups, the footer takes %d bytes", groups, held)
	}
	if err := p.Close(false); err != nil || budget.Used() != 0 {
		t.Errorf("closed: %v, %d bytes still drawn", err, budget.Used())
	}
}

// newParts begins a release of one column.
func newParts(t *testing.T, directory bool, budget *spill.Budget) *Parts {
	t.Helper()
	publication, err := publish.On(nil, filepath.Join(t.TempDir(), "out"), directory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = publication.Discard() })
	column := writer.Column{
		Field: formats.Field{Name: "n", Type: formats.Type{Kind: formats.Int, Bits: 32}},
	}
	return &Parts{
		Target: &Target{
			Publication: publication, directory: directory, Columns: []writer.Column{column},
		},
		Footer: spill.NewAccount(budget, "the footer"),
	}
}

// fillParts writes at most the given number of row groups, of one row each, until the budget has no
// more room. It returns the number of written row groups.
func fillParts(t *testing.T, p *Parts, most int) int {
	t.Helper()
	group, err := writer.NewRowGroup(p.Target.Columns, writer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	values := &formats.Values{
		Type: p.Target.Columns[0].Field.Type, Words: []uint64{formats.IntWord(1)},
	}
	column := &formats.Column{Values: values, Codes: []uint32{1}}
	for n := range most {
		if err := group.Append(0, column, 0, 1); err != nil {
			t.Fatal(err)
		}
		encoded, err := group.Encode()
		if err != nil {
			t.Fatal(err)
		}
		err = p.Add(encoded, "")
		if errors.Is(err, spill.ErrBudget) && fault.ClassOf(err) == fault.Resources {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return most
}
