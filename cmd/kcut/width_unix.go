//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// columnsOf returns the number of characters in a line of a terminal, or 0.
func columnsOf(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
