package fault_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/spill"
)

// A second try does not help where a path is barred, and may where a disk failed. What a folder
// for spilled data lacks is a matter of resources, whatever the system says.
func TestClassOfSystemErrors(t *testing.T) {
	for _, tt := range []struct {
		err   error
		class fault.Class
	}{
		{syscall.EACCES, fault.Usage}, {syscall.EPERM, fault.Usage}, {syscall.EROFS, fault.Usage}, {syscall.ELOOP, fault.Usage}, {syscall.ENAMETOOLONG, fault.Usage},
		{syscall.EIO, fault.Transient}, {syscall.ENOENT, fault.Transient}, {syscall.EMFILE, fault.Transient}, {syscall.ESTALE, fault.Transient},
		{syscall.ENOSPC, fault.Resources}, {syscall.EDQUOT, fault.Resources}, {syscall.EFBIG, fault.Resources},
		{fmt.Errorf("open spill folder: %w: %w", spill.ErrDisk, syscall.EACCES), fault.Resources},
		{errors.New("who knows"), fault.Internal},
	} {
		err := fmt.Errorf("open output: %w", &fs.PathError{Op: "open", Path: "x", Err: tt.err})
		if class := fault.ClassOf(err); class != tt.class {
			t.Errorf("%v is %v, want %v", err, class, tt.class)
		}
	}
}

// What the system itself says of such paths is understood.
func TestClassOfPaths(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"loop", strings.Repeat("x", 1000)} {
		if _, err := os.Open(filepath.Join(dir, name)); fault.ClassOf(err) != fault.Usage {
			t.Errorf("%.20s: %v is %v", name, err, fault.ClassOf(err))
		}
	}
}
