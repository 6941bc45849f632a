package writer

import (
	"bytes"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats"
)

// TestFooterOrder writes metadata in the order of its keys, and nothing of a row group without rows.
func TestFooterOrder(t *testing.T) {
	columns := []Column{{Field: formats.Field{Name: "c", Type: formats.Type{Kind: formats.Int, Bits: 32}}}}
	metadata := map[string]string{"e": "5", "a": "1", "d": "4", "b": "2", "c": "3", "f": "6"}
	var files [2]bytes.Buffer
	for i := range files {
		w, err := New(&files[i], columns, metadata)
		if err != nil {
			t.Fatal(err)
		}
		g := newGroup(t, Options{}, columns...)
		empty, err := g.Encode()
		if err != nil {
			t.Fatal(err)
		}
		for range i {
			if err := w.Write(empty); err != nil {
				t.Fatal(err)
			}
		}
		var keys []string
		for _, kv := range w.footer.tail.KeyValueMetadata {
			keys = append(keys, kv.Key)
		}
		if !slices.IsSorted(keys) || len(keys) != len(metadata) {
			t.Errorf("the keys are %q", keys)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("an empty row group leaves a trace")
	}
}
