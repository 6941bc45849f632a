package report

import (
	"bytes"
	"fmt"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/formats/publish"
)

// WriteFile writes the page of a release to a file, in one step. One that exists is an error of
// fault.Exists, unless it is to be replaced.
func WriteFile(path string, s Source, overwrite bool) error {
	if err := kcut.CheckFile("page", path, overwrite); err != nil {
		return err
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
