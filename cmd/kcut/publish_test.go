package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/kcut/kcut/formats/storage/storagetest"
)

// bucketTable is a table whose release is so large that a run uploads it in parts.
func bucketTable(rows int64) bigRun {
	note := func(v uint64) (text string) {
		for range 6 {
			v = v*6364136223846793005 + 1442695040888963407
			text += fmt.Sprintf("%016x", v)
		}
		return text
	}
	return bigRun{
		table: bigTable{rows: rows, rowGroup: rows,
			columns: []bigColumn{numbers("age", 74), {name: "note", typ: bigText, text: note}}},
		masks: "discretize keep",
		k:     5,
	}
}

// A run that is stopped while it publishes to an object store ends in time. The store then has no
// release, no part of a release, and no hidden upload. The next run publishes the bytes of a run
// that was not stopped.
func TestStoppedWhilePublishing(t *testing.T) {
	server := storagetest.New(t)
	binary, err := exec.LookPath("kcut")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	b := bucketTable(130_000)
	if err := b.prepare(dir); err != nil {
		t.Fatal(err)
	}
	r := &spillingRun{dir: dir, scratch: dir + "/scratch", binary: binary}
	for _, output := range []string{"out.parquet", "out/"} {
		command := func() *exec.Cmd {
			return r.command("--memory", "1GiB", "--output", server.URL(output))
		}
		released := func() map[string][]byte {
			objects := make(map[string][]byte)
			for _, key := range server.Keys(t) {
				objects[key] = server.Get(t, key)
			}
			return objects
		}
		empty := func() {
			for _, key := range server.Keys(t) {
				server.Delete(t, key)
			}
		}
		server.Forget()
		if text, err := command().CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		whole, requests := released(), server.Requests()
		first := slices.IndexFunc(requests, func(r storagetest.Request) bool {
			return r.Method != "GET" && r.Method != "HEAD"
		})
		step := 5
		if os.Getenv("KCUT_LONG") != "" {
			step = 1
		}
		for n := first; n < len(requests); n += step {
			at := fmt.Sprintf("%s, stopped at %s %s?%s", output, requests[n].Method,
				requests[n].Path, requests[n].Query)
			empty()
			cmd := command()
			var seen atomic.Bool
			server.Fail(func(i int, _ storagetest.Request) storagetest.Fault {
				if i == n {
					seen.Store(true)
					_ = cmd.Process.Signal(syscall.SIGTERM)
					// The run gets the signal while it waits for the answer.
					time.Sleep(100 * time.Millisecond)
				}
				return storagetest.None
			})
			run := start(t, cmd)
			code := run.exit(t)
			server.Fail(nil)
			got := released()
			switch published := maps.EqualFunc(got, whole, bytes.Equal); {
			case !seen.Load():
				t.Errorf("%s: it did not come to that", at)
			case code == 0 && !published:
				t.Errorf("%s: it succeeded with %v", at, slices.Sorted(maps.Keys(got)))
			case code != 0 && code != 143:
				t.Errorf("%s: exit code %d: %s", at, code, &run.stderr)
			case code == 143 && len(got) > 0:
				t.Errorf("%s: %v is left", at, slices.Sorted(maps.Keys(got)))
			}
			// If the store did not answer the start of an upload, nobody knows the number of the
			// upload.
			begins := requests[n].Method == "POST" &&
				strings.HasPrefix(requests[n].Query, "uploads")
			if !begins && len(server.Uploads(t)) > 0 {
				t.Errorf("%s: uploads of %v go on", at, server.Uploads(t))
			}
			if text, err := command().CombinedOutput(); err != nil {
				t.Errorf("%s: the next run: %v: %s", at, err, text)
			}
			if !maps.EqualFunc(released(), whole, bytes.Equal) {
				t.Errorf("%s: the next run made another release: %v", at, server.Keys(t))
			}
		}
		empty()
	}
}
