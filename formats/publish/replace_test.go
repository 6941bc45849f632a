package publish

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/kcut/kcut/formats"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, text := range []string{"a long text", "short"} {
		if err := Replace(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Fatalf("it holds %q, %v; want %q", got, err, text)
		}
	}
	other, err := File(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Replace(path, nil); !errors.Is(err, formats.ErrBusy) {
		t.Errorf("while another writes it: %v", err)
	}
	if err := other.Discard(); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("there are %v, %v", entries, err)
	}
	if err := Replace(dir, nil); err == nil {
		t.Error("a folder was replaced")
	}
}
