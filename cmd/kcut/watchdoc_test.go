package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/kcut/kcut"
)

// jsonBlocks returns the ```json blocks of docs/watching.md that contain a word.
func jsonBlocks(t *testing.T, word string) (blocks []string) {
	t.Helper()
	for i, part := range strings.Split(repository(t, "docs", "watching.md"), "```") {
		if block, ok := strings.CutPrefix(part, "json\n"); ok && i%2 == 1 &&
			strings.Contains(block, word) {
			blocks = append(blocks, block)
		}
	}
	if len(blocks) == 0 {
		t.Fatalf("no JSON block has %s", word)
	}
	return blocks
}

// jsonNames returns the JSON names of a struct's fields, and of the structs in them.
func jsonNames(of reflect.Type) (names []string) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice:
		return jsonNames(of.Elem())
	case reflect.Struct:
		for field := range of.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			if name != "" || !field.Anonymous {
				names = append(names, name)
			}
			names = append(names, jsonNames(field.Type)...)
		}
	}
	return names
}

// The examples of reports in the documents have every field of a report, and no other field.
func TestReportIsDocumented(t *testing.T) {
	blocks := jsonBlocks(t, `"output"`)
	for _, block := range blocks {
		in := json.NewDecoder(strings.NewReader(block))
		in.DisallowUnknownFields()
		if err := in.Decode(new(kcut.Report)); err != nil {
			t.Errorf("%v:\n%s", err, block)
		}
	}
	all := strings.Join(blocks, "")
	for _, name := range jsonNames(reflect.TypeFor[kcut.Report]()) {
		if !strings.Contains(all, `"`+name+`":`) {
			t.Errorf("no example has %s", name)
		}
	}
}

// The examples of log records have every field of a record, and no other field.
func TestLogRecordsAreDocumented(t *testing.T) {
	text := strings.Join(jsonBlocks(t, `"msg"`), "")
	known := map[string]bool{"time": true, "level": true, "msg": true}
	for _, at := range []kcut.Progress{{Done: 1, Total: 2}, {Done: 1, Live: 2}} {
		s := snapshot{stage: kcut.StageMask, Progress: at, usage: &kcut.Usage{}}
		for _, attr := range s.attrs() {
			known[attr.Key] = true
			if !strings.Contains(text, `"`+attr.Key+`":`) {
				t.Errorf("no example has %s", attr.Key)
			}
		}
	}
	for line := range strings.Lines(text) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Errorf("%v: %s", err, line)
		}
		for name := range record {
			if !known[name] {
				t.Errorf("no log record has %s", name)
			}
		}
	}
}
