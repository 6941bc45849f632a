package page

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/pipeline/fault"
)

// WriteFile writes the page of a release to a file, in one step. One that exists is an error of
// fault.Exists, unless it is to be replaced.
func WriteFile(path string, s Source, overwrite bool) error {
	if _, err := os.Lstat(path); !overwrite && !errors.Is(err, fs.ErrNotExist) {
		return &fault.Error{
			Class: fault.Exists, Hint: "choose another name, or replace the file with --overwrite",
			Err: fmt.Errorf("write page %s: the file exists", path),
		}
	}
	var text bytes.Buffer
	if err := Write(&text, s); err != nil {
		return err
	}
	if err := publish.Replace(path, text.Bytes()); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}
