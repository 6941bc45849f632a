package pipeline

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// canary begins every text that must not be released.
const canary = "canary"

// leakJob masks texts in every way; region comes from directory names.
const leakJob = `
input: in
output: out.parquet
class: class
quasi_identifiers:
  - {columns: [city, job, code, region], k: 4}
columns:
  city:   generalize
  job:    suppress
  code:   {mask: generalize, taxonomy: {prefix: [1]}}
  region: suppress
  class:  keep
  name:   drop
  phone:  {mask: replace, with: phone, key_env: KCUT_TEST_KEY, identifying: accepted}
taxonomies:
  city: {Europe: {Germany: [Bonn, canary-city], France: [Paris, Nice]}}
`

// leakTable is a source with canaries in places that must not reach the release: single rows with
// values that k must hide, columns that are dropped, dictionary entries without a row.
func leakTable(file int) []formatstest.Text {
	const rows = 60
	columns := []formatstest.Text{
		{Name: "city"}, {Name: "job"}, {Name: "code"}, {Name: "name"}, {Name: "class"},
		{Name: "phone"},
	}
	for row := range rows {
		for i, value := range []string{
			[]string{"Bonn", "Paris", "Nice"}[row%3], []string{"cook", "clerk"}[row%2],
			fmt.Sprintf("%d%d", row%2, row%4), fmt.Sprintf("%s-name-%d", canary, row),
			[]string{"low", "high"}[row%2], fmt.Sprintf("%s-phone-%d", canary, row),
		} {
			columns[i].Rows = append(columns[i].Rows, value)
		}
	}
	columns[0].Rows[7] = canary + "-city"
	columns[1].Rows[20+file] = canary + "-job"
	columns[2].Rows[30+file] = canary + "-code"
	for i := range columns {
		columns[i].Unused = []string{fmt.Sprintf("%s-unused-%d", canary, i)}
	}
	return columns
}

func leakMetadata() map[string]string {
	return map[string]string{"pandas": canary + "-pandas",
		"org.apache.spark.sql.parquet.row.metadata": canary + "-spark"}
}

// leakFolder makes a folder with two partitions by region, one of which is a canary. Their files
// have canaries everywhere: an index and bloom filters in one, unused dictionary entries in the
// other.
func leakFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "job.yaml"), leakJob)
	for i, file := range []struct {
		region string
		write  func(string, []formatstest.Text, map[string]string) error
	}{
		{"north", formatstest.WriteIndexed}, {"north", formatstest.WriteUnused},
		{canary + "-region", formatstest.WriteUnused},
	} {
		folder := filepath.Join(dir, "in", "region="+file.region)
		must(t, os.MkdirAll(folder, 0o700))
		table := leakTable(i)
		if i == 2 {
			for c := range table {
				table[c].Rows = table[c].Rows[:3] // fewer than k
			}
		}
		path := filepath.Join(folder, fmt.Sprintf("%s-file-%d.parquet", canary, i))
		must(t, file.write(path, table, leakMetadata()))
		held, err := formatstest.Bytes(path)
		must(t, err)
		for _, want := range []string{"-pandas", "-spark", "-name-1", "-phone-1",
			[]string{"-name-7", "-unused-1", "-unused-4"}[i]} {
			if !bytes.Contains(bytes.Join(held, nil), []byte(canary+want)) {
				t.Fatalf("%s is not in file %d", want, i)
			}
		}
	}
	return dir
}

// everything returns all readable bytes of a release: names below its folder, except the files of
// the test, and the content of its files.
func everything(t *testing.T, dir string) [][]byte {
	t.Helper()
	var all [][]byte
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case name == "in":
			return filepath.SkipDir
		case !strings.HasSuffix(name, ".parquet") || entry.IsDir():
			all = append(all, []byte(name))
			return nil
		}
		held, err := formatstest.Bytes(path)
		all = append(append(all, []byte(name)), held...)
		return err
	})
	must(t, err)
	return all
}

// mustNotHold looks for secrets in the releases of a folder.
func mustNotHold(t *testing.T, dir string, secrets ...[]byte) {
	t.Helper()
	all := everything(t, dir)
	if !bytes.Contains(bytes.Join(all, nil), []byte(cutfile.Key)) {
		t.Fatal("no release to look at")
	}
	for _, held := range all {
		for _, secret := range secrets {
			if bytes.Contains(held, secret) {
				t.Errorf("%q gets out", secret)
			}
		}
	}
}

func TestNoCanaryGetsOut(t *testing.T) {
	t.Setenv("KCUT_TEST_KEY", secretKey)
	for _, output := range []string{"out.parquet", "out/"} {
		for _, compression := range []string{"none", "zstd"} {
			t.Run(output+" "+compression, func(t *testing.T) {
				dir := leakFolder(t)
				overrides := []string{"output.path", dir + "/" + output, "output.compression",
					compression}
				mustRelease(t, dir, 2, overrides...)
				mustNotHold(t, dir, []byte(canary))
			})
		}
	}
}

// The smallest and largest number of a column without declared bounds are not in the release,
// neither as text nor as bytes, in any rendering.
func TestExtremesStay(t *testing.T) {
	const low, high = -987654321, 1234567890123
	for _, render := range []string{job.RenderLabel, job.RenderBounds, job.RenderInterval} {
		t.Run(render, func(t *testing.T) {
			table := &testTable{fields: []formats.Field{
				{Name: "x", Type: wholeType},
				{Name: "class", Type: textType},
			}}
			for i := range 100 {
				table.rows = append(table.rows,
					[]string{fmt.Sprint(1000 + i), []string{"low", "high"}[i/25%2]})
			}
			table.rows[50][0], table.rows[60][0] = fmt.Sprint(low), fmt.Sprint(high)
			dir := table.folder(t, strings.Replace(numberJob(", render: "+render), "k: 3",
				"k: 5", 1), 30)
			mustRelease(t, dir, 2)
			for _, number := range []int64{low, high} {
				mustNotHold(t, dir, fmt.Append(nil, number),
					binary.LittleEndian.AppendUint64(nil, uint64(number)),
					binary.LittleEndian.AppendUint64(nil, math.Float64bits(float64(number))))
			}
		})
	}
}
