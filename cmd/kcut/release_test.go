package main

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// repository reads a file of the repository.
func repository(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestContainerfile compares the image with the rest of the repository: it is built like releases,
// with the Go version of the module, and it is the image that the CronJob expects.
func TestContainerfile(t *testing.T) {
	image := repository(t, "Containerfile")
	goVersion := regexp.MustCompile(`(?m)^go (.*)$`).FindStringSubmatch(repository(t, "go.mod"))[1]
	build := regexp.MustCompile(`CGO_ENABLED=0 .*go}?"? build -tags=tinygo -gcflags=all=-dwarf=false -trimpath -buildvcs=false -ldflags "-s -w -X main\.version=\$`)
	_, last, _ := strings.Cut(image, "\nFROM scratch\n")
	_, cron := cronJobExample(t)
	runAs := cron.Spec.JobTemplate.Spec.Template.Spec.SecurityContext.RunAsUser
	user := regexp.MustCompile(`(?m)^USER (\d+):(\d+)$`).FindStringSubmatch(last)
	for what, ok := range map[string]bool{
		"Go": strings.Contains(image,
			"FROM docker.io/library/golang:"+goVersion+" AS build\n"),
		"build": build.MatchString(image) && build.MatchString(repository(t, ".ci", "build")),
		"no shell": last != "" && !strings.Contains(last, "RUN ") &&
			strings.HasSuffix(last, "ENTRYPOINT [\"/kcut\"]\n"),
		"a user":      user != nil && user[1] != "0",
		"its own one": user != nil && user[1] == strconv.Itoa(runAs),
	} {
		if !ok {
			t.Errorf("%s:\n%s", what, image)
		}
	}
}

// TestRelease builds archives twice, from two folders: the bytes are the same, and the program in
// them is static and has its version.
func TestRelease(t *testing.T) {
	if os.Getenv("KCUT_LONG") == "" {
		t.Skip("minutes of compiling; KCUT_LONG=1 runs it")
	}
	sums := releaseInto(t, filepath.Join(t.TempDir(), "a"))
	dir := filepath.Join(t.TempDir(), "another folder")
	if again := releaseInto(t, dir); again != sums {
		t.Errorf("built again:\n%s\nbefore:\n%s", again, sums)
	}
	for name, has := range map[string]string{
		"kcut-v0-linux-amd64.tar.gz": "", "kcut-v0-windows-arm64.zip": "",
		"SHA256SUMS":                     "  provenance.json\n",
		"provenance.json":                "kcut-v0-windows-arm64.cdx.json",
		"kcut-v0-linux-amd64.cdx.json":   "pkg:golang/github.com/spf13/cobra@",
		"kcut-v0-windows-arm64.cdx.json": "pkg:golang/github.com/kcut/kcut@v0",
	} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil ||
			!bytes.Contains(text, []byte(has)) {
			t.Errorf("%s lacks %q: %v", name, has, err)
		}
	}
	command(t, "tar", "-C", dir, "-xzf", filepath.Join(dir, "kcut-v0-linux-amd64.tar.gz"))
	program := filepath.Join(dir, "kcut-v0-linux-amd64", "kcut")
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP {
			t.Error("the program needs a loader: it is not static")
		}
	}
	if got := command(t, program, "version"); !strings.HasPrefix(got, "kcut v0 (go1.") {
		t.Errorf("version %q", got)
	}
	if text, err := os.ReadFile(program); err != nil || bytes.Contains(text, []byte(dir)) {
		t.Errorf("the program knows where it was built: %v", err)
	}
}

// Archives have the pages next to README.md that it links, and no files that git does not know,
// such as what its commands have left in docs/demo.
func TestReleaseHasLinkedPages(t *testing.T) {
	copied := regexp.MustCompile(`(?m)^\tgit ls-files .*README\.md.*$`).FindString(
		repository(t, ".ci", "release"))
	links := regexp.MustCompile(`\]\(([A-Z]+\.md)[)#]`).FindAllStringSubmatch(
		repository(t, "README.md"), -1)
	if len(links) == 0 {
		t.Error("README.md links no page next to it")
	}
	for _, link := range links {
		if !strings.Contains(copied, " "+link[1]+" ") {
			t.Errorf("%s is not in archives", link[1])
		}
	}
}

// TestProvenance reads the statement of .ci/provenance about two files.
func TestProvenance(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	t.Setenv("VERSION", "v0")
	cmd := exec.CommandContext(t.Context(), filepath.Join("..", "..", ".ci", "provenance"))
	digest := strings.Repeat("0a", 32)
	cmd.Stdin = strings.NewReader(digest + "  a.tar.gz\n" + digest + "  b.zip\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var statement struct {
		Type    string `json:"_type"`
		Subject []struct {
			Name   string
			Digest map[string]string
		}
		PredicateType string
		Predicate     struct {
			BuildDefinition struct {
				ExternalParameters   struct{ Version string }
				ResolvedDependencies []struct {
					URI    string
					Digest map[string]string
				}
			}
		}
	}
	if err := json.Unmarshal(out, &statement); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	built := statement.Predicate.BuildDefinition
	for what, ok := range map[string]bool{
		"types": statement.Type == "https://in-toto.io/Statement/v1" &&
			statement.PredicateType == "https://slsa.dev/provenance/v1",
		"files": len(statement.Subject) == 2 && statement.Subject[1].Name == "b.zip" &&
			statement.Subject[1].Digest["sha256"] == digest,
		"version": built.ExternalParameters.Version == "v0",
		"commit": len(built.ResolvedDependencies) == 2 && regexp.MustCompile(
			`^[0-9a-f]{40}(-dirty)?$`).MatchString(
			built.ResolvedDependencies[0].Digest["gitCommit"]),
	} {
		if !ok {
			t.Errorf("%s:\n%s", what, out)
		}
	}
}

// TestVulnerabilities has .ci/vulnerabilities pass, with a word, where it cannot look, and fail
// where it finds something.
func TestVulnerabilities(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip(err)
	}
	script, database := filepath.Join("..", "..", ".ci", "vulnerabilities"), t.TempDir()
	if err := os.Mkdir(filepath.Join(database, "index"), 0o755); err != nil {
		t.Fatal(err)
	}
	save(t, filepath.Join(database, "index", "modules.json"), []byte("[]"))
	for _, tt := range []struct{ database, program, says string }{
		{"file://" + database + "/none", "true", "none cannot be reached"},
		{"file://" + database, "false", "false cannot be run"},
	} {
		t.Setenv("VULNDB", tt.database)
		t.Setenv("GOVULNCHECK", tt.program)
		if got := command(t, script); !strings.Contains(got, "skipped") ||
			!strings.Contains(got, tt.says) {
			t.Errorf("%s: %s", tt.program, got)
		}
	}
	found := filepath.Join(t.TempDir(), "found")
	save(t, found, []byte("#!/bin/sh\n[ \"$1\" = -version ] || exit 3\n"))
	if err := os.Chmod(found, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOVULNCHECK", found)
	if out, err := exec.CommandContext(t.Context(), script).Output(); err == nil {
		t.Errorf("what was found passes:\n%s", out)
	}
}

// TestWorkflows holds the steps of the workflows against the scripts that they call.
func TestWorkflows(t *testing.T) {
	called := make(map[string]bool)
	for _, name := range []string{"ci.yml", "release.yml"} {
		var workflow struct {
			Jobs map[string]struct {
				Steps []struct{ Uses, Run string }
			}
		}
		text := repository(t, ".github", "workflows", name)
		if err := yaml.Unmarshal([]byte(text), &workflow); err != nil {
			t.Fatal(err)
		}
		for _, job := range workflow.Jobs {
			for _, step := range job.Steps {
				if strings.HasPrefix(step.Run, ".ci/") {
					called[name+" "+step.Run] = true
					repository(t, strings.Split(step.Run, "/")...)
				}
			}
		}
	}
	for _, call := range []string{"ci.yml .ci/run", "release.yml .ci/run",
		"release.yml .ci/release"} {
		if !called[call] {
			t.Errorf("no step for %s in %v", call, called)
		}
	}
}

// releaseInto builds two platforms into a folder and returns the checksums.
func releaseInto(t *testing.T, dir string) string {
	t.Helper()
	t.Setenv("PLATFORMS", "linux/amd64 windows/arm64")
	t.Setenv("VERSION", "v0")
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	t.Setenv("RELEASE_DIR", dir)
	return command(t, filepath.Join("..", "..", ".ci", "release"))
}

func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).Output()
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return string(out)
}
