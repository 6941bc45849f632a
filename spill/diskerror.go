package spill

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	"github.com/kcut/kcut/internal/fault"
)

var (
	// ErrDisk is returned when the spill folder cannot take the bytes that have to be written.
	ErrDisk = fault.New(fault.Resources, "", "the disk is full, or the folder is read-only or gone")
	// ErrFailed is returned when the system cannot read or write the spill folder for another
	// reason, such as a breaking disk.
	ErrFailed = fault.New(fault.Transient, "", "reading or writing failed")
	// ErrCorrupt is returned when the bytes read back differ from the bytes written.
	ErrCorrupt = fault.New(fault.Transient, "", "the spilled data is damaged")

	errClosed       = errors.New("the spill store is closed")
	errFreed        = errors.New("the sequence was freed while it was read")
	errReaderClosed = errors.New("the reader of a spilled sequence is closed")
	errMissing      = errors.New("a piece of a block is missing")
	errDamaged      = errors.New("a table has other bytes")
)

// diskErrors are the causes of ErrDisk.
var diskErrors = []error{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EROFS, syscall.ENOTDIR, fs.ErrNotExist,
	fs.ErrPermission,
}

// explain wraps a failure of the folder's files in the sentinel that describes it. It includes the
// cause of damage as text and does not wrap it: the cause may be io.EOF, which must not look like
// the end of a sequence.
func explain(verb, folder string, err error) error {
	for _, cause := range diskErrors {
		if errors.Is(err, cause) {
			return fmt.Errorf("%s spill folder %s: %w: %w", verb, folder, ErrDisk, err)
		}
	}
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return fmt.Errorf("%s spill folder %s: %w: %w", verb, folder, ErrFailed, err)
	}
	if errors.Is(err, errDamaged) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s spill folder %s: %w: %s", verb, folder, ErrCorrupt, err.Error())
	}
	return fmt.Errorf("%s spill folder %s: %w", verb, folder, err)
}
