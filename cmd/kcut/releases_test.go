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

// release is a command line of testdata/releases/digests.txt, which explains the form of the lines,
// and the result of the command.
type release struct {
	line    string   // the command, without digests
	name    string   // its output folder
	args    []string // arguments of kcut
	spills  bool     // the command spills with the least memory
	digests []string // digests of its files
}

// TestReleases makes releases of all kinds and compares every byte with the releases of an earlier
// version. It uses the command line only, so that a change may replace all code behind it. A
// command line may read the files of the lines above it; the samples always exist.
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
	// The releases of version v0.1.0 have the order of the input.
	t.Setenv("KCUT_ORDER", "input")
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
			if os.Getenv("KCUT_LONG") == "" { // both ways have to make the recorded bytes
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

// parseReleases returns the lines of a file of digests without the digests, and the releases.
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
			releases = append(releases,
				&release{line: line, name: name, args: strings.Fields(command), spills: spills})
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

// check runs a command line in an empty folder, with more flags, and compares the digests of its
// files. It may renew the digests.
func (r *release) check(t *testing.T, flags string, renew bool) {
	t.Helper()
	spilled, least := false, strings.Contains(flags, "--memory")
	// A run may free all its data before it spills.
	for try := 0; try == 0 || least && !spilled && try < 5; try++ {
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

// releasedDigests returns lines of digests of the files in a folder, except hidden files.
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
			digests = append(digests,
				fmt.Sprintf("pages %x %s", sha256.Sum256(pages), entry.Name()))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return digests
}

// pagesOf returns the bytes of a Parquet file before its footer, and nil for other files. A Parquet
// file ends in the length of its footer and a magic number.
func pagesOf(content []byte) ([]byte, bool) {
	body, ok := bytes.CutSuffix(content, []byte("PAR1"))
	if !ok {
		return nil, false
	}
	length := int(binary.LittleEndian.Uint32(body[len(body)-4:]))
	return body[:len(body)-4-length], true
}
