package evaluate

import "github.com/kcut/kcut/pipeline"

// round tests on one part of a division, and trains on all others.
type round struct {
	division int
	test     uint32
}

// plan returns the rounds, and the divisions that they need.
func (o *Options) plan() (rounds []round, divisions []pipeline.Division) {
	if o.SplitColumn != "" {
		return []round{{test: 1}}, []pipeline.Division{{Parts: 2, Column: o.SplitColumn, Value: o.SplitValue}}
	}
	for repeat := range o.Repeats {
		divisions = append(divisions, pipeline.Division{Parts: o.Folds, Part: func(row uint64) uint32 {
			return fold(row, repeat, o.Folds)
		}})
		for test := range o.Folds {
			rounds = append(rounds, round{repeat, uint32(test)})
		}
	}
	return rounds, divisions
}

// fold returns the fold of a row by its position in the input, from 0 on, and the number of the
// repeat: the remainder of a hash. Folds are about equal in size, and the same in every
// evaluation of the input.
func fold(row uint64, repeat, folds int) uint32 {
	return uint32(mix(row+mix(uint64(repeat)+1)) % uint64(folds))
}

// mix is the finalizer of splitmix64 (Steele, Lea and Flood, 2014).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
