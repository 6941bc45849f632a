package cutfile

import "slices"

// SmallestK returns the smallest k of the sets.
func (c *File) SmallestK() int {
	k := c.Sets[0].K
	for _, set := range c.Sets {
		k = min(k, set.K)
	}
	return k
}

// Within reports whether another set has all columns of a set.
func (s *Set) Within(other *Set) bool {
	return !slices.ContainsFunc(s.Columns, func(name string) bool {
		return !slices.Contains(other.Columns, name)
	})
}

// leastKept is the number of masked columns that keep more than one label in a release that is of
// some use.
const leastKept = 2

// IsFlat reports whether hardly anything is left of some masked columns, given the number of those
// that keep more than one label.
func IsFlat(kept, masked int) bool { return kept < leastKept && masked >= leastKept }

// IsFlat is the function IsFlat for the masked columns of the cut.
func (c *File) IsFlat(kept int) bool { return IsFlat(kept, len(c.Columns)) }

// HidesAll reports whether some set has all masked columns and a k above 1: then nobody is alone on
// them, and nobody is in a class below the smallest k.
func (c *File) HidesAll() bool {
	return slices.ContainsFunc(c.Sets, func(set Set) bool {
		return set.K > 1 && !slices.ContainsFunc(c.Columns, func(column Column) bool {
			return !slices.Contains(set.Columns, column.Name)
		})
	})
}

// checkUnion checks the shares of rows that are alone and in small classes on all labels, and the
// average risk.
func (f *flaws) checkUnion() {
	if risk := f.MaxAverageRisk; risk < 0 || risk > 1 || risk > 0 && f.Entity {
		f.find("its cut claims an average risk that no cut has")
	}
	u := f.Union
	if u == nil {
		return
	}
	isShare := func(x float64) bool { return x >= 0 && x <= 1 }
	switch {
	case !isShare(u.Unique) || !isShare(u.BelowK) || f.SmallestK() > 1 && u.Unique > u.BelowK:
		f.find("its cut claims shares of rows that are alone on all labels which no release has")
	case f.HidesAll() && (u.Unique > 0 || u.BelowK > 0):
		f.find("its cut claims rows that are alone on all labels, and a set has all masked columns")
	case u.Part < 0 || u.Part >= 1 || !isShare(u.Error) || u.Part == 0 && u.Error > 0:
		f.find("its cut claims a part of the classes that is none")
	}
}
