package dataset

import (
	"os"
	"slices"

	"github.com/kcut/kcut/formats/storage"
)

// seenFiles are the files that were found, by what tells most of them apart: of the machine's the
// size and the time, of an object its location.
type seenFiles map[any][]os.FileInfo

// stamp is the key of a file of the machine.
type stamp struct{ size, changed int64 }

// add remembers a file and reports whether it is a new one. One that leads nowhere is left to
// whoever opens it.
func (s seenFiles) add(path string) bool {
	var key any = path
	var info os.FileInfo
	if !storage.IsRemote(path) {
		if found, err := os.Stat(path); err == nil {
			info, key = found, stamp{found.Size(), found.ModTime().UnixNano()}
		}
	}
	alike, ok := s[key]
	same := func(other os.FileInfo) bool { return os.SameFile(info, other) }
	if ok && (info == nil || slices.ContainsFunc(alike, same)) {
		return false
	}
	s[key] = append(alike, info)
	return true
}
