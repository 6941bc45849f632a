package spill

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of docs/memory.md")

// phases returns all phases that have a grant.
func phases() (all []Phase) {
	for _, g := range Grants() {
		for _, p := range g.Phases {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all
}

// sum returns three sums over a phase's grants that are within another grant, or within none: the
// fractions of the whole, the fractions of the bytes that are left, and those fractions of the
// whole that are drawn at once.
func sum(p Phase, within *Grant) (whole, left, drawn *big.Rat) {
	whole, left, drawn = new(big.Rat), new(big.Rat), new(big.Rat)
	for _, g := range Grants() {
		if g.Within != within || !slices.Contains(g.Phases, p) {
			continue
		}
		to := whole
		if g.Of == Left {
			to = left
		}
		to.Add(to, big.NewRat(g.Num, g.Den))
		if g.Drawn {
			drawn.Add(drawn, big.NewRat(g.Num, g.Den))
		}
	}
	return whole, left, drawn
}

// together returns the sum of a phase's grants as a fraction of the whole.
func together(p Phase) *big.Rat {
	whole, left, drawn := sum(p, nil)
	rest := new(big.Rat).Sub(big.NewRat(1, 1), drawn)
	return whole.Add(whole, left.Mul(left, rest))
}

// In every phase the grants add up to at most 1, and so do those within another grant.
func TestGrants(t *testing.T) {
	one := big.NewRat(1, 1)
	for _, p := range phases() {
		if together(p).Cmp(one) > 0 {
			t.Errorf("%s: the grants add up to %s", p, together(p).RatString())
		}
		for _, g := range Grants() {
			if within, left, _ := sum(p, g); within.Cmp(one) > 0 || left.Sign() != 0 {
				t.Errorf("%s: the grants within %s add up to %s", p, g.Name, within.RatString())
			}
		}
	}
	for _, g := range Grants() {
		if g.Drawn && (g.Of == Left || g.Within != nil) {
			t.Errorf("%s is drawn at once, and no part of the whole", g.Name)
		}
		for _, p := range g.Phases {
			if g.Within != nil && !slices.Contains(g.Within.Phases, p) {
				t.Errorf("%s is held in the phase %s, what it is within is not", g.Name, p)
			}
		}
	}
}

func TestGrant(t *testing.T) {
	b := NewBudget(1600)
	must(t, b.Draw("a test", 200))
	for _, c := range []struct {
		of   Grant
		want int64
	}{
		{Grant{Num: 1, Den: 2}, 800},
		{Grant{Num: 3, Den: 7, Of: Left}, 600},
		{Grant{Num: 1, Den: 7, Within: &Grant{Num: 1, Den: 2, Of: Left}}, 100},
		{Grant{Num: 3, Den: 1000}, 4},
	} {
		if got := b.Grant(&c.of); got != c.want {
			t.Errorf("%+v of 1600 bytes with 200 drawn: %d, want %d", c.of, got, c.want)
		}
	}
	if whole := (&Grant{Num: 7, Den: 7}); whole.Part(math.MaxInt64) != math.MaxInt64 {
		t.Errorf("the whole of the largest budget is %d", whole.Part(math.MaxInt64))
	}
}

// docs/memory.md shows the grants of the code.
func TestGrantsDocumented(t *testing.T) {
	const path, begin, end = "../docs/memory.md", "<!-- grants: begin -->\n", "<!-- grants: end -->"
	text, err := os.ReadFile(path)
	must(t, err)
	head, rest, ok := bytes.Cut(text, []byte(begin))
	_, tail, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the grants", path)
	}
	want := []byte(string(head) + begin + grantTables() + end + string(tail))
	if *update {
		must(t, os.WriteFile(path, want, 0o666))
	} else if !bytes.Equal(text, want) {
		t.Errorf("%s has other grants than spill/grants.go: go test ./spill -run "+
			"TestGrantsDocumented -update", path)
	}
}

// docs/memory.md promises the overhead of the code, and lists the parts that the code has.
func TestOverheadDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/memory.md")
	must(t, err)
	for _, want := range []string{
		fmt.Sprintf("plus at most %d MiB", Overhead>>20), fmt.Sprintf("(%d of them together",
			UsualPages>>20),
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("docs/memory.md does not say %q", want)
		}
	}
}

// grantTables returns the table of grants and the table of their sums.
func grantTables() string {
	var b strings.Builder
	b.WriteString("| grant | part | held by |\n|---|---|---|\n")
	for _, g := range Grants() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", g.Name, part(g), g.Holder)
	}
	b.WriteString("\n| phase | grants held | together at most |\n|---|---|---|\n")
	for _, p := range phases() {
		var held []string
		for _, g := range Grants() {
			if g.Within == nil && slices.Contains(g.Phases, p) {
				held = append(held, g.Name)
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", p, strings.Join(held, ", "), together(p).RatString())
	}
	return b.String()
}

// part returns a grant's fraction in words.
func part(g *Grant) string {
	of := ""
	switch {
	case g.Within != nil:
		of = " of " + g.Within.Name
	case g.Of == Left && g.Num == g.Den:
		return "all that is left"
	case g.Of == Left:
		of = " of what is left"
	}
	return fmt.Sprintf("%d/%d", g.Num, g.Den) + of
}
