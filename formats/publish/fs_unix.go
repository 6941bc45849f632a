//go:build unix

package publish

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/kcut/kcut/formats"
)

const noFollow = unix.O_NOFOLLOW

// umask is read once at the start, before other goroutines run: reading it means setting it.
var umask = func() os.FileMode {
	mask := unix.Umask(0)
	unix.Umask(mask)
	return os.FileMode(mask)
}()

func lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return formats.ErrBusy
	}
	return os.NewSyscallError("flock", err)
}
