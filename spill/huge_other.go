//go:build !linux

package spill

// preferHugePages does nothing: only Linux leaves the choice of pages to programs.
func preferHugePages(int64) {}
