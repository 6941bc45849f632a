package publishtest

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/kcut/kcut/formats/publish"
)

// ErrPower is the error of everything that is tried after power is lost.
var ErrPower = errors.New("power is lost")

// Power is the machine's file system below a folder until power is lost. It remembers what a
// machine may forget then: the content of files that were not synced since, and the names in
// directories that were not. It does not sync for real. One goroutine uses it.
type Power struct {
	publish.FS
	home string
	root *node
	left int // changes until power is lost; negative: it never is
}

// node is a file or a directory, whatever its names are.
type node struct {
	synced  []byte           // a file's content that is durable; nil: not even that it is empty
	names   map[string]*node // a directory's; nil: a file
	durable map[string]*node // of these the durable ones, as they are
}

func newDir() *node { return &node{names: map[string]*node{}, durable: map[string]*node{}} }

// NewPower returns the file system below an empty folder.
func NewPower(home string) *Power {
	return &Power{FS: publish.OS, home: home, root: newDir(), left: -1}
}

// LoseAfter loses power after so many more changes.
func (p *Power) LoseAfter(changes int) { p.left = changes }

// Lost reports whether power is lost.
func (p *Power) Lost() bool { return p.left == 0 }

// Survival says of which directories the names survive that were not synced: a machine that
// loses power may have written them, or not.
type Survival func(relative string) bool

// Survivals are the extremes: no names, all of them, and those of the folder alone that
// everything is in.
var Survivals = map[string]Survival{
	"no names":       func(string) bool { return false },
	"all names":      func(string) bool { return true },
	"the top's name": func(relative string) bool { return relative == "." },
}

// Restore writes what is there when power is back to another folder.
func (p *Power) Restore(to string, survives Survival) error {
	return restore(p.root, to, ".", survives)
}

func restore(n *node, to, relative string, survives Survival) error {
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
		if err := restore(child, to, filepath.Join(relative, name), survives); err != nil {
			return err
		}
	}
	return nil
}

// change does something that is lost with power.
func (p *Power) change(op func() error) error {
	if p.Lost() {
		return ErrPower
	}
	p.left--
	return op()
}

// in returns the directory that a path is in, and its name there.
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

// at returns what a path leads to.
func (p *Power) at(path string) *node {
	if path == p.home {
		return p.root
	}
	dir, name := p.in(path)
	return dir.names[name]
}

// OpenPrivate opens a file.
func (p *Power) OpenPrivate(path string) (file publish.Handle, err error) {
	err = p.change(func() error {
		if file, err = p.FS.OpenPrivate(path); err != nil {
			return err
		}
		dir, name := p.in(path)
		if dir.names[name] == nil {
			dir.names[name] = &node{}
		}
		file = &handle{file, p, dir.names[name]}
		return nil
	})
	return file, err
}

// OpenDir opens a directory.
func (p *Power) OpenDir(path string) (publish.Handle, error) {
	if p.Lost() {
		return nil, ErrPower
	}
	file, err := p.FS.OpenDir(path)
	if err != nil {
		return nil, err
	}
	return &handle{file, p, p.at(path)}, nil
}

// MkdirPrivate makes a directory.
func (p *Power) MkdirPrivate(path string) error {
	return p.change(func() error {
		if err := p.FS.MkdirPrivate(path); err != nil {
			return err
		}
		dir, name := p.in(path)
		dir.names[name] = newDir()
		return nil
	})
}

// Rename gives something another name.
func (p *Power) Rename(from, to string) error {
	return p.change(func() error {
		if err := p.FS.Rename(from, to); err != nil {
			return err
		}
		p.move(from, to, nil)
		return nil
	})
}

// Exchange swaps two names.
func (p *Power) Exchange(a, b string) error {
	return p.change(func() error {
		if err := p.FS.Exchange(a, b); err != nil {
			return err
		}
		p.move(a, b, p.at(b))
		return nil
	})
}

// move gives what is at a path another, and leaves something else in its place, if anything.
func (p *Power) move(from, to string, instead *node) {
	moved := p.at(from)
	dir, name := p.in(from)
	if delete(dir.names, name); instead != nil {
		dir.names[name] = instead
	}
	dir, name = p.in(to)
	dir.names[name] = moved
}

// Remove removes a name.
func (p *Power) Remove(path string) error {
	return p.change(func() error {
		if err := p.FS.Remove(path); err != nil {
			return err
		}
		dir, name := p.in(path)
		delete(dir.names, name)
		return nil
	})
}

// Chmod changes a mode, which is none of what is remembered.
func (p *Power) Chmod(path string, mode fs.FileMode) error {
	return p.change(func() error { return p.FS.Chmod(path, mode) })
}

// handle is an open file or directory.
type handle struct {
	publish.Handle
	power *Power
	node  *node
}

func (h *handle) Write(b []byte) (n int, err error) {
	err = h.power.change(func() error { n, err = h.Handle.Write(b); return err })
	return n, err
}

func (h *handle) WriteAt(b []byte, at int64) (n int, err error) {
	err = h.power.change(func() error { n, err = h.Handle.WriteAt(b, at); return err })
	return n, err
}

func (h *handle) Truncate(size int64) error {
	return h.power.change(func() error { return h.Handle.Truncate(size) })
}

// Sync notes what is durable from now on.
func (h *handle) Sync() error {
	return h.power.change(func() error {
		if h.node.names != nil {
			h.node.durable = maps.Clone(h.node.names)
			return nil
		}
		info, err := h.Stat()
		if err != nil {
			return err
		}
		h.node.synced = make([]byte, info.Size())
		if _, err := h.ReadAt(h.node.synced, 0); err != nil && err != io.EOF {
			return err
		}
		return nil
	})
}
