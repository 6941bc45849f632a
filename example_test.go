package kcut_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/kcut/kcut"
)

// people writes a table of 1,000 people and a job for it to a new folder. It returns the path of
// the job.
func people() string {
	dir, err := os.MkdirTemp("", "kcut")
	if err != nil {
		log.Fatal(err)
	}
	table := "name,age,zip,income\n"
	for i := range 1000 {
		age, income := 17+i%60, "low"
		if age > 40 && i%7 > 0 {
			income = "high"
		}
		table += fmt.Sprintf("person %d,%d,%d,%s\n", i, age, 10000*(1+i%4)+i%50, income)
	}
	const job = `input: people.csv
output: release.parquet
class: income
quasi_identifiers:
  - {columns: [age, zip], k: 20}
columns:
  name:   drop
  age:    {mask: discretize, bounds: [0, 120]}
  zip:    {mask: generalize, taxonomy: {prefix: [5, 3, 1]}}
  income: keep
`
	for name, text := range map[string]string{"people.csv": table, "people.yaml": job} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	return filepath.Join(dir, "people.yaml")
}

// A program runs a job, checks the release from its files alone, and reads its cut.
func Example() {
	ctx, path := context.Background(), people()
	defer os.RemoveAll(filepath.Dir(path))

	job, err := kcut.LoadJob(path)
	if err != nil {
		log.Fatal(err)
	}
	job.Limits.Memory = 256 << 20
	report, err := kcut.Run(ctx, job, kcut.RunOptions{})
	if err != nil {
		log.Fatal(err)
	}
	found, err := kcut.Verify(ctx, report.Output, kcut.VerifyOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Rows, "rows hold:", found.OK)

	cut, err := kcut.ReadCut(ctx, report.Output)
	if err != nil {
		log.Fatal(err)
	}
	for _, column := range cut.Columns {
		fmt.Println(column.Name, column.Mask)
		for _, label := range column.Cut {
			fmt.Println(" ", label.Label)
		}
	}
	// Output:
	// 1000 rows hold: true
	// age discretize
	//   [0,41)
	//   [41,120]
	// zip generalize
	//   100*
	//   200*
	//   300*
	//   400*
}

// A program makes its own job.
func ExampleJob() {
	dir := filepath.Dir(people())
	defer os.RemoveAll(dir)
	job := &kcut.Job{
		Input:  []string{filepath.Join(dir, "people.csv")},
		Output: kcut.Output{Path: filepath.Join(dir, "release.parquet")},
		Class:  "income",
		Sets:   []kcut.Set{{Columns: []string{"age", "zip"}, K: 20}},
		Columns: []kcut.Column{
			{Name: "name", Mask: kcut.MaskDrop},
			{Name: "age", Mask: kcut.MaskDiscretize, Bounds: kcut.Bounds{Lower: "0", Upper: "120"}},
			{Name: "zip", Mask: kcut.MaskGeneralize,
				Taxonomy: kcut.Taxonomy{Prefix: []int{5, 3, 1}}},
			{Name: "income", Mask: kcut.MaskKeep},
		},
	}
	report, err := kcut.Run(context.Background(), job, kcut.RunOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Released, "rows in", report.Steps, "steps")
	// Output:
	// 1000 rows in 6 steps
}

// The class of an error says what to do about it.
func ExampleError() {
	path := people()
	defer os.RemoveAll(filepath.Dir(path))
	job, err := kcut.LoadJob(path,
		kcut.Override{Key: "quasi_identifiers[].k", Value: "5000", Origin: "this example"})
	if err != nil {
		log.Fatal(err)
	}
	_, err = kcut.Run(context.Background(), job, kcut.RunOptions{})
	switch {
	case errors.Is(err, kcut.ErrPrivacy):
		var advised *kcut.Error
		errors.As(err, &advised)
		fmt.Println("not as anonymous as asked for:", advised.Hint)
	case errors.Is(err, kcut.ErrTransient):
		fmt.Println("try again:", err)
	case err != nil:
		log.Fatal(err)
	}
	// Output:
	// not as anonymous as asked for: lower k, or give more rows
}

// The events of a run report its stages.
func ExampleEvents() {
	path := people()
	defer os.RemoveAll(filepath.Dir(path))
	job, err := kcut.LoadJob(path)
	if err != nil {
		log.Fatal(err)
	}
	_, err = kcut.Run(context.Background(), job, kcut.RunOptions{Events: kcut.Events{
		End: func(stage kcut.Stage, took time.Duration) { fmt.Println(stage) },
	}})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// plan
	// compress
	// search
	// mask
	// verify
	// publish
}
