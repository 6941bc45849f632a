package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// traceFile is a file that is emptied when the first step is written to it: a run that fails
// before, or has nothing to do, leaves what an earlier one wrote, or no file. It is private: a
// trace may tell more than the release.
type traceFile struct {
	file   *os.File
	made   bool          // it was not there before
	writer *bufio.Writer // nil: not emptied yet
}

func openTrace(path string) (*traceFile, error) {
	made := true
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		made = false
		file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("create trace: %w", err)
	}
	return &traceFile{file: file, made: made}, nil
}

func (t *traceFile) Write(text []byte) (int, error) {
	if err := t.begin(); err != nil {
		return 0, err
	}
	return t.writer.Write(text)
}

func (t *traceFile) begin() error {
	if t.writer != nil {
		return nil
	}
	t.writer = bufio.NewWriter(t.file)
	info, err := t.file.Stat()
	if err != nil || !info.Mode().IsRegular() { // a pipe holds nothing that could be cut off
		return err
	}
	return t.file.Truncate(0)
}

// close ends the file. One that is wanted although there was no step is empty.
func (t *traceFile) close(wanted bool) (err error) {
	if wanted {
		err = t.begin()
	}
	if t.writer != nil {
		err = errors.Join(err, t.writer.Flush())
	}
	err = errors.Join(err, t.file.Close())
	if t.writer == nil && t.made {
		err = errors.Join(err, os.Remove(t.file.Name()))
	}
	if err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	return nil
}
