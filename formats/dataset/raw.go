package dataset

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/storage"
)

// RowGroup is one row group of an input file, open for copying. It must be closed.
type RowGroup struct {
	formats.RawSource
	dataset  *Dataset
	file     *member
	rowGroup int
	plan     storage.Plan // of what was announced; may be nil
}

// planner is a source that can be told what will be read.
type planner interface {
	Plan(ctx context.Context, ranges []formats.Range) storage.Plan
}

// Expect announces what ReadAt will read, once: of an object it is fetched ahead.
func (g *RowGroup) Expect(ctx context.Context, ranges []formats.Range) {
	if p, ok := g.RawSource.(planner); ok {
		g.plan = p.Plan(ctx, ranges)
	}
}

// ReadAt implements io.ReaderAt.
func (g *RowGroup) ReadAt(p []byte, off int64) (int, error) {
	if g.plan != nil {
		return g.plan.ReadAt(p, off)
	}
	return g.RawSource.ReadAt(p, off)
}

// RowGroup opens the row group of a split that is Raw.
func (d *Dataset) RowGroup(ctx context.Context, s formats.Split) (*RowGroup, error) {
	file, src, err := d.acquire(ctx, s)
	if err != nil {
		return nil, err
	}
	raw, ok := src.(formats.RawSource)
	if !ok || s.Count != 1 {
		d.sources.release(s.File)
		return nil, fmt.Errorf("copy from %s: %w: not one row group of Parquet", s.File, formats.ErrSchema)
	}
	return &RowGroup{RawSource: raw, dataset: d, file: file, rowGroup: s.First}, nil
}

// Chunks describes the chunks of a column of the dataset's schema, one a leaf, or returns nil
// when the column has to be encoded anew: when RawChunks says so, when the file stores the
// column otherwise than the schema has it, or does not store it at all.
func (g *RowGroup) Chunks(ctx context.Context, column int) ([]formats.RawChunk, error) {
	if column >= len(g.file.columns) {
		return nil, nil // a hive column
	}
	own := g.file.columns[column]
	if declared := g.dataset.schema.Fields[column].Declared; declared == nil || !declared.SamePages(g.Fields()[own].Declared) {
		return nil, nil
	}
	return g.RawChunks(ctx, g.rowGroup, own)
}

// Close lets go of the file.
func (g *RowGroup) Close() error {
	if g.plan != nil {
		g.plan.Close()
	}
	return g.dataset.sources.release(g.file.path)
}
