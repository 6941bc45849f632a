package draft

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/job"
)

const (
	// referring is the least share of the values of a column that are those of an identifier if the
	// column refers to people by it.
	referring = 0.9
	// mostDense is the largest share of the whole numbers in a range that are numbers of people so
	// that no others are such numbers by chance.
	mostDense = 0.5
)

// dropReferences drops columns most of whose values are those of an identifier of people, whatever
// they are called: who infected, referred or manages somebody. It drops those that have one value
// for each of an identifier that repeats, and those that number rows within it, too.
func (d *draft) dropReferences(ctx context.Context, in *dataset.Dataset) error {
	for _, id := range d.profiles {
		if !id.role.owned && directMeaning(id.words).meaning != identifiers ||
			id.role.Mask != job.MaskDrop || id.place < 0 || others.has(id.words) || id.broken {
			continue
		}
		var ids map[float64]bool
		for _, p := range d.profiles {
			switch {
			case !p.role.masked() || p == id || !id.repeats():
			case d.isSameID(p, id):
				p.role = dropBy(id, "has one value for each of its values, and identifies somebody")
			}
			if !p.role.masked() || p.Field.Distinct <= fewCodes || p.isDated() || p.broken ||
				p.Field.Distinct > id.Field.Distinct {
				continue
			}
			var refers bool
			switch isText := p.typ.Kind == formats.String; {
			case isText && id.typ.Kind == formats.String:
				refers = d.sample.Within(p.place, id.place) >= referring && !id.texts.areDense()
			case id.typ.Kind != formats.Int && id.typ.Kind != formats.Uint:
			case isText && p.share(number) < most:
			default:
				numbers, err := d.numbersOf(ctx, in, p)
				if err != nil {
					return fmt.Errorf("look at the input: %w", err)
				}
				if ids == nil {
					ids = differentOf(id.numbers)
				}
				refers = areWithin(numbers, ids)
			}
			if refers {
				p.role = dropBy(id, "has its values, which refer to people")
			}
		}
	}
	return nil
}

// isSameID reports whether a column has one value for each value of an identifier that repeats, and
// no other one, as the year in front of a number. Many measured numbers may, of as many people.
func (d *draft) isSameID(p, id *Profile) bool {
	return p.Field.Distinct == id.Field.Distinct && p.Field.Distinct >= manyValues &&
		!p.isFractional() && !p.isDated() && !amounts.has(p.words) &&
		d.determines(p, id) && d.determines(id, p)
}

// numbersOf returns the numbers of a column, also those of texts.
func (d *draft) numbersOf(ctx context.Context, in *dataset.Dataset, p *Profile) (
	numbers map[float64]bool, err error) {
	if p.typ.Ordered() {
		return differentOf(p.numbers), nil
	}
	numbers = make(map[float64]bool)
	column := []int{slices.Index(d.profiles, p)}
	err = in.Sample(ctx, min(d.looked, mostCompared), column, func(b *formats.Batch) error {
		for _, code := range b.Columns[0].Codes {
			if code == 0 {
				continue
			}
			text := string(b.Columns[0].Values.Bytes(int(code) - 1))
			if x, err := strconv.ParseFloat(text, 64); err == nil {
				numbers[x] = true
			}
		}
		return nil
	})
	return numbers, err
}

func differentOf(numbers []float64) map[float64]bool {
	set := make(map[float64]bool)
	for _, x := range numbers {
		if !math.IsNaN(x) {
			set[x] = true
		}
	}
	return set
}

// areDense reports whether texts are most whole numbers in a range: others are among them by
// chance.
func (t *textProfile) areDense() bool {
	return t.fractions == 0 && float64(t.different) > mostDense*(t.high-t.low+1)
}

// areWithin reports whether most of some numbers are those of people, and by no chance.
func areWithin(numbers, people map[float64]bool) bool {
	within, low, high := 0, math.Inf(1), math.Inf(-1)
	for x := range numbers {
		if people[x] {
			within++
			low, high = min(low, x), max(high, x)
		}
	}
	if len(numbers) == 0 || float64(within) < referring*float64(len(numbers)) {
		return false
	}
	between := 0
	for x := range people {
		if low <= x && x <= high {
			between++
		}
	}
	return float64(between) <= mostDense*(high-low+1)
}
