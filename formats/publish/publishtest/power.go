// Package publishtest has a file system for tests that loses power, to check what is durable.
package publishtest

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/kcut/kcut/formats/publish"
)

// ErrPower is the error of every operation after power is lost.
var ErrPower = errors.New("power is lost")

// Power is the machine's file system below a folder until power is lost. It records what a machine
// may lose then: the content of files that were not synced, and names in directories that were not
// synced. It does not really sync. One goroutine uses it.
type Power struct {
	*publish.FS
	home string
	root *node
	left int // number of changes until power is lost; negative: it is never lost
}

// node is a file or a directory, independent of its names.
type node struct {
	synced  []byte           // a file's durable content; nil: not even its emptiness is durable
	names   map[string]*node // the names of a directory; nil: a file
	durable map[string]*node // the durable names
}

func newDir() *node { return &node{names: map[string]*node{}, durable: map[string]*node{}} }

// NewPower returns the file system below an empty folder.
func NewPower(home string) *Power {
	p := &Power{home: home, root: newDir(), left: -1}
	p.FS = &publish.FS{Around: p.around}
	return p
}

// LoseAfter makes power end after a number of further changes.
func (p *Power) LoseAfter(changes int) { p.left = changes }

// Lost reports whether power is lost.
func (p *Power) Lost() bool { return p.left == 0 }

// Survival decides for each directory whether its unsynced names survive: a machine that loses
// power may have written them, or not.
type Survival func(relative string) bool

// Survivals are the extremes: no names, all names, and only those of the top folder.
var Survivals = map[string]Survival{
	"no names":       func(string) bool { return false },
	"all names":      func(string) bool { return true },
	"the top's name": func(relative string) bool { return relative == "." },
}

// Restore writes the surviving files to another folder.
func (p *Power) Restore(to string, survives Survival) error {
	return p.root.restore(to, ".", survives)
}

func (n *node) restore(to, relative string, survives Survival) error {
	path := filepath.Join(to, relative)
	if n.names == nil {
		return os.WriteFile(path, n.synced, 0o600)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	names := n.durable
	if survives(relative) {
		names = n.names
	}
	for name, child := range names {
		if err := child.restore(to, filepath.Join(relative, name), survives); err != nil {
			return err
		}
	}
	return nil
}

// in returns the directory of a path, and its name there.
func (p *Power) in(path string) (dir *node, name string) {
	relative, err := filepath.Rel(p.home, path)
	if err != nil {
		panic(err)
	}
	dir = p.root
	parts := strings.Split(relative, string(filepath.Separator))
	for _, part := range parts[:len(parts)-1] {
		dir = dir.names[part]
	}
	return dir, parts[len(parts)-1]
}

// around performs an operation unless power is lost, and records it.
func (p *Power) around(operation string, do func() error, paths ...string) error {
	switch operation {
	case "stat", "list", "read", "lock", "close":
		return do()
	}
	if p.Lost() {
		return ErrPower
	}
	if operation == "open directory" {
		return do()
	}
	p.left--
	if operation == "sync" {
		return p.sync(paths[0])
	}
	if err := do(); err != nil {
		return err
	}
	dir, name := p.in(paths[0])
	switch was := dir.names[name]; operation {
	case "create":
		if was == nil {
			dir.names[name] = &node{}
		}
	case "make directory":
		dir.names[name] = newDir()
	case "remove":
		delete(dir.names, name)
	case "rename":
		delete(dir.names, name)
		dir, name = p.in(paths[1])
		dir.names[name] = was
	case "exchange":
		other, otherName := p.in(paths[1])
		dir.names[name], other.names[otherName] = other.names[otherName], was
	}
	return nil
}

// sync records that the content of a file or a directory is durable.
func (p *Power) sync(path string) (err error) {
	n := p.root
	if path != p.home {
		dir, name := p.in(path)
		n = dir.names[name]
	}
	if n.names != nil {
		n.durable = maps.Clone(n.names)
		return nil
	}
	n.synced, err = os.ReadFile(path)
	return err
}
