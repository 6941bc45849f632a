package dataset

import (
	"context"
	"errors"
	"io"

	"github.com/kcut/kcut/formats"
)

// excerptPlaces is at how many places of the input an excerpt is taken: the first rows of as
// many splits.
const excerptPlaces = 16

// Excerpt reads the first rows of splits that are spread over the input, about as many rows
// as asked for in all, and calls f with them, in order. Columns are coded. Which rows these
// are depends on the files alone.
func (d *Dataset) Excerpt(ctx context.Context, rows int64, columns []int, f func(*formats.Batch) error) error {
	requests := make([]formats.Request, len(columns))
	for i, column := range columns {
		requests[i] = formats.Request{Column: column, Coded: true}
	}
	places := spread(len(d.splits), excerptPlaces)
	for i, place := range places {
		share := rows / int64(len(places)-i)
		read, err := d.excerptSplit(ctx, d.splits[place], share, requests, f)
		if err != nil {
			return err
		}
		rows -= read
	}
	return nil
}

// spread returns at most so many of the numbers below n, in equal steps, the first and the last
// among them.
func spread(n, most int) []int {
	most = min(n, most)
	chosen := make([]int, most)
	for i := range chosen {
		chosen[i] = i * (n - 1) / max(1, most-1)
	}
	return chosen
}

// excerptSplit reads the first rows of a split, at most as many as given.
func (d *Dataset) excerptSplit(ctx context.Context, s formats.Split, most int64, requests []formats.Request, f func(*formats.Batch) error) (read int64, err error) {
	reader, err := d.Read(ctx, s, requests)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	for read < most {
		batch, err := reader.Next(ctx)
		if err == io.EOF {
			return read, nil
		}
		if err != nil {
			return read, err
		}
		batch = head(batch, int(min(int64(batch.Rows), most-read)))
		if err := f(batch); err != nil {
			return read, err
		}
		read += int64(batch.Rows)
	}
	return read, nil
}

// head returns the first rows of a batch of coded columns.
func head(b *formats.Batch, rows int) *formats.Batch {
	cut := &formats.Batch{Row: b.Row, Rows: rows}
	for _, column := range b.Columns {
		cut.Columns = append(cut.Columns, &formats.Column{Values: column.Values, Codes: column.Codes[:rows]})
	}
	return cut
}
