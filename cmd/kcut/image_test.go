package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// inImage runs a program alone in a root folder of its own that is read-only except for /data, as
// the user of the image and without an environment.
const inImage = `
root=$1 data=$2 chroot=$(command -v chroot)
shift 2
mount --bind "$root" "$root"
mount --bind "$data" "$root/data"
mount -o remount,ro,bind "$root"
exec env -i "$chroot" --userspec=65532:65532 "$root" /kcut "$@"
`

// TestImage runs the demo's job in the contents of the image: the static program and nothing else,
// no shell, no /tmp, no home and no /proc, as a user without a name.
func TestImage(t *testing.T) {
	switch {
	case os.Getenv("KCUT_LONG") == "":
		t.Skip("a minute of compiling; KCUT_LONG=1 runs it")
	case runtime.GOOS != "linux" || os.Getuid() != 0:
		t.Skip("only root of Linux can change the root of a program")
	}
	out, err := exec.CommandContext(t.Context(), "unshare", "--mount", "true").CombinedOutput()
	if err != nil {
		t.Skipf("no mounts of one's own here: %v: %s", err, out)
	}
	root, data := t.TempDir(), t.TempDir()
	for name, to := range map[string]string{"people.yaml": data, "taxonomies.yaml": data} {
		err := os.WriteFile(filepath.Join(to, name), []byte(repository(t, "docs", "demo", name)),
			0o644)
		if err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-tags=tinygo",
		"-gcflags=all=-dwarf=false", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o",
		filepath.Join(root, "kcut"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v: %s", err, out)
	}
	if err := os.Mkdir(filepath.Join(root, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(data, 65532, 65532); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args string
		exit int
		want string
	}{
		{"--help", 0, "Usage:"},
		{"sample --rows 5000 /data/people.parquet", 0, ""},
		{"sample --rows 10 /people.parquet", 2, "read-only file system"},
		{"run /data/people.yaml --k 10", 0, "released"},
		{"run /data/people.yaml --k 10", 0, "already done"},
		{"verify /data/release.parquet", 0, "ok, 5,000 rows"},
		{"run /data/people.yaml --output s3://bucket/x.parquet", 2, "AWS_REGION"},
	} {
		args := append([]string{"--mount", "sh", "-ec", inImage, "sh", root, data},
			strings.Fields(tt.args)...)
		cmd := exec.CommandContext(t.Context(), "unshare", args...)
		out, _ := cmd.CombinedOutput()
		if exit := cmd.ProcessState.ExitCode(); exit != tt.exit ||
			!strings.Contains(string(out), tt.want) {
			t.Errorf("kcut %s: exit %d, want %d:\n%s", tt.args, exit, tt.exit, out)
		}
	}
	if left := list(t, data); len(left) != 5 {
		t.Errorf("%v lie in /data, want the two of the job, the input, the release and its record",
			left)
	}
}
