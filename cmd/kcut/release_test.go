package main

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
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
	for _, name := range []string{"kcut-v0-linux-amd64.tar.gz", "kcut-v0-windows-arm64.zip",
		"SHA256SUMS"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
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
