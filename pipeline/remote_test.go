package pipeline

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/storage/storagetest"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/verify"
)

// remoteFolder is a jobFolder whose input is in an object store, too. The environment keeps the
// caches of the store in the folder's "cache".
func remoteFolder(t *testing.T, scheme string, rows int) (string, *storagetest.Server) {
	t.Helper()
	dir := jobFolder(t, peopleJob)
	table := people(rand.New(rand.NewPCG(7, 8)), rows)
	half := rows / 2
	table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, half, half/3+1)
	table.parquet(t, filepath.Join(dir, "in", "b.parquet"), half, rows, half)
	server := storagetest.NewOf(t, scheme)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	for _, name := range []string{"a.parquet", "b.parquet"} {
		server.Put(t, "in/"+name, mustRead(t, filepath.Join(dir, "in", name)))
	}
	server.Put(t, "in/_SUCCESS", nil)
	server.Put(t, "in2/other.parquet", []byte("not Parquet"))
	return dir, server
}

// eachStore runs a test in a remoteFolder of every store.
func eachStore(
	t *testing.T, rows int, test func(t *testing.T, dir string, server *storagetest.Server),
) {
	for _, scheme := range storagetest.Schemes {
		t.Run(scheme, func(t *testing.T) {
			dir, server := remoteFolder(t, scheme, rows)
			test(t, dir, server)
		})
	}
}

// runRemote runs the folder's job from the store's input, unless it is overridden, to an output
// there.
func runRemote(
	t *testing.T, dir string, server *storagetest.Server, output string, opt RunOptions,
	overrides ...string,
) (*Report, error) {
	t.Helper()
	if !slices.Contains(overrides, "input") { // several add up
		overrides = append(overrides, "input", server.URL("in"))
	}
	overrides = append(overrides, "output.path", server.URL(output))
	return Run(t.Context(), mustLoad(t, dir, overrides...), opt)
}

// outputs returns the objects of a server that begin with out.
func outputs(t *testing.T, server *storagetest.Server) map[string][]byte {
	t.Helper()
	objects := make(map[string][]byte)
	for _, key := range server.Keys(t) {
		if strings.HasPrefix(key, "out") {
			objects[key] = server.Get(t, key)
		}
	}
	return objects
}

// removeOutputs removes everything from a server but the input.
func removeOutputs(t *testing.T, server *storagetest.Server) {
	t.Helper()
	for _, key := range server.Keys(t) {
		if !strings.HasPrefix(key, "in") {
			server.Delete(t, key)
		}
	}
}

// TestRemoteRun: a job from and to an object store makes the same release as on a disk, and no
// other file; the same job again has nothing to do, and its release can be verified in the store.
func TestRemoteRun(t *testing.T) { eachStore(t, 3000, testRemoteRun) }

func testRemoteRun(t *testing.T, dir string, server *storagetest.Server) {
	for _, output := range []string{"out.parquet", "out/"} {
		local, err := loadJob(dir, "output.path",
			filepath.Join(dir, "local")+strings.TrimPrefix(output, "out"))
		if err == nil {
			_, err = Run(t.Context(), local, RunOptions{})
		}
		must(t, err)
		want := make(map[string][]byte)
		if output == "out.parquet" {
			want[output] = mustRead(t, filepath.Join(dir, "local.parquet"))
		} else {
			entries, err := os.ReadDir(filepath.Join(dir, "local"))
			must(t, err)
			for _, e := range entries {
				want[output+e.Name()] = mustRead(t, filepath.Join(dir, "local", e.Name()))
			}
		}
		run := func(resume, overwrite bool) (*Report, error) {
			return runRemote(t, dir, server, output,
				RunOptions{Resume: resume, Overwrite: overwrite})
		}
		check := func(when string) {
			got := outputs(t, server)
			if !maps.EqualFunc(got, want, bytes.Equal) {
				t.Errorf("%s, %s: %v, want %v",
					output, when, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
			}
		}
		if _, err := run(true, false); err != nil {
			t.Fatal(err)
		}
		check("first run")
		report, err := run(true, false)
		if err != nil || !report.AlreadyDone {
			t.Errorf("%s: run again: %v, %v", output, report, err)
		}
		_, err = run(false, false)
		mustFail(t, err, fault.Exists)
		if _, err := run(false, true); err != nil {
			t.Errorf("%s: overwrite: %v", output, err)
		}
		check("overwritten")
		v, err := verify.Release(t.Context(), server.URL(output), verify.Options{})
		if err != nil || !v.OK || v.Rows != 3000 {
			t.Errorf("%s: verify: %+v, %v", output, v, err)
		}
		if _, err := cutfile.Read(t.Context(),
			strings.TrimSuffix(server.URL(output), "/")); err != nil {
			t.Errorf("%s: read cut: %v", output, err)
		}
		removeOutputs(t, server)
	}
}

// TestRemoteFormats: CSV and Arrow files in an object store are planned, run and masked like
// files on a disk.
func TestRemoteFormats(t *testing.T) {
	dir, server := remoteFolder(t, "s3", 900)
	write(t, filepath.Join(dir, "job.yaml"), `
input: in
output: out.parquet
class: income
quasi_identifiers: [{columns: [city, job], k: 5}]
columns: {city: {mask: generalize}, job: suppress, income: keep}
taxonomies: trees.yaml
unlisted: drop
`)
	table := people(rand.New(rand.NewPCG(7, 8)), 900)
	var columns []formatstest.Text
	for c, field := range table.fields {
		column := formatstest.Text{Name: field.Name}
		for _, row := range table.rows {
			column.Rows = append(column.Rows, strings.ReplaceAll(row[c], null, "Bonn"))
		}
		columns = append(columns, column)
	}
	for name, put := range map[string]func(path string){
		"a.csv": func(path string) { table.csv(t, path) },
		"a.arrow": func(path string) {
			must(t, formatstest.WriteArrow(path, columns))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			put(path)
			server.Put(t, "texts/"+name, mustRead(t, path))
			mustRun(t, dir, nil, "input", path, "output.path", filepath.Join(dir, name+".parquet"))
			there := []string{"input", server.URL("texts/*" + filepath.Ext(name)), "output.path",
				server.URL("out.parquet")}
			f, err := planJob(t, dir, PlanOptions{Sample: true}, there...)
			must(t, err)
			if size := int64(len(mustRead(t, path))); f.Bytes != size || f.Rows != 900 ||
				f.Sampled != 900 {
				t.Errorf("planned: %d bytes, %d rows, %d sampled, want %d and 900",
					f.Bytes, f.Rows, f.Sampled, size)
			}
			mustRun(t, dir, nil, there...)
			if !bytes.Equal(server.Get(t, "out.parquet"),
				mustRead(t, filepath.Join(dir, name+".parquet"))) {
				t.Error("another release than on a disk")
			}
			server.Delete(t, "out.parquet")
		})
	}
}

// TestRemoteFaults lets every request of a run fail in every way. The store then has the whole
// release or none, the error belongs to the kind of fault, and this machine keeps no file but the
// record of the run. The long test lets all requests fail, the short test every 29th; for
// stores whose clients wait before they retry, both tests try fewer.
func TestRemoteFaults(t *testing.T) { eachStore(t, 400, testRemoteFaults) }

func testRemoteFaults(t *testing.T, dir string, server *storagetest.Server) {
	steps := []int{29, 1}
	if !strings.HasPrefix(server.URL(""), "s3:") { // whose client waits between its tries
		steps = []int{59, 7}
	}
	step := steps[0]
	if os.Getenv("KCUT_LONG") != "" {
		step = steps[1]
	}
	for _, output := range []string{"out.parquet", "out/"} {
		record := "." + strings.TrimSuffix(output, "/") + ".kcut/"
		run := func() error {
			_, err := runRemote(t, dir, server, output, RunOptions{Resume: true})
			return err
		}
		removeOutputs(t, server)
		must(t, run())
		whole := outputs(t, server)
		for _, trouble := range []storagetest.Fault{storagetest.Error, storagetest.Throttled,
			storagetest.Denied, storagetest.Cut, storagetest.Refused, storagetest.Done} {
			for n, hit := int(trouble)%step, true; hit; n += step {
				removeOutputs(t, server)
				must(t, os.RemoveAll(filepath.Join(dir, "cache")))
				hit = false
				server.Fail(func(at int, _ storagetest.Request) storagetest.Fault {
					if at != n {
						return storagetest.None
					}
					hit = true
					return trouble
				})
				err := run()
				requests := server.Requests()
				server.Fail(nil)
				got := outputs(t, server)
				switch class := fault.ClassOf(err); {
				case err == nil && trouble != storagetest.Denied &&
					server.Get(t, record+recordFile) == nil &&
					server.Get(t, record+pendingFile) == nil:
					t.Errorf("%s, fault %d at request %d: no record beside the output",
						output, trouble, n)
				case err == nil && !maps.EqualFunc(got, whole, bytes.Equal):
					t.Errorf("%s, fault %d at request %d: %v, all of it was %v", output, trouble, n,
						slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(whole)))
				case err != nil && len(got) > 0:
					t.Errorf("%s, fault %d at request %d (%v): %v left after %v",
						output, trouble, n, requests[n], slices.Sorted(maps.Keys(got)), err)
				case err != nil && class != fault.Transient &&
					(trouble != storagetest.Denied || class != fault.Input && class != fault.Usage):
					t.Errorf("%s, fault %d at request %d (%v): class %v of %v",
						output, trouble, n, requests[n], class, err)
				}
				if left, _ := filepath.Glob(filepath.Join(dir, "cache",
					"kcut", ".*.kcut-tmp")); len(left) > 0 {
					t.Errorf("%s, fault %d at request %d: %v left", output, trouble, n, left)
				}
			}
		}
	}
}

// TestRemoteRefusals: impossible outputs are refused before any work is done.
func TestRemoteRefusals(t *testing.T) { eachStore(t, 400, testRemoteRefusals) }

func testRemoteRefusals(t *testing.T, dir string, server *storagetest.Server) {
	server.Put(t, "other/readme.txt", []byte("x"))
	server.Put(t, "half/part-00000.parquet", []byte("x"))
	server.Put(t, "half/part-00009.parquet", []byte("x"))
	for _, c := range []struct {
		input, output string
		class         fault.Class
	}{
		{server.URL("in"), server.NoURL("out.parquet"), fault.Usage},
		{server.NoURL("in"), server.URL("out.parquet"), fault.Input},
		{server.URL("nothing"), server.URL("out.parquet"), fault.Input},
		{server.URL("in2"), server.URL("out.parquet"), fault.Input},
		{server.URL("in"), server.URL("other/"), fault.Exists},
		{server.URL("in"), server.URL("in/out.parquet"), fault.Usage},
		{server.URL("in"), server.URL(""), fault.Exists},
		{server.URL("in/*.parquet"), server.URL("in/c.parquet"), fault.Usage},
	} {
		_, err := runJob(t, dir, nil, "input", c.input, "output.path", c.output)
		mustFail(t, err, c.class)
	}
	if _, err := runRemote(t, dir, server, "half/", RunOptions{Resume: true}); err != nil {
		t.Errorf("a release that was not written to its end: %v", err)
	}
	if server.Get(t, "half/part-00009.parquet") != nil || server.Get(t, "half/_SUCCESS") == nil {
		t.Errorf("what was left of another run is there: %v", server.Keys(t))
	}
	var changed int
	server.Fail(func(_ int, r storagetest.Request) storagetest.Fault {
		if r.Method == "GET" && strings.HasSuffix(r.Path, "a.parquet") {
			if changed++; changed == 8 {
				server.Put(t, "in/a.parquet", server.Get(t, "in/b.parquet"))
			}
		}
		return storagetest.None
	})
	_, err := runRemote(t, dir, server, "out.parquet", RunOptions{})
	if mustFail(t, err, fault.Input); len(outputs(t, server)) > 0 {
		t.Errorf("input that changes: %v", slices.Sorted(maps.Keys(outputs(t, server))))
	}
}

// TestRemoteRecord: a machine without records of its own finds the record of a release in the
// object store. That record reveals no more than the release and the digests of its origin. A run
// distinguishes another job, another input and a changed release. It repairs the records of a run
// that ended before its record was confirmed.
func TestRemoteRecord(t *testing.T) { eachStore(t, 900, testRemoteRecord) }

func testRemoteRecord(t *testing.T, dir string, server *storagetest.Server) {
	for _, output := range []string{"out.parquet", "deep/out/"} {
		record := filepath.Dir(strings.TrimSuffix(output, "/")) + "/." + filepath.Base(output) +
			".kcut/"
		record = strings.TrimPrefix(record, "./")
		run := func(opt RunOptions, overrides ...string) (*Report, error) {
			t.Helper()
			must(t, os.RemoveAll(filepath.Join(dir, "cache")))
			opt.Resume = true
			return runRemote(t, dir, server, output, opt, overrides...)
		}
		made, err := run(RunOptions{})
		must(t, err)
		text := server.Get(t, record+recordFile)
		var fields map[string]json.RawMessage
		must(t, json.Unmarshal(text, &fields))
		want := []string{"digests", "quasi_identifiers", "released", "released_bytes",
			"released_files", "rows", "steps"}
		if got := slices.Sorted(maps.Keys(fields)); !slices.Equal(got, want) {
			t.Errorf("%s: the record has %v, want %v", output, got, want)
		}
		done := func(when string) {
			t.Helper()
			report, err := run(RunOptions{})
			if err != nil || !report.AlreadyDone || report.Rows != made.Rows ||
				report.Bytes != made.Bytes || *report.Digests != *made.Digests {
				t.Errorf("%s: %s: %+v, %v", output, when, report, err)
			}
			if got := server.Get(t, record+recordFile); !bytes.Equal(got, text) ||
				server.Get(t, record+pendingFile) != nil {
				t.Errorf("%s: %s: the record is %q, and %q announced",
					output, when, got, server.Get(t, record+pendingFile))
			}
		}
		done("on another machine")
		planned, err := planJob(t, dir, PlanOptions{}, "input", server.URL("in"), "output.path",
			server.URL(output))
		if err != nil || !planned.AlreadyDone {
			t.Errorf("%s: planned: %+v, %v", output, planned, err)
		}
		server.Delete(t, record+recordFile)
		server.Put(t, record+pendingFile, text)
		done("killed before its record was in force")

		refused := func(why string, overrides ...string) {
			t.Helper()
			_, err := run(RunOptions{}, overrides...)
			mustFail(t, err, fault.Exists, why)
		}
		refused("made by another job", "max_steps", "1")
		refused("made of another input", "input", server.URL("in/a.parquet"))
		if report, err := run(RunOptions{Overwrite: true}, "max_steps", "1"); err != nil ||
			report.AlreadyDone {
			t.Errorf("%s: overwrite: %+v, %v", output, report, err)
		}
		refused("made by another job")
		if report, err := run(RunOptions{}, "max_steps", "1"); err != nil || !report.AlreadyDone {
			t.Errorf("%s: overwritten, on another machine: %+v, %v", output, report, err)
		}
		server.Put(t, record+recordFile, text)
		refused("changed since")
		server.Delete(t, record+recordFile)
		refused("it exists")
		removeOutputs(t, server)
		// A run without the permission to write its record does without a record.
		server.Fail(func(_ int, r storagetest.Request) storagetest.Fault {
			if strings.Contains(r.Path, ".kcut/") {
				return storagetest.Denied
			}
			return storagetest.None
		})
		report, err := run(RunOptions{})
		if err != nil || len(report.Notices) == 0 ||
			!strings.Contains(report.Notices[len(report.Notices)-1], "without a record") {
			t.Errorf("%s: record denied: %+v, %v", output, report, err)
		}
		refused("it exists")
		server.Fail(nil)
	}
}
