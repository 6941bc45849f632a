package checkpoint

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/publish"
)

// content is what a test state holds.
type content struct {
	number  uint64
	text    string
	texts   []string
	numbers []int32
	floats  []float64
	yes     bool
}

func (c *content) save(w *Writer) {
	w.Uint(c.number)
	w.String(c.text)
	w.Strings(c.texts)
	Numbers(w, c.numbers)
	w.Floats(c.floats)
	w.Bool(c.yes)
}

func (c *content) load(r *Reader) error {
	*c = content{r.Uint(), r.String(), r.Strings(), ReadNumbers[int32](r), r.Floats(), r.Bool()}
	return nil
}

func (c *content) String() string {
	return fmt.Sprint(c.number, len(c.text), strings.Count(c.text, "x"), c.texts, c.numbers, c.floats, c.yes)
}

var key = Key{1, 2, 3}

func save(t *testing.T, f *Folder, c *content) {
	t.Helper()
	if err := f.Save(t.Context(), "state", key, c.save); err != nil {
		t.Fatal(err)
	}
}

// contents are small, and of more than one block.
func contents() []*content {
	return []*content{
		{},
		{number: 1<<64 - 1, text: "a text", texts: []string{"", "b"}, numbers: []int32{7, 0}, floats: []float64{-1.5e300, 0.1}, yes: true},
		{text: strings.Repeat("x", 3*blockBytes+17), numbers: make([]int32, 2*blockBytes)},
	}
}

func TestStateComesBack(t *testing.T) {
	f := In(publish.OS, filepath.Join(t.TempDir(), "not", "there", "yet"))
	for _, want := range contents() {
		save(t, f, want)
		var got content
		if err := f.Load("state", key, got.load); err != nil || got.String() != want.String() {
			t.Errorf("%.100v came back as %.100v, %v", want, &got, err)
		}
		if err := f.Load("state", Key{4}, got.load); !errors.Is(err, ErrNone) {
			t.Errorf("with another key: %v", err)
		}
		if err := f.Load("other", key, got.load); !errors.Is(err, ErrNone) {
			t.Errorf("of another name: %v", err)
		}
	}
	info, err := os.Stat(f.file("state"))
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if info, err = os.Stat(f.Path()); err != nil || info.Mode() != fs.ModeDir|0o700 {
		t.Errorf("mode of the folder %v, %v", info.Mode(), err)
	}
}

// TestDamageIsFound cuts a state at every byte and flips bits: what comes back is what was
// written, or nothing.
func TestDamageIsFound(t *testing.T) {
	f := In(publish.OS, t.TempDir())
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
				if err := f.Load("state", key, got.load); !errors.Is(err, ErrNone) {
					t.Fatalf("byte %d of %d: %v", at, len(whole), err)
				}
			}
		}
	}
}

// TestBlocksAreInOrder swaps two whole blocks of a state: what comes back is nothing.
func TestBlocksAreInOrder(t *testing.T) {
	f := In(publish.OS, t.TempDir())
	numbers := make([]int32, blockBytes)
	for i := range numbers {
		numbers[i] = int32(i)
	}
	save(t, f, &content{numbers: numbers})
	whole, err := os.ReadFile(f.file("state"))
	if err != nil {
		t.Fatal(err)
	}
	first := len(magic) + len(key)
	second := first + blockHead + int(binary.LittleEndian.Uint32(whole[first:]))
	third := second + blockHead + int(binary.LittleEndian.Uint32(whole[second:]))
	swapped := slices.Concat(whole[:first], whole[second:third], whole[first:second], whole[third:])
	if err := os.WriteFile(f.file("state"), swapped, 0o600); err != nil || bytes.Equal(swapped, whole) {
		t.Fatal(err)
	}
	var got content
	if err := f.Load("state", key, got.load); !errors.Is(err, ErrNone) {
		t.Errorf("got %v", err)
	}
}

// TestLeftover writes a file over what a killed run has left of a longer one.
func TestLeftover(t *testing.T) {
	f := In(publish.OS, t.TempDir())
	if err := os.WriteFile(f.file("name"+unfinished), []byte("a longer text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if names, err := f.Names(); err != nil || len(names) > 0 {
		t.Errorf("%v is said to be complete, %v", names, err)
	}
	if err := f.Put("name", []byte("text")); err != nil {
		t.Fatal(err)
	}
	if text, err := f.Get("name", 100); err != nil || string(text) != "text" {
		t.Errorf("got %q, %v", text, err)
	}
}

// TestStateThatFails demands that a state which cannot be saved leaves the one before.
func TestStateThatFails(t *testing.T) {
	f := In(publish.OS, t.TempDir())
	want := contents()[1]
	save(t, f, want)
	failure := errors.New("no more")
	if err := f.Save(t.Context(), "state", key, func(w *Writer) { w.Uint(1); w.Fail(failure) }); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Save(ctx, "state", key, contents()[2].save); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	var got content
	if err := f.Load("state", key, got.load); err != nil || got.String() != want.String() {
		t.Errorf("came back as %v, %v", &got, err)
	}
	if entries, err := os.ReadDir(f.Path()); err != nil || len(entries) != 1 {
		t.Errorf("%v is there, %v", entries, err)
	}
	if err := f.Load("state", key, func(*Reader) error { return failure }); !errors.Is(err, failure) {
		t.Errorf("a reader that fails: %v", err)
	}
}

func TestClaim(t *testing.T) {
	path := filepath.Join(t.TempDir(), "work")
	first, err := Claim(publish.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Claim(publish.OS, path); !errors.Is(err, formats.ErrBusy) {
		t.Errorf("claimed twice: %v", err)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder stays: %v", err)
	}
	second, err := Claim(publish.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(second.Put("kept", []byte("text")), second.Put("swept", nil)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(second.file("kept"+unfinished), nil, 0o600), second.Sweep("kept"), second.Release(), os.Chmod(path, 0o755)); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(path); err != nil || len(entries) != 1 {
		t.Errorf("%v is there after a sweep, %v", entries, err)
	}
	third, err := Claim(publish.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	defer third.Release()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	text, err := third.Get("kept", 4)
	if names, _ := third.Names(); err != nil || string(text) != "text" || !slices.Equal(names, []string{"kept"}) {
		t.Errorf("%v with %q is left, %v", names, text, err)
	}
	if _, err := third.Get("kept", 3); !errors.Is(err, formats.ErrUnsupported) {
		t.Errorf("larger than it may be: %v", err)
	}
	if _, err := third.Get("swept", 3); !errors.Is(err, ErrNone) {
		t.Errorf("swept: %v", err)
	}
	if err := errors.Join(third.Remove("kept"), third.Remove("kept")); err != nil {
		t.Error(err)
	}
}

// TestLateClaim opens a folder that another run then replaces: it must lock what is there.
func TestLateClaim(t *testing.T) {
	path := filepath.Join(t.TempDir(), "work")
	f, err := Claim(&lateFS{FS: publish.OS, replaced: path}, path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Release()
	if _, err := Claim(publish.OS, path); !errors.Is(err, formats.ErrBusy) {
		t.Errorf("another run gets %v, want ErrBusy", err)
	}
}

// lateFS replaces a folder once, between opening it and returning it.
type lateFS struct {
	publish.FS
	replaced string
}

func (l *lateFS) OpenDir(name string) (publish.Handle, error) {
	f, err := l.FS.OpenDir(name)
	if name == l.replaced {
		l.replaced = ""
		err = errors.Join(err, os.Rename(name, name+"-gone"), os.Mkdir(name, 0o700))
	}
	return f, err
}

// TestInNoFolder demands that a folder which cannot be there is one without files.
func TestInNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file + "/below", file + "-missing"} {
		f := In(publish.OS, path)
		names, err := f.Names()
		if err = errors.Join(err, f.Sweep(), f.Discard(), f.Release()); err != nil || names != nil {
			t.Errorf("%s: %v, %v", path, names, err)
		}
	}
	if _, err := Claim(publish.OS, file); err == nil {
		t.Error("a file was claimed")
	}
	if err := In(publish.OS, file+"/below").Put("name", nil); err == nil {
		t.Error("written below a file")
	}
}
