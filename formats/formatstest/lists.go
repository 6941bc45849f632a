package formatstest

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// listRow is a row with a list.
type listRow struct {
	Age   int64    `parquet:"age"`
	Sex   string   `parquet:"sex"`
	Tags  []string `parquet:"tags,list"`
	Class string   `parquet:"class"`
}

// WriteLists writes a Parquet file of rows that each have a list of different texts of 20 bytes, in
// row groups of a size.
func WriteLists(path string, rows, group, length int) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write lists: %w", err)
	}
	w := parquet.NewGenericWriter[listRow](file)
	for i := 0; i < rows && err == nil; i++ {
		row := listRow{Age: int64(i % 70), Sex: strconv.Itoa(i % 2), Class: strconv.Itoa(i % 3 % 2)}
		for j := range length {
			row.Tags = append(row.Tags, fmt.Sprintf("%020d", uint64(i*length+j)*0x9e3779b97f4a7c15))
		}
		if _, err = w.Write([]listRow{row}); err == nil && (i+1)%group == 0 {
			err = w.Flush()
		}
	}
	return errors.Join(err, w.Close(), file.Close())
}
