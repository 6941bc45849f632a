//go:build unix

package formats

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const noFollow = unix.O_NOFOLLOW

// umask is read once, before anything can run beside it: reading means setting.
var umask = func() os.FileMode {
	mask := unix.Umask(0)
	unix.Umask(mask)
	return os.FileMode(mask)
}()

func lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrBusy
	}
	return os.NewSyscallError("flock", err)
}
