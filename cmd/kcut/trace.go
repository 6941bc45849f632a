package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
)

// traceFile is a file that is emptied when the first step is written to it: a run that fails
// before, or has nothing to do, leaves what an earlier one wrote. It is private: a trace may
// tell more than the release.
type traceFile struct {
	file   *os.File
	writer *bufio.Writer // nil: not emptied yet
}

func openTrace(path string) (*traceFile, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create trace: %w", err)
	}
	return &traceFile{file: file}, nil
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
	if err = errors.Join(err, t.file.Close()); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	return nil
}
