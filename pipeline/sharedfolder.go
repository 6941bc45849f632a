package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/spill"
)

// sharedFolder is a place where a run and its workers exchange files: a private folder on a disk
// that all of them can use, or a place in an object store. A file appears whole and does not
// change later.
type sharedFolder string

// The files of a shared folder; cutFile is there, too.
const (
	jobFile      = "job"
	resultPrefix = "task-"  // the number of the task follows
	errorPrefix  = "error-" // of files with a workerError
)

// unfinishedPrefix begins the names of files on a disk until they are whole.
const unfinishedPrefix = ".unfinished-"

// put writes a file. Writing the same content again changes nothing.
func (f sharedFolder) put(ctx context.Context, name string, content []byte) (err error) {
	to := storage.Join(string(f), name)
	defer func() {
		if err != nil {
			err = fmt.Errorf("write shared file %s: %w", to, err)
		}
	}()
	if storage.IsRemote(string(f)) {
		return storage.UploadText(ctx, content, to, false)
	}
	file, err := os.CreateTemp(string(f), unfinishedPrefix)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), to)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

func (f sharedFolder) putJSON(ctx context.Context, name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return f.put(ctx, name, text)
}

// putResult writes a file whose name ends with a digest of its content: processes with the same
// content write the same file.
func (f sharedFolder) putResult(ctx context.Context, name string, content []byte) error {
	return f.put(ctx, fmt.Sprintf("%s-%.8x", name, sha256.Sum256(content)), content)
}

func (f sharedFolder) get(ctx context.Context, name string) ([]byte, error) {
	content, err := storage.ReadText(ctx, storage.Join(string(f), name), math.MaxInt64)
	if err != nil {
		return nil, fmt.Errorf("read shared file: %w", err)
	}
	return content, nil
}

// getWithin reads a file that grows with the input. Its content is drawn from the budget until
// use returns.
func (f sharedFolder) getWithin(
	ctx context.Context, budget *spill.Budget, name string, use func(content []byte) error,
) error {
	content, err := f.get(ctx, name)
	if err != nil {
		return err
	}
	held := int64(len(content))
	if err := budget.Draw("a shared file", held); err != nil {
		return err
	}
	defer budget.Return(held)
	return use(content)
}

func (f sharedFolder) getJSON(ctx context.Context, name string, v any) error {
	text, err := f.get(ctx, name)
	if err != nil {
		return err
	}
	return json.NewDecoder(bytes.NewReader(text)).Decode(v)
}

// list returns the names with a prefix, in order.
func (f sharedFolder) list(ctx context.Context, prefix string) (names []string, err error) {
	if storage.IsRemote(string(f)) {
		entries, err := storage.List(ctx, storage.Join(string(f), prefix))
		for _, entry := range entries {
			names = append(names, path.Base(entry.Location))
		}
		return names, err
	}
	entries, err := os.ReadDir(string(f))
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) {
			names = append(names, entry.Name())
		}
	}
	return names, err
}

// subfolder returns a folder in the folder.
func (f sharedFolder) subfolder(name string) sharedFolder {
	return sharedFolder(storage.Join(string(f), name))
}

// make makes the folder, which must not exist.
func (f sharedFolder) make() error {
	if storage.IsRemote(string(f)) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(string(f)), 0o700); err != nil {
		return err
	}
	return os.Mkdir(string(f), 0o700)
}

// remove removes the folder and all its files.
func (f sharedFolder) remove(ctx context.Context) error {
	if !storage.IsRemote(string(f)) {
		return os.RemoveAll(string(f))
	}
	entries, err := storage.List(ctx, string(f))
	for _, entry := range slices.Backward(entries) {
		err = errors.Join(err, storage.Remove(ctx, entry.Location))
	}
	return err
}

// sharedFolderPrefix begins the names of all shared folders.
const sharedFolderPrefix = "shared-"

// sharedPrefixOf returns the prefix of the names of shared folders for an output: runs to several
// outputs may use the same place. The rest of a name is random, since workers may outlive their
// run.
func sharedPrefixOf(output string) string {
	return fmt.Sprintf("%s%.8x-", sharedFolderPrefix, sha256.Sum256([]byte(output)))
}

// sweep removes the folders of killed runs in this folder, by the prefix of their names.
func (f sharedFolder) sweep(ctx context.Context, prefix string) error {
	if storage.IsRemote(string(f)) {
		return f.subfolder(prefix).remove(ctx)
	}
	names, err := f.list(ctx, prefix)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, name := range names {
		err = errors.Join(err, f.subfolder(name).remove(ctx))
	}
	return err
}
