package dataset

import (
	"context"

	"github.com/kcut/kcut/formats"
)

// Statistics returns what is known of columns without reading their values, one for each
// column asked for: of all splits, or of at most so many that are spread over the input. The
// statistics' Rows say how much of it that is.
func (d *Dataset) Statistics(ctx context.Context, columns []int, most int) ([]formats.Statistics, error) {
	all := make([]formats.Statistics, len(columns))
	for _, place := range spread(len(d.splits), most) {
		known, err := d.splitStatistics(ctx, d.splits[place], columns)
		if err != nil {
			return nil, err
		}
		for i, k := range known {
			all[i] = all[i].Join(k)
		}
	}
	own := len(d.schema.Fields) - len(d.hive)
	for i, column := range columns {
		if column >= own { // the names of the directories tell
			values := int64(d.hive[column-own].values.Len())
			all[i].AtLeast, all[i].AtMost = values, values
		}
	}
	return all, nil
}

func (d *Dataset) splitStatistics(ctx context.Context, s formats.Split, columns []int) ([]formats.Statistics, error) {
	all := make([]formats.Statistics, len(columns))
	var inFile, at []int // columns of the file, and which of those asked for they are
	file, src, err := d.acquire(ctx, s)
	if err != nil {
		return nil, err
	}
	defer d.sources.release(s.File)
	for i, column := range columns {
		all[i] = formats.UnknownStatistics(d.schema.Fields[column].Type, s.Rows)
		if column < len(file.columns) {
			inFile, at = append(inFile, file.columns[column]), append(at, i)
		}
	}
	described, ok := src.(formats.Described)
	if !ok {
		return all, nil
	}
	known, err := described.Statistics(ctx, s.First, s.Count, inFile)
	for i, k := range known {
		all[at[i]] = k
	}
	return all, err
}
