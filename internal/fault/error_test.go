package fault_test

import (
	"context"
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

// A second try does not help where a path is refused, but may help where a disk failed. An unusable
// folder for spilled data is a matter of resources, whatever the system reports.
func TestClassOfSystemErrors(t *testing.T) {
	for _, tt := range []struct {
		err   error
		class fault.Class
	}{
		{syscall.EACCES, fault.Usage}, {syscall.EPERM, fault.Usage}, {syscall.EROFS, fault.Usage},
		{syscall.ELOOP, fault.Usage}, {syscall.ENAMETOOLONG, fault.Usage},
		{syscall.EIO, fault.Transient}, {syscall.ENOENT, fault.Transient},
		{syscall.EMFILE, fault.Transient}, {syscall.ESTALE, fault.Transient},
		{syscall.ENOSPC, fault.Resources}, {syscall.EDQUOT, fault.Resources},
		{syscall.EFBIG, fault.Resources},
		{fmt.Errorf("open spill folder: %w: %w", spill.ErrDisk, syscall.EACCES), fault.Resources},
		{errors.New("who knows"), fault.Internal},
	} {
		err := fmt.Errorf("open output: %w", &fs.PathError{Op: "open", Path: "x", Err: tt.err})
		if class := fault.ClassOf(err); class != tt.class {
			t.Errorf("%v is %v, want %v", err, class, tt.class)
		}
	}
}

// ClassOf classifies the system's own errors for such paths.
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

// signalled is a cause of a context that counts as its cancellation.
type signalled struct{ error }

func (signalled) Is(target error) bool { return target == context.Canceled }

func TestClassOfCause(t *testing.T) {
	for _, err := range []error{context.Canceled, context.DeadlineExceeded,
		signalled{errors.New("stopped")}} {
		if class := fault.ClassOf(fmt.Errorf("search: %w", err)); class != fault.Cancelled {
			t.Errorf("%v is %v", err, class)
		}
	}
}

// The outermost hint wins; the hint of New is used if there is no other.
func TestAdvised(t *testing.T) {
	inner := &fault.Error{Class: fault.Usage, Hint: "look there", Err: errors.New("x")}
	late, damaged := fault.New(fault.Transient, "wait", "late"),
		fault.New(fault.Input, "write it anew", "damaged")
	for _, tt := range []struct {
		err   error
		class fault.Class
		hint  string
	}{
		{errors.New("x"), fault.Internal, ""},
		{fmt.Errorf("read: %w", inner), fault.Usage, "look there"},
		{&fault.Error{Class: fault.Input, Err: inner}, fault.Input, "look there"},
		{fmt.Errorf("read: %w", &fault.Error{Class: fault.Input, Hint: "look here", Err: inner}),
			fault.Input, "look here"},
		{fmt.Errorf("read: %w", damaged), fault.Input, "write it anew"},
		{fmt.Errorf("read: %w: %w", late, damaged), fault.Input, "write it anew"},
		{&fault.Error{Class: fault.Input, Err: damaged}, fault.Input, "write it anew"},
		{&fault.Error{Class: fault.Input, Hint: "look here", Err: damaged}, fault.Input,
			"look here"},
	} {
		var advised *fault.Error
		err := fault.Advised(tt.err)
		if !errors.As(err, &advised) || advised.Class != tt.class || advised.Hint != tt.hint ||
			err.Error() != tt.err.Error() {
			t.Errorf("%v: got %+v, want class %v and hint %q", tt.err, advised, tt.class, tt.hint)
		}
		if !errors.Is(err, tt.class) || errors.Is(err, fault.Privacy) {
			t.Errorf("%v is not of its class alone", tt.err)
		}
	}
	if fault.Advised(nil) != nil {
		t.Error("no error became one")
	}
}

// lined is an error whose text has lines.
type lined struct{}

func (lined) Error() string { return "job.yaml:1:1: mistake\n    k: 0\n       ^" }
func (lined) Lined()        {}

// Line breaks in names are escaped, those between errors and in the text of one with lines are not.
func TestTextOfErrors(t *testing.T) {
	column := fault.Errorf(fault.Input, "", "mask column birth\ndate: %w", errors.New("is\rnested"))
	for _, tt := range []struct {
		err  error
		want string
	}{
		{column, `mask column birth\ndate: is\rnested`},
		{fmt.Errorf("open a\nb: %w", lined{}), `open a\nb: ` + lined{}.Error()},
		{errors.Join(column, lined{}),
			`mask column birth\ndate: is\rnested` + "\n" + lined{}.Error()},
		{fmt.Errorf("%w: line\n1: %w", column, errors.New("x\ny")),
			`mask column birth\ndate: is\rnested: line\n1: x\ny`},
		{fmt.Errorf("read: %v", column), `read: mask column birth\ndate: is\rnested`},
		{&fs.PathError{Op: "open", Path: "a\nb", Err: syscall.ENOENT},
			`open a\nb: no such file or directory`},
	} {
		if got := fault.Text(tt.err); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
