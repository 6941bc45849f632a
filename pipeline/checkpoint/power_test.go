package checkpoint

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/publish/publishtest"
)

// TestPowerLoss loses power after every change while a state is saved and renamed. Afterwards there
// is the old state or the new state. Once the new state has been saved, there is the new state.
func TestPowerLoss(t *testing.T) {
	before, want := &content{bytes.Repeat([]byte("x"), 1000)}, contents()[1] // want is shorter
	saved := func(f *Folder) error { return put(f, "state", want.save) }
	renamed := func(f *Folder) error {
		if err := put(f, "next", want.save); err != nil {
			return err
		}
		return f.Rename("next", "state")
	}
	for name, change := range map[string]func(*Folder) error{"saved": saved, "renamed": renamed} {
		t.Run(name, func(t *testing.T) {
			for changes, lost := 1, true; lost; changes++ {
				home := t.TempDir()
				power := publishtest.NewPower(home)
				f := &Folder{FS: power.FS, Path: filepath.Join(home, "work")}
				save(t, f, before)
				if err := publish.SyncDir(power.FS, home); err != nil {
					t.Fatal(err)
				}
				power.LoseAfter(changes)
				err := change(f)
				lost = err != nil
				for name, survives := range publishtest.Survivals {
					back := t.TempDir()
					if err := power.Restore(back, survives); err != nil {
						t.Fatal(err)
					}
					var got content
					failed := load(in(filepath.Join(back, "work")), "state", head, got.load)
					if failed != nil || got.String() != want.String() &&
						(!lost || got.String() != before.String()) {
						t.Errorf("after %d changes, saving said %v, %s survived: %.100v, %v",
							changes, err, name, &got, failed)
					}
				}
			}
		})
	}
}
