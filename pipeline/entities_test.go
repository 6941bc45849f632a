package pipeline

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/kcut/kcut/internal/fault"
)

const patientsJob = `
input: in
output: out.parquet
entity: patient
quasi_identifiers: [{columns: [zip], k: 2}]
columns: {patient: drop, zip: suppress}
`

// patientRows has the same number of rows for each of a number of patients.
func patientRows(patients, each int) *testTable {
	t := &testTable{fields: textFields("patient", "zip")}
	for row := range patients * each {
		t.rows = append(t.rows, []string{fmt.Sprint("patient ", row/each), fmt.Sprint(row % 3)})
	}
	return t
}

// k may be as large as the number of people: each of them counts. The message has their number.
func TestEveryEntityCounts(t *testing.T) {
	for _, tt := range []struct {
		patients, each, k int
		says              string // why not
	}{
		{120, 1, 120, ""},
		{3000, 1, 3000, ""},
		{120, 2, 120, ""},
		{120, 2, 121, "the input has 120 entities, k is 121"},
		{120, 11, 120, ""},
		{120, 13, 120, "the input has 120 entities, which count for 112: weights of rows are " +
			"rounded down"},
	} {
		t.Run(fmt.Sprintf("%d of %d rows", tt.patients, tt.each), func(t *testing.T) {
			dir := jobFolder(t, patientsJob)
			table := patientRows(tt.patients, tt.each)
			table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, len(table.rows), 100)
			err := tryJob(t, dir, t.Context(), RunOptions{}, "quasi_identifiers[].k",
				fmt.Sprint(tt.k))
			if tt.says == "" {
				must(t, err)
			} else {
				mustFail(t, err, fault.Privacy, tt.says)
			}
		})
	}
}
