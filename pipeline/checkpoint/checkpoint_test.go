package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/internal/fault"
)

// content has the blocks of a test state.
type content [][]byte

func (c *content) save(add func([]byte) error) (err error) {
	for _, block := range *c {
		err = errors.Join(err, add(block))
	}
	return err
}

func (c *content) load(block []byte) error {
	*c = append(*c, bytes.Clone(block))
	return nil
}

func (c *content) String() string { return fmt.Sprintf("%q", *c) }

const head = "a form, and of what\x01"

func in(path string) *Folder { return &Folder{Path: path} }

func save(t *testing.T, f *Folder, c *content) {
	t.Helper()
	if err := put(f, "state", c.save); err != nil {
		t.Fatal(err)
	}
}

func put(f *Folder, name string, fill func(add func([]byte) error) error) error {
	state, err := Encode(head, nil, fill)
	if err == nil {
		err = f.Put(name, state)
	}
	return err
}

func load(f *Folder, name, head string, take func([]byte) error) error {
	state, err := f.Get(name, 1<<30)
	if err == nil {
		err = Decode(state, head, take)
	}
	return err
}

// contents returns an empty content, a small one and a large one.
func contents() []*content {
	return []*content{
		{},
		{[]byte("a text"), nil, []byte("b")},
		{bytes.Repeat([]byte("x"), 3*heldBytes+17), make([]byte, 2*heldBytes)},
	}
}

func TestStateComesBack(t *testing.T) {
	f := in(filepath.Join(t.TempDir(), "not", "there", "yet"))
	for _, want := range contents() {
		save(t, f, want)
		var got content
		if err := load(f, "state", head, got.load); err != nil || got.String() != want.String() {
			t.Errorf("%.100v came back as %.100v, %v", want, &got, err)
		}
		if err := load(f, "state", "another"+head, got.load); !errors.Is(err, ErrNone) {
			t.Errorf("with another head: %v", err)
		}
		if err := load(f, "other", head, got.load); !errors.Is(err, ErrNone) {
			t.Errorf("of another name: %v", err)
		}
	}
	info, err := os.Stat(f.file("state"))
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if info, err = os.Stat(f.Path); err != nil || info.Mode() != fs.ModeDir|0o700 {
		t.Errorf("mode of the folder %v, %v", info.Mode(), err)
	}
}

// TestDamageIsFound cuts a state at every byte and flips bits. A reader gets the written content or
// ErrNone.
func TestDamageIsFound(t *testing.T) {
	f := in(t.TempDir())
	for _, want := range contents() {
		save(t, f, want)
		whole, err := os.ReadFile(f.file("state"))
		if err != nil {
			t.Fatal(err)
		}
		step := 1 + len(whole)/200
		for at := 0; at < len(whole); at += step {
			flipped := bytes.Clone(whole)
			flipped[at] ^= 1 << (at % 8)
			for _, damaged := range [][]byte{whole[:at], flipped} {
				if err := os.WriteFile(f.file("state"), damaged, 0o600); err != nil {
					t.Fatal(err)
				}
				var got content
				if err := load(f, "state", head, got.load); !errors.Is(err, ErrNone) {
					t.Fatalf("byte %d of %d: %v", at, len(whole), err)
				}
			}
		}
	}
}

// TestLeftover writes a file. A killed run has left an unfinished longer file with the same name.
func TestLeftover(t *testing.T) {
	f := in(t.TempDir())
	if err := os.WriteFile(f.file("name"+unfinished), []byte("a longer text"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := f.Get("name", 100)
	if !errors.Is(err, ErrNone) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an unfinished file has the content %q, %v", text, err)
	}
	if err := f.Put("name", []byte("text")); err != nil {
		t.Fatal(err)
	}
	if text, err := f.Get("name", 100); err != nil || string(text) != "text" {
		t.Errorf("got %q, %v", text, err)
	}
}

// TestStateThatFails saves a state, which fails. The state before must stay.
func TestStateThatFails(t *testing.T) {
	f := in(t.TempDir())
	want := contents()[1]
	save(t, f, want)
	failure := errors.New("no more")
	fill := func(add func([]byte) error) error {
		return errors.Join(add([]byte("a text")), failure)
	}
	if err := put(f, "state", fill); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
	var got content
	if err := load(f, "state", head, got.load); err != nil || got.String() != want.String() {
		t.Errorf("came back as %v, %v", &got, err)
	}
	if entries, err := os.ReadDir(f.Path); err != nil || len(entries) != 1 {
		t.Errorf("%v is there, %v", entries, err)
	}
	err := load(f, "state", head, func([]byte) error { return failure })
	if !errors.Is(err, failure) {
		t.Errorf("a reader that fails: %v", err)
	}
}

func TestClaim(t *testing.T) {
	path := filepath.Join(t.TempDir(), "work")
	first, second, third := in(path), in(path), in(path)
	if err := first.Claim(); err != nil {
		t.Fatal(err)
	}
	if err := second.Claim(); !errors.Is(err, formats.ErrBusy) {
		t.Errorf("claimed twice: %v", err)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder stays: %v", err)
	}
	if err := second.Claim(); err != nil {
		t.Fatal(err)
	}
	err := errors.Join(second.Put("kept", []byte("text")), second.Put("swept", nil))
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		os.WriteFile(second.file("kept"+unfinished), nil, 0o600),
		second.Sweep("kept"), second.Release(), os.Chmod(path, 0o755),
	)
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(path); err != nil || len(entries) != 1 {
		t.Errorf("%v is there after a sweep, %v", entries, err)
	}
	if err := third.Claim(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if text, err := third.Get("kept", 4); err != nil || string(text) != "text" {
		t.Errorf("%q is left, %v", text, err)
	}
	if _, err := third.Get("kept", 3); !errors.Is(err, formats.ErrUnsupported) {
		t.Errorf("larger than it may be: %v", err)
	}
	if _, err := third.Get("swept", 3); !errors.Is(err, ErrNone) {
		t.Errorf("swept: %v", err)
	}
	if err := errors.Join(third.Remove("kept"), third.Remove("kept"), third.Release()); err != nil {
		t.Error(err)
	}
}

// TestLateClaim opens a folder, which another run then replaces. Claim must lock the new folder.
func TestLateClaim(t *testing.T) {
	path := filepath.Join(t.TempDir(), "work")
	replaced := false
	replace := func(operation string, do func() error, paths ...string) error {
		err := do()
		if operation == "open directory" && paths[0] == path && !replaced {
			// The folder is open, and the caller does not have it yet.
			replaced = true
			err = errors.Join(err, os.Rename(path, path+"-gone"), os.Mkdir(path, 0o700))
		}
		return err
	}
	f := &Folder{Path: path, FS: &publish.FS{Around: replace}}
	if err := f.Claim(); err != nil {
		t.Fatal(err)
	}
	if err := in(path).Claim(); !errors.Is(err, formats.ErrBusy) {
		t.Errorf("another run gets %v, want ErrBusy", err)
	}
	if err := f.Release(); err != nil {
		t.Error(err)
	}
}

// TestInNoFolder reads from a folder that cannot exist. It must have no files.
func TestInNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file + "/below", file + "-missing"} {
		f := in(path)
		if err := errors.Join(f.Sweep(), f.Discard(), f.Release()); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := in(file).Claim(); err == nil {
		t.Error("a file was claimed")
	}
	if err := in(file+"/below").Put("name", nil); err == nil {
		t.Error("written below a file")
	}
}

// A file with the name of the folder stays, and the error is no internal one.
func TestFileInPlaceOfFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "work")
	if err := os.WriteFile(path, []byte("somebody's"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := in(path).Claim(); fault.ClassOf(err) != fault.Exists {
		t.Errorf("%v is of class %v", err, fault.ClassOf(err))
	}
	if text, err := os.ReadFile(path); string(text) != "somebody's" {
		t.Errorf("the file has %q, %v", text, err)
	}
}
