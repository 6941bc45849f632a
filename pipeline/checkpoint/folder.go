package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/publish"
)

// Folder is a private folder of files that are written in one step. It is made when the
// first file is written or when it is claimed. It is used by one goroutine.
type Folder struct {
	fs   publish.FS
	path string
	held publish.Handle // the folder, open and locked; nil: not claimed
}

// In returns the folder of a path, which need not exist.
func In(files publish.FS, path string) *Folder { return &Folder{fs: files, path: path} }

// Claim makes the folder of a path and locks it. It returns formats.ErrBusy while another run
// has claimed it. Release is owed.
func Claim(files publish.FS, path string) (*Folder, error) {
	f := In(files, path)
	for f.held == nil {
		if err := f.hold(); err != nil {
			return nil, fmt.Errorf("claim work folder %s: %w", path, err)
		}
	}
	return f, nil
}

// hold opens the folder and locks it. Between the two another run may have removed it; held
// stays nil then.
func (f *Folder) hold() error {
	if err := f.make(); err != nil {
		return err
	}
	held, err := f.fs.OpenDir(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := held.Lock(); err != nil {
		return errors.Join(err, held.Close())
	}
	opened, err := held.Stat()
	if err != nil {
		return errors.Join(err, held.Close())
	}
	named, err := f.fs.Lstat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !os.SameFile(opened, named):
		return held.Close()
	case err != nil:
		return errors.Join(err, held.Close())
	}
	f.held = held
	return nil
}

// make makes the folder unless it is there. What is there must be a folder, and private.
func (f *Folder) make() error {
	err := makeAll(f.fs, f.path)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := f.fs.Lstat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // removed just now
	case err != nil:
		return err
	case !info.IsDir():
		return errors.New("it is in the place of a folder")
	case info.Mode().Perm()&0o077 != 0:
		return f.fs.Chmod(f.path, 0o700)
	}
	return nil
}

// makeAll makes a folder, and those above it that are missing.
func makeAll(files publish.FS, path string) error {
	err := files.MkdirPrivate(path)
	if above := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && above != path {
		if err := makeAll(files, above); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return files.MkdirPrivate(path)
	}
	return err
}

// none reports whether an error says that there is no folder, or none that the process may look at.
func none(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR)
}

// Path returns where the folder is.
func (f *Folder) Path() string { return f.path }

// Release removes the folder if it is empty, and gives up the claim.
func (f *Folder) Release() error {
	err := f.Discard()
	if f.held != nil {
		held := f.held
		f.held = nil
		err = errors.Join(err, held.Close())
	}
	if err != nil {
		return fmt.Errorf("release work folder %s: %w", f.path, err)
	}
	return nil
}

// Discard removes the folder if it is empty, or not there.
func (f *Folder) Discard() error {
	entries, err := f.fs.ReadDir(f.path)
	if err == nil && len(entries) == 0 {
		err = f.fs.Remove(f.path)
	}
	if none(err) || errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// Sweep removes everything but the named files. Of a folder that does not exist there is
// nothing to remove.
func (f *Folder) Sweep(but ...string) error {
	entries, err := f.fs.ReadDir(f.path)
	if none(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sweep work folder: %w", err)
	}
	for _, entry := range entries {
		if slices.Contains(but, entry.Name()) {
			continue
		}
		if err := publish.RemoveAll(f.fs, f.file(entry.Name())); err != nil {
			return fmt.Errorf("sweep work folder: %w", err)
		}
	}
	return nil
}

// Remove removes a file; one that is not there is removed already.
func (f *Folder) Remove(name string) error {
	if err := f.fs.Remove(f.file(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove checkpoint: %w", err)
	}
	return nil
}

// Rename gives a file another's name, which is replaced.
func (f *Folder) Rename(from, to string) error {
	if err := f.fs.Rename(f.file(from), f.file(to)); err != nil {
		return err
	}
	return publish.SyncDir(f.fs, f.path)
}

func (f *Folder) file(name string) string { return filepath.Join(f.path, name) }

// unfinished ends the names of files until they are whole and durable.
const unfinished = ".part"

// Put writes a file, in one step.
func (f *Folder) Put(name string, content []byte) error {
	return f.write(name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// write makes a file under another name, durable, and then gives it its own. What it made is
// removed when that fails.
func (f *Folder) write(name string, fill func(io.Writer) error) error {
	if f.held == nil {
		if err := f.make(); err != nil {
			return err
		}
	}
	fresh := f.file(name + unfinished)
	err := f.fill(fresh, fill)
	if err == nil {
		err = f.fs.Rename(fresh, f.file(name))
	}
	if err != nil {
		return errors.Join(err, publish.RemoveAll(f.fs, fresh))
	}
	return publish.SyncDir(f.fs, f.path)
}

func (f *Folder) fill(path string, fill func(io.Writer) error) error {
	file, err := f.fs.OpenPrivate(path)
	if err != nil {
		return err
	}
	if err = file.Truncate(0); err == nil {
		err = fill(file)
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// Get returns the content of a file of at most so many bytes. It returns ErrNone when there is
// no such file.
func (f *Folder) Get(name string, most int64) (content []byte, err error) {
	err = f.read(name, func(file io.ReaderAt, size int64) error {
		if size > most {
			return fmt.Errorf("%d bytes: %w", size, formats.ErrUnsupported)
		}
		content = make([]byte, size)
		_, err := file.ReadAt(content, 0)
		if err == io.EOF {
			err = nil
		}
		return err
	})
	return content, err
}

// read opens a file, if it is one, for take to read.
func (f *Folder) read(name string, take func(file io.ReaderAt, size int64) error) error {
	info, err := f.fs.Lstat(f.file(name))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return ErrNone
	}
	if err != nil {
		return err
	}
	file, err := f.fs.OpenPrivate(f.file(name))
	if err != nil {
		return err
	}
	return errors.Join(take(file, info.Size()), file.Close())
}

// Names returns the names of the complete files, sorted.
func (f *Folder) Names() ([]string, error) {
	entries, err := f.fs.ReadDir(f.path)
	if err != nil && !none(err) {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), unfinished) {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}
