package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/internal/fault"
)

// Folder is a private folder of files. Each file is written in one step. Claim or the first Put
// makes the folder. Only one goroutine may use a Folder.
type Folder struct {
	FS   *publish.FS
	Path string
	held *publish.Handle // the folder, open and locked; nil: not claimed
}

// Claim makes the folder and locks it. It returns formats.ErrBusy while another run claims the
// folder. The caller must call Release.
func (f *Folder) Claim() error {
	for f.held == nil {
		if err := f.hold(); err != nil {
			return fmt.Errorf("claim work folder %s: %w", f.Path, err)
		}
	}
	return nil
}

// hold opens the folder and locks it. If another run has removed the folder in between, held stays
// nil.
func (f *Folder) hold() error {
	if err := f.make(); err != nil {
		return err
	}
	held, err := f.FS.OpenDir(f.Path)
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
	named, err := f.FS.Lstat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !os.SameFile(opened, named):
		return held.Close()
	case err != nil:
		return errors.Join(err, held.Close())
	}
	f.held = held
	return nil
}

// make makes the folder. If the folder exists, make makes it private. It refuses a file with the
// name of the folder.
func (f *Folder) make() error {
	err := makeAll(f.FS, f.Path)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := f.FS.Lstat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // somebody has just removed the folder
	case err != nil:
		return err
	case !info.IsDir():
		return fault.Errorf(fault.Exists, "remove it, or name another output", "it is no folder")
	case info.Mode().Perm()&0o077 != 0:
		return f.FS.Chmod(f.Path, 0o700)
	}
	return nil
}

// makeAll makes a folder and all missing folders above it.
func makeAll(files *publish.FS, path string) error {
	err := files.MkdirPrivate(path)
	if above := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && above != path {
		if err := makeAll(files, above); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return files.MkdirPrivate(path)
	}
	return err
}

// none reports whether an error says that there is no folder, or that the process may not read the
// folder.
func none(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, syscall.ENOTDIR)
}

// Release removes the folder if it is empty, and gives up the claim.
func (f *Folder) Release() error {
	err := f.Discard()
	if f.held != nil {
		held := f.held
		f.held = nil
		err = errors.Join(err, held.Close())
	}
	if err != nil {
		return fmt.Errorf("release work folder %s: %w", f.Path, err)
	}
	return nil
}

// Discard removes the folder if the folder exists and is empty.
func (f *Folder) Discard() error {
	entries, err := f.FS.ReadDir(f.Path)
	if err == nil && len(entries) == 0 {
		err = f.FS.Remove(f.Path)
	}
	if none(err) || errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// Sweep removes everything in the folder except the named files. If the folder does not exist,
// Sweep does nothing.
func (f *Folder) Sweep(but ...string) error {
	entries, err := f.FS.ReadDir(f.Path)
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
		if err := publish.RemoveAll(f.FS, f.file(entry.Name())); err != nil {
			return fmt.Errorf("sweep work folder: %w", err)
		}
	}
	return nil
}

// Remove removes a file. It returns no error if the file does not exist.
func (f *Folder) Remove(name string) error {
	if err := f.FS.Remove(f.file(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove checkpoint: %w", err)
	}
	return nil
}

// Rename renames a file. It replaces a file that has the new name.
func (f *Folder) Rename(from, to string) error {
	if err := f.FS.Rename(f.file(from), f.file(to)); err != nil {
		return err
	}
	return publish.SyncDir(f.FS, f.Path)
}

func (f *Folder) file(name string) string { return filepath.Join(f.Path, name) }

// unfinished is the end of a file's name until the file is whole and durable.
const unfinished = ".part"

// Put writes a file in one step: the file has another name until it is durable. If Put fails, it
// removes the unfinished file.
func (f *Folder) Put(name string, content []byte) error {
	if f.held == nil {
		if err := f.make(); err != nil {
			return err
		}
	}
	fresh := f.file(name + unfinished)
	err := f.fill(fresh, content)
	if err == nil {
		err = f.FS.Rename(fresh, f.file(name))
	}
	if err != nil {
		return errors.Join(err, publish.RemoveAll(f.FS, fresh))
	}
	return publish.SyncDir(f.FS, f.Path)
}

// fill writes the content to a file and makes the file durable.
func (f *Folder) fill(path string, content []byte) error {
	file, err := f.FS.OpenPrivate(path)
	if err != nil {
		return err
	}
	if err = file.Truncate(0); err == nil {
		_, err = file.Write(content)
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// Get returns the content of a file, which may have at most the given number of bytes. If there is
// no such file, it returns an error that wraps ErrNone and fs.ErrNotExist.
func (f *Folder) Get(name string, most int64) ([]byte, error) {
	info, err := f.FS.Lstat(f.file(name))
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, ErrNone
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	case err != nil:
		return nil, err
	case info.Size() > most:
		return nil, fmt.Errorf("%d bytes: %w", info.Size(), formats.ErrUnsupported)
	}
	file, err := f.FS.OpenPrivate(f.file(name))
	if err != nil {
		return nil, err
	}
	content := make([]byte, info.Size())
	if _, err = file.ReadAt(content, 0); err == io.EOF {
		err = nil
	}
	return content, errors.Join(err, file.Close())
}
