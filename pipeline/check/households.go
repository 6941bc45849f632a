package check

import (
	"cmp"
	"math"
	"slices"

	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// Households is the risk that somebody of a household is found, which each of its members has:
// 1 − Π(1 − r), where members have the risks r (Templ, Meindl, Kowarik and Chen, Introduction to
// Statistical Disclosure Control, 2014). A member is a row or, with an entity, a person,
// whose risk is the highest one of its rows. The null is no household: such members live alone.
type Households struct {
	Column string    `json:"column"`
	Number int64     `json:"number"`
	Risk   risk.Risk `json:"risk"` // the highest, and the average of all members
}

// households collects the members of households, class after class. They must fit in memory.
type households struct {
	column  string
	fields  []partition.Field // of the pieces of a household's digest
	null    digest
	at      int // first word of the digest of a household in a key
	person  int // first word of that of a person; 0: each row is a member of its own
	account *spill.Account
	members []member
	class   int // first member of the last class
}

// member is equal rows of a household, or a person of it, in a class.
type member struct {
	household, person [digestWords]uint64
	alone             bool
	rows              float64
	risk              float64
}

// memberBytes is the memory of a member in a list that grows.
const memberBytes = 2 * (8*2*digestWords + 24)

func newHouseholds(r *Request, layout partition.Layout, budget *spill.Budget) *households {
	h := &households{
		column: r.field(r.Household).Name, at: digestWords, null: new(digests).sum(false, nil),
		account: spill.NewAccount(budget, "the members of households"),
	}
	if r.Entity >= 0 {
		h.at, h.person = 2*digestWords, digestWords
	}
	h.fields = layout.Fields[r.digests()-pieces : r.digests()]
	return h
}

// add adds rows to the last class.
func (h *households) add(key []uint64, rows uint64) error {
	m := member{rows: float64(rows), alone: true}
	for i, f := range h.fields {
		m.alone = m.alone && f.Code(key) == h.null[i]
	}
	copy(m.household[:], key[h.at:])
	if h.person > 0 {
		m.rows = 1
		copy(m.person[:], key[h.person:])
	}
	h.members = append(h.members, m)
	if err := h.account.Draw(int64(len(h.members)) * memberBytes); err != nil {
		return spill.Instead(err, "leave out households")
	}
	return nil
}

// end ends a class, whose rows have a risk.
func (h *households) end(risk float64) {
	for i := h.class; i < len(h.members); i++ {
		h.members[i].risk = risk
	}
	h.class = len(h.members)
}

// figures returns the risks of all households.
func (h *households) figures() *Households {
	slices.SortFunc(h.members, func(a, b member) int {
		return cmp.Or(slices.Compare(a.household[:], b.household[:]),
			slices.Compare(a.person[:], b.person[:]), cmp.Compare(b.risk, a.risk),
			cmp.Compare(a.rows, b.rows))
	})
	if h.person > 0 { // only the highest risk of a person
		h.members = slices.CompactFunc(h.members, func(a, b member) bool {
			return a.household == b.household && a.person == b.person
		})
	}
	of, all := &Households{Column: h.column}, 0.0
	for from, to := 0, 0; from < len(h.members); from = to {
		first, log, members := h.members[from], 0.0, 0.0
		for ; to < len(h.members) && h.members[to].household == first.household &&
			(to == from || !first.alone); to++ {
			members += h.members[to].rows
			log += float64(h.members[to].rows * math.Log1p(-h.members[to].risk))
		}
		number, risk := 1.0, -math.Expm1(log)
		if first.alone {
			number, risk = members, first.risk
		}
		of.Number += int64(number)
		of.Risk.Highest = max(of.Risk.Highest, risk)
		of.Risk.Average += float64(members * risk)
		all += members
	}
	of.Risk.Average /= max(all, 1)
	return of
}
