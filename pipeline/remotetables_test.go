package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/storage/storagetest"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/verify"
)

// remoteTables is the job of twoTables from and to an object store.
type remoteTables struct {
	dir    string
	server *storagetest.Server
	want   map[string][]byte // the releases of a run on a disk, as objects
}

// eachRemoteTables runs a test with a job of several tables in every store.
func eachRemoteTables(t *testing.T, test func(t *testing.T, r *remoteTables)) {
	for _, scheme := range storagetest.Schemes {
		t.Run(scheme, func(t *testing.T) {
			dir, listed := tablesFolder(t)
			_, err := RunTables(t.Context(), loadTables(t, dir), RunOptions{})
			must(t, err)
			r := &remoteTables{dir, storagetest.NewOf(t, scheme), make(map[string][]byte)}
			for name := range listed {
				if !strings.HasSuffix(name, "/") {
					r.want["out/"+name] = mustRead(t, filepath.Join(dir, name))
				}
			}
			removeTables(t, dir)
			t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
			r.server.Put(t, "in/a.parquet", mustRead(t, filepath.Join(dir, "in", "a.parquet")))
			for _, name := range []string{"stays.parquet", "bills/"} {
				editJob(t, dir, "input: in, output: "+name,
					"input: "+r.server.URL("in")+", output: "+r.server.URL("out/"+name))
			}
			test(t, r)
		})
	}
}

// coarser makes another release.
var coarser = job.Override{Key: "quasi_identifiers[].k", Value: "6", Origin: "test"}

// load returns the job with replaced values.
func (r *remoteTables) load(t *testing.T, overrides ...job.Override) *job.Tables {
	t.Helper()
	tables, err := job.LoadTables(filepath.Join(r.dir, "job.yaml"), overrides)
	must(t, err)
	return tables
}

// released returns the released objects, without records.
func (r *remoteTables) released(t *testing.T) map[string][]byte {
	t.Helper()
	objects := outputs(t, r.server)
	maps.DeleteFunc(objects, func(name string, _ []byte) bool {
		return strings.Contains(name, ".kcut/")
	})
	return objects
}

// empty removes outputs, records and what this machine keeps.
func (r *remoteTables) empty(t *testing.T) {
	t.Helper()
	removeOutputs(t, r.server)
	must(t, os.RemoveAll(filepath.Join(r.dir, "cache")))
}

// of returns the objects of a table.
func of(objects map[string][]byte, table string) map[string][]byte {
	found := make(map[string][]byte)
	for name, text := range objects {
		if strings.HasPrefix(name, "out/"+table) {
			found[name] = text
		}
	}
	return found
}

// mustBe demands that objects are released, and that this machine keeps no release.
func (r *remoteTables) mustBe(t *testing.T, when string, want map[string][]byte) {
	t.Helper()
	if got := r.released(t); !maps.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("%s: %v are released, want %v, or with other bytes", when,
			slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
	for _, pattern := range []string{".*.kcut-tmp", "[^.]*"} {
		left, err := filepath.Glob(filepath.Join(r.dir, "cache", "kcut", pattern))
		if err != nil || len(left) > 0 {
			t.Errorf("%s: %v left, %v", when, left, err)
		}
	}
}

// Several tables are released into an object store with the bytes that they have on a disk. The
// same command has nothing to do then, on another machine, too. A table that fails keeps all
// earlier releases as they are, and --overwrite replaces all of them.
func TestRemoteTables(t *testing.T) { eachRemoteTables(t, testRemoteTables) }

func testRemoteTables(t *testing.T, r *remoteTables) {
	run := func(opt RunOptions, overrides ...job.Override) (*TablesReport, error) {
		t.Helper()
		return RunTables(t.Context(), r.load(t, overrides...), opt)
	}
	report, err := run(RunOptions{})
	must(t, err)
	r.mustBe(t, "the first run", r.want)
	people := report.Joined[0].People
	for _, machine := range []string{"this", "another"} {
		if machine == "another" {
			must(t, os.RemoveAll(filepath.Join(r.dir, "cache")))
		}
		report, err = run(RunOptions{Resume: true})
		must(t, err)
		for _, table := range report.Tables {
			if !table.AlreadyDone {
				t.Errorf("%s machine: table %s is made again", machine, table.Table)
			}
		}
		if j := report.Joined; len(j) != 1 || j[0].People != people {
			t.Errorf("%s machine: joined %+v, want %d people", machine, j, people)
		}
		r.mustBe(t, machine+" machine", r.want)
	}
	for _, table := range r.load(t).Tables {
		v, err := verify.Release(t.Context(), table.Output.Path, verify.Options{})
		if err != nil || !v.OK {
			t.Errorf("verify %s: %+v, %v", table.Name, v, err)
		}
	}

	_, err = run(RunOptions{Resume: true}, coarser)
	mustFail(t, err, fault.Exists, "table stays: ")
	r.mustBe(t, "refused", r.want)
	text := mustRead(t, filepath.Join(r.dir, "job.yaml"))
	editJob(t, r.dir, "bills: {input: "+r.server.URL("in"), "bills: {input: "+r.server.URL("none"))
	_, err = run(RunOptions{Overwrite: true}, coarser)
	mustFail(t, err, fault.Input, "table bills: ")
	write(t, filepath.Join(r.dir, "job.yaml"), string(text))
	r.mustBe(t, "not replaced, since bills has no input", r.want)
	_, err = run(RunOptions{Overwrite: true}, coarser)
	must(t, err)
	for _, table := range []string{"stays", "bills"} {
		if maps.EqualFunc(of(r.released(t), table), of(r.want, table), bytes.Equal) {
			t.Errorf("table %s is not replaced", table)
		}
	}
	_, err = run(RunOptions{Overwrite: true})
	must(t, err)
	r.mustBe(t, "replaced", r.want)
}

// trouble is a fault of one request, or of it and all later ones, or a stop of the run at it.
type trouble struct {
	name     string
	fault    storagetest.Fault
	goes, on bool // goes: the run is stopped; on: later requests have the fault, too
}

// A request that fails, or a stop while it is answered, leaves no table, all, or those that the
// error names, unless the store does not remove what was uploaded, which the error says. A table
// that is to be replaced is the old or the new one then, or a directory without _SUCCESS. The same
// command completes the tables. The long test lets each request fail.
func TestRemoteTablesFail(t *testing.T) { eachRemoteTables(t, testRemoteTablesFail) }

func testRemoteTablesFail(t *testing.T, r *remoteTables) {
	troubles, step := []trouble{
		{name: "stopped", goes: true},
		{name: "denied from then on", fault: storagetest.Denied, on: true},
		{name: "denied", fault: storagetest.Denied},
		{name: "refused", fault: storagetest.Refused, on: true},
	}, 1
	if !long {
		troubles, step = troubles[:2], 29
	}
	if !strings.HasPrefix(r.server.URL(""), "s3:") { // the clients of others wait between tries
		troubles, step = troubles[:1], min(step, 17)
	}
	_, err := RunTables(t.Context(), r.load(t, coarser), RunOptions{})
	must(t, err)
	old := outputs(t, r.server)
	for _, key := range r.server.Keys(t) {
		if !strings.HasPrefix(key, "in/") {
			old[key] = r.server.Get(t, key)
		}
	}
	for _, before := range []map[string][]byte{nil, old} {
		none, first := 0, 0
		for i, trouble := range troubles {
			for n, hit := i*step/len(troubles), true; hit; n += step {
				r.empty(t)
				for key, data := range before {
					r.server.Put(t, key, data)
				}
				at := fmt.Sprintf("%s at request %d, %d objects before", trouble.name, n,
					len(before))
				opt := RunOptions{Resume: true, Overwrite: before != nil}
				err := r.runWith(t, trouble, n, opt)
				hit = err != nil || trouble.goes && n < len(r.server.Requests())
				switch r.mustStand(t, at, err, before); {
				case err == nil:
				case strings.Contains(err.Error(), "published before: stays"):
					first++
				default:
					none++
				}
				_, err = RunTables(t.Context(), r.load(t), opt)
				must(t, err)
				r.mustBe(t, at+", then again", r.want)
			}
		}
		if none < 3 || first == 0 {
			t.Errorf("%d objects before: no table was published %d times, the first alone %d "+
				"times", len(before), none, first)
		}
	}
}

// runWith runs the tables with a trouble at a request.
func (r *remoteTables) runWith(t *testing.T, trouble trouble, n int, opt RunOptions) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r.server.Fail(func(at int, _ storagetest.Request) storagetest.Fault {
		if at < n || at > n && !trouble.on {
			return storagetest.None
		}
		if trouble.goes {
			cancel()
		}
		return trouble.fault
	})
	defer r.server.Fail(nil)
	_, err := RunTables(ctx, r.load(t), opt)
	return err
}

// mustStand demands that a run that ended with an error left what the error says.
func (r *remoteTables) mustStand(
	t *testing.T, at string, err error, before map[string][]byte,
) {
	t.Helper()
	if err == nil {
		r.mustBe(t, at, r.want)
		return
	}
	got, said := r.released(t), err.Error()
	stuck := strings.Contains(said, "remove the uploaded objects")
	for _, table := range []string{"stays", "bills"} {
		stands, old := of(got, table), of(before, table)
		fails, named := strings.Contains(said, "table "+table+": "),
			strings.Contains(said, "published before: "+table)
		switch {
		case maps.EqualFunc(stands, of(r.want, table), bytes.Equal): // new
			if !named && !fails {
				t.Errorf("%s: table %s is published after %v", at, table, err)
			}
		case named:
			t.Errorf("%s: table %s is not published after %v", at, table, err)
		case maps.EqualFunc(stands, old, bytes.Equal), fails && stuck:
		case !fails || table != "bills" || stands["out/bills/_SUCCESS"] != nil:
			t.Errorf("%s: %v of table %s after %v", at, slices.Sorted(maps.Keys(stands)), table,
				err)
		}
	}
}
