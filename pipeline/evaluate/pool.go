package evaluate

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// pools map the codes of every attribute to those that a search knows; nil: they are the same.
type pools [][]uint32

// apply maps the codes of a block.
func (p pools) apply(b *block) {
	for a, codes := range p {
		for i, code := range b.columns[a] {
			if codes != nil {
				b.columns[a][i] = codes[code]
			}
		}
	}
}

func (p pools) bytes() (n int64) {
	for _, codes := range p {
		n += 4 * int64(len(codes))
	}
	return n
}

// pool returns the attributes and histograms that a search gets. If its plan asks for it, values
// of suppressed columns that fewer than k records of the source have are one, as in a run, so
// are nulls; k is the largest of the column's sets. What the codes take is drawn.
func (t *trial) pool(plan engine.Plan, requirement engine.Requirement) (attributes []engine.Attribute, histograms []*partition.Histogram, err error) {
	t.pools = make(pools, len(t.Attributes))
	attributes, histograms = slices.Clone(t.Attributes), slices.Clone(t.histograms)
	for a := range attributes {
		of, _ := requirement.Of(a)
		if !plan.Pool || attributes[a].Mask != engine.Suppress {
			continue
		}
		attributes[a], t.pools[a] = poolRare(&attributes[a], t.histograms[a].Sizes(), of.K.Records())
		histograms[a] = poolHistogram(t.histograms[a], t.pools[a], attributes[a].Len())
	}
	return attributes, histograms, t.budget.Draw("pooled values", t.pools.bytes())
}

// poolRare returns an attribute of the values of at least k records, and the code that each
// value has in it. The rest, if there is one, comes after them, and then the null.
func poolRare(a *engine.Attribute, sizes []uint64, k uint64) (engine.Attribute, []uint32) {
	pooled, codes, last := *a, make([]uint32, len(sizes)), len(sizes)-1
	pooled.Texts, pooled.HasNull = nil, a.HasNull && sizes[last] >= k
	var rest []int
	for code, n := range sizes {
		switch {
		case n < k || a.IsRest(code):
			rest = append(rest, code)
		case code < len(a.Texts):
			codes[code] = uint32(len(pooled.Texts))
			pooled.Texts = append(pooled.Texts, a.Texts[code])
		}
	}
	pooled.HasRest = len(rest) > 0
	for _, code := range rest {
		codes[code] = uint32(len(pooled.Texts))
	}
	if pooled.HasNull {
		codes[last] = uint32(pooled.Len() - 1)
	}
	return pooled, codes
}

// poolHistogram adds up the classes of the codes that become one, of so many.
func poolHistogram(h *partition.Histogram, codes []uint32, domain int) *partition.Histogram {
	sums := make([]uint64, domain*h.Classes)
	for code, to := range codes {
		for i := h.Start[code]; i < h.Start[code+1]; i++ {
			sums[int(to)*h.Classes+int(h.Class[i])] += h.Count[i]
		}
	}
	return histogram(sums, h.Classes)
}
