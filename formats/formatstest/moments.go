package formatstest

import (
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
)

// momentRow is a row with a moment as INT96.
type momentRow struct {
	X     deprecated.Int96 `parquet:"x"`
	Class string           `parquet:"class"`
}

// WriteOldMoments writes a Parquet file, and its folder: a column x of moments of one day, stored
// as INT96, in nanoseconds since midnight, and a column of classes.
func WriteOldMoments(path string, nanos []uint64, classes []string) error {
	const julianDay = 2460000
	rows := make([]momentRow, len(nanos))
	for i, n := range nanos {
		rows[i] = momentRow{deprecated.Int96{uint32(n), uint32(n >> 32), julianDay}, classes[i]}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return parquet.WriteFile(path, rows)
}
