package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the digests of releases")

// release is a command line of testdata/releases/digests.txt, which explains their form, and what
// comes out of it.
type release struct {
	line    string   // of the command, without digests
	name    string   // the folder that it writes to
	args    []string // of kcut
	spills  bool     // with the least memory
	digests []string // of the files that it must write
}

// TestReleases makes releases of all kinds and holds every byte of them against those of an
// earlier version. Nothing but the command line is used, so that everything behind it may be
// rebuilt. A command line may read what those above it have made; samples are always made.
func TestReleases(t *testing.T) {
	folder, err := filepath.Abs(filepath.Join("testdata", "releases"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "digests.txt")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("KCUT_ORDER", "input") // what does not ask for another order has that of version v0.1.0
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	lines, releases := parseReleases(string(text))
	for i, r := range releases {
		if r.args[0] == "sample" {
			r.check(t, "", *update)
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			variants := []string{"--threads 1", "--threads 4"}
			if os.Getenv("KCUT_LONG") == "" { // either has to make the recorded bytes
				variants = variants[i%2:][:1]
			}
			if r.spills {
				variants = append(variants, "--threads 2 --memory 16MiB")
			}
			for i, flags := range variants {
				r.check(t, flags, *update && i == 0)
			}
		})
	}
	if *update {
		if err := os.WriteFile(file, formatReleases(lines, releases), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// parseReleases returns the lines of a file of digests, without the digests, and its releases.
func parseReleases(text string) (lines []string, releases []*release) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if digest, ok := strings.CutPrefix(line, "  "); ok {
			last := releases[len(releases)-1]
			last.digests = append(last.digests, digest)
			continue
		}
		lines = append(lines, line)
		if head, command, ok := strings.Cut(line, ": "); ok && line[0] != '#' {
			name, spills := strings.CutSuffix(head, " spills")
			releases = append(releases, &release{line: line, name: name, args: strings.Fields(command), spills: spills})
		}
	}
	return lines, releases
}

// formatReleases is the reverse of parseReleases.
func formatReleases(lines []string, releases []*release) []byte {
	var text bytes.Buffer
	for _, line := range lines {
		fmt.Fprintln(&text, line)
		i := slices.IndexFunc(releases, func(r *release) bool { return r.line == line })
		if i < 0 {
			continue
		}
		for _, digest := range releases[i].digests {
			fmt.Fprintln(&text, "  "+digest)
		}
	}
	return text.Bytes()
}

// check runs a command line in an empty folder, with more flags, and compares what it writes with
// the digests, which it may renew.
func (r *release) check(t *testing.T, flags string, renew bool) {
	t.Helper()
	spilled, least := false, strings.Contains(flags, "--memory")
	for try := 0; try == 0 || least && !spilled && try < 5; try++ { // all may be freed before it is written
		if err := os.RemoveAll(r.name); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(r.name, 0o700); err != nil {
			t.Fatal(err)
		}
		spilled = r.run(t, strings.Fields(flags))
	}
	if spilled != least {
		t.Errorf("%s %s: spilled: %v", r.line, flags, spilled)
	}
	got := releasedDigests(t, r.name)
	if renew {
		r.digests = got
	}
	for _, digest := range r.digests {
		if !slices.Contains(got, digest) {
			t.Errorf("%s %s: not as before: %s", r.line, flags, digest)
		}
	}
	for _, digest := range got {
		if !slices.Contains(r.digests, digest) {
			t.Errorf("%s %s: now:           %s", r.line, flags, digest)
		}
	}
}

// run runs the command line in this process and reports whether it spilled.
func (r *release) run(t *testing.T, flags []string) (spilled bool) {
	t.Helper()
	args := append(append(slices.Clone(r.args), flags...), "--json", "--quiet")
	if r.args[0] != "sample" && !slices.Contains(args, "--output") {
		args = append(args, "--output", r.name+"/release.parquet")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0)) // --threads keeps the process to fewer
	var report, said bytes.Buffer
	if exit := execute(t.Context(), args, newUI(&report, &said, false)); exit != 0 {
		t.Fatalf("%s: exit code %d: %s", strings.Join(args, " "), exit, &said)
	}
	var usage struct {
		Spilled int64 `json:"spilled_bytes"`
	}
	if err := json.Unmarshal(report.Bytes(), &usage); err != nil {
		t.Fatal(err)
	}
	return usage.Spilled > 0
}

// releasedDigests returns lines of digests of the files in a folder, but for hidden ones.
func releasedDigests(t *testing.T, folder string) (digests []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		digests = append(digests, fmt.Sprintf("full  %x %s", sha256.Sum256(content), entry.Name()))
		if pages, ok := pagesOf(content); ok {
			digests = append(digests, fmt.Sprintf("pages %x %s", sha256.Sum256(pages), entry.Name()))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return digests
}

// pagesOf returns what a Parquet file has before its footer; false for other files. The footer's
// length and a magic number end the file.
func pagesOf(content []byte) ([]byte, bool) {
	body, ok := bytes.CutSuffix(content, []byte("PAR1"))
	if !ok {
		return nil, false
	}
	length := int(binary.LittleEndian.Uint32(body[len(body)-4:]))
	return body[:len(body)-4-length], true
}
