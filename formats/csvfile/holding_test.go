package csvfile

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
)

// A record that needs a larger buffer is told of, and given back when it was read; when it is
// refused, the file is not to blame.
func TestLargeRecordsAreHeld(t *testing.T) {
	const size = 3 << 20
	held, most := int64(0), int64(0)
	errMuch := errors.New("too much")
	limit := int64(1 << 40)
	hold := func(bytes int64) error {
		if held+bytes > limit {
			return errMuch
		}
		held += bytes
		most = max(most, held)
		return nil
	}
	s := mustCSV(t, "a\nx\n"+strings.Repeat("y", size)+"\n", formats.ReadOptions{Hold: hold, Threads: 1})
	if held != 0 || most < size {
		t.Fatalf("opened: %d bytes held, %d at most", held, most)
	}
	most = 0
	if err := readOnce(s); err != nil || held != 0 || most < size {
		t.Errorf("read: %v, %d bytes held, %d at most", err, held, most)
	}
	limit = size
	if err := readOnce(s); !errors.Is(err, errMuch) || errors.Is(err, formats.ErrDamaged) || held != 0 {
		t.Errorf("refused: %v, %d bytes held", err, held)
	}
}

// readOnce reads a batch.
func readOnce(s formats.Source) error {
	r, err := s.Read(context.Background(), 0, len(s.Chunks()), []formats.Request{{Column: 0}})
	if err != nil {
		return err
	}
	_, err = r.Next(context.Background())
	return errors.Join(err, r.Close())
}
