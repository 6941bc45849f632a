package pipeline

import (
	"fmt"
	"path/filepath"

	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/spill"
)

// compareRoom holds what a run writes against the free space where it writes it. The two are
// never there at one time: what was spilled is removed before the first row is masked.
func (p *planning) compareRoom(f *forecast.Forecast) {
	output := forecast.Range{AtMost: f.Disk.Output}
	f.Disk.OutputRoom = p.room("the release", filepath.Dir(filepath.Clean(p.res.scratch.beside)), output)
	f.Disk.SpillRoom = p.room("what is spilled", p.res.scratch.path(), f.Disk.Spill)
}

// room looks at a folder, and notes when it is too small for what goes there. A system that
// does not tell is asked no more.
func (p *planning) room(what, folder string, need forecast.Range) *forecast.Room {
	free, err := spill.Free(folder)
	if err != nil {
		return nil
	}
	room := forecast.NewRoom(folder, free, need)
	verb := "may be"
	switch room.Enough {
	case forecast.Yes:
		return room
	case forecast.No:
		verb = "is"
	}
	p.res.events.Noted(fmt.Sprintf("folder %s %s too small for %s: it has %d MiB free, reserve %d MiB", folder, verb, what, free>>20, need.AtMost>>20+1))
	return room
}
