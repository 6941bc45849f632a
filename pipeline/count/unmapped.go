package count

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
)

// unmapped is the error for values that a labeler has no code for.
type unmapped struct {
	labeler domain.Labeler
	records uint64
}

func (u *unmapped) Error() string { return "values that the cut has no place for" }

// predicateCoder codes values: the code is 0 if the predicate is true for the value, else 1.
type predicateCoder func(values *formats.Values, i int) bool

// Null returns 1, the code of values for which the predicate is false.
func (predicateCoder) Null() uint32 { return 1 }

// Encode appends the codes of values.
func (f predicateCoder) Encode(
	values *formats.Values, from int, codes []uint32,
) ([]uint32, int, error) {
	for i := from; i < values.Len(); i++ {
		code := uint32(1)
		if f(values, i) {
			code = 0
		}
		codes = append(codes, code)
	}
	return codes, 2, nil
}

// finder looks for values of a column that are missing in a taxonomy or in a given cut. It runs
// after counting has failed, and its findings become part of the error.
type finder struct {
	mapping domain.Mapping
	code    uint32   // the code of the missing values
	codes   []uint32 // scratch
	split   formats.Split
	start   int64  // the position in the input of the first row of the split's file
	most    int    // the most distinct values that are counted; 0: only find the first row
	first   string // the first row: "file F, row N"
	found   map[[sha256.Size]byte]bool
	more    bool // there are more than most distinct values
}

// mostUnmapped is the largest number of distinct values that a finder counts.
const mostUnmapped = 1 << 16

// errFound ends a reading when the finder needs no more rows.
var errFound = errors.New("found")

// find reads a column again, one split after another, until it needs no more rows.
func (f *finder) find(ctx context.Context, r *Request, column int) error {
	f.found = make(map[[sha256.Size]byte]bool)
	err := dataset.Scan(ctx, r.Dataset, r.Dataset.Coded(r.Columns[column].Field), []*finder{f},
		func(int64) {})
	switch {
	case err != nil && !errors.Is(err, errFound):
		return err
	case f.first == "":
		return errors.New("find the first row of a value that was counted: no row has it")
	}
	return nil
}

func (f *finder) BeginSplit(s formats.Split) {
	if s.File != f.split.File {
		f.start = s.Row
	}
	f.split = s
}

func (f *finder) Batch(b *formats.Batch) (err error) {
	column := b.Columns[0]
	if f.codes, err = f.mapping.Translate(column, f.codes); err != nil {
		return err
	}
	for i, code := range f.codes {
		if code != f.code {
			continue
		}
		if f.first == "" {
			row := f.split.Row - f.start + b.Row + b.Records(0, i) + 1
			f.first = fmt.Sprintf("%s, row %d", f.split.File, row)
		}
		if f.most == 0 {
			return errFound
		}
		// The digests need less memory than long texts.
		digest := sha256.Sum256([]byte(domain.TextOf(column.Values, int(column.Codes[i])-1)))
		if f.more = f.more || !f.found[digest] && len(f.found) == f.most; !f.more {
			f.found[digest] = true
		}
	}
	return nil
}

// locate completes the error for values that are missing in a taxonomy or in the given cut. It adds
// the position of the first row with such a value.
func (r *Request) locate(ctx context.Context, column int, err error) error {
	spec, f := r.Columns[column].Spec, &finder{}
	lacking, isLacking := errors.AsType[*domain.Uncovered](err)
	missing, isMissing := errors.AsType[*unmapped](err)
	switch {
	case isLacking:
		f.mapping = domain.NewMapping(predicateCoder(func(values *formats.Values, i int) bool {
			_, ok := lacking.Tree.Code(domain.TextOf(values, i))
			return !ok
		}))
	case isMissing && spec.Is(engine.Suppress):
		return domain.Marked(spec.Name, missing.records)
	case isMissing:
		f.mapping = domain.NewMapping(missing.labeler)
		f.code, f.most = missing.labeler.Unmapped(), mostUnmapped
	default:
		return err
	}
	if err := f.find(ctx, r, column); err != nil {
		return err
	}
	located := &fault.Error{
		Class: fault.Input,
		Hint:  "add the values to the taxonomy, or set unknown: root for the column",
	}
	if spec.Unknown == job.UnknownRoot { // an empty text is missing even then
		located.Hint = "replace the values in the source, or give the column another mask"
	}
	if isLacking && lacking.Refused > 0 {
		located.Hint = domain.HintRefused
	}
	if isLacking {
		lacking.First = f.first
		located.Err = lacking
		return located
	}
	found := fmt.Sprintf("%s of %s, first in %s", text.Count(len(f.found), "distinct value"),
		text.Count(missing.records, "row"), f.first)
	if f.more {
		found = "more than " + found
	}
	located.Err = fmt.Errorf("mask column %s: its cut has no place for %s", spec.Name, found)
	if spec.Is(engine.Discretize) {
		located.Hint = "run the job anew with wider bounds"
		located.Err = fmt.Errorf("mask column %s: %s, lie outside the bounds", spec.Name, found)
	}
	return located
}
