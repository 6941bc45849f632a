package records_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/pipeline/records"
)

// people returns batches of 1,000 people.
func people() array.RecordReader {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "name", Type: arrow.BinaryTypes.String},
		{Name: "age", Type: arrow.PrimitiveTypes.Int32},
		{Name: "zip", Type: arrow.BinaryTypes.String},
		{Name: "income", Type: arrow.BinaryTypes.String},
	}, nil)
	build := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer build.Release()
	var batches []arrow.Record
	for i := range 1000 {
		age, income := 17+i%60, "low"
		if age > 40 && i%7 > 0 {
			income = "high"
		}
		build.Field(0).(*array.StringBuilder).Append(fmt.Sprint("person ", i))
		build.Field(1).(*array.Int32Builder).Append(int32(age))
		build.Field(2).(*array.StringBuilder).Append(fmt.Sprint(10000*(1+i%4) + i%50))
		build.Field(3).(*array.StringBuilder).Append(income)
		if i%300 == 299 || i == 999 {
			batches = append(batches, build.NewRecord())
		}
	}
	reader, err := array.NewRecordReader(schema, batches)
	if err != nil {
		log.Fatal(err)
	}
	return reader
}

// A program has a table as record batches, and gets its release back as record batches.
func Example() {
	folder, err := os.MkdirTemp("", "records")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	table := people()
	defer table.Release()

	ctx := context.Background()
	job, remove, err := records.Input(ctx, &kcut.Job{
		Output: kcut.Output{Path: filepath.Join(folder, "release.parquet")},
		Class:  "income",
		Sets:   []kcut.Set{{Columns: []string{"age", "zip"}, K: 20}},
		Columns: []kcut.Column{
			{Name: "name", Mask: kcut.MaskDrop},
			{Name: "age", Mask: kcut.MaskDiscretize, Bounds: kcut.Bounds{Lower: "0", Upper: "120"}},
			{Name: "zip", Mask: kcut.MaskGeneralize,
				Taxonomy: kcut.Taxonomy{Prefix: []int{5, 3, 1}}},
			{Name: "income", Mask: kcut.MaskKeep},
		},
	}, table)
	if err != nil {
		log.Fatal(err)
	}
	defer remove()
	report, err := kcut.Run(ctx, job, kcut.RunOptions{})
	if err != nil {
		log.Fatal(err)
	}

	release, err := records.Open(ctx, report.Output)
	if err != nil {
		log.Fatal(err)
	}
	defer release.Release()
	rows := int64(0)
	for release.Next() {
		batch := release.Record()
		if rows += batch.NumRows(); rows == batch.NumRows() { // the first one
			for i, field := range release.Schema().Fields() {
				fmt.Println(field.Name, batch.Column(i).ValueStr(0))
			}
		}
	}
	if err := release.Err(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(rows, "rows")
	// Output:
	// age [0,41)
	// zip 100*
	// income low
	// 1000 rows
}
