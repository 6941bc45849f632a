package main

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/cmd/internal/exit"
)

func TestLiveLine(t *testing.T) {
	usage := &kcut.Usage{Resident: 312 << 20, Spilled: 30 << 30}
	rows := kcut.Progress{Done: 1e6, Total: 4e6}
	search := kcut.Progress{Done: 1200, Live: 34567}
	for _, tt := range []struct {
		name    string
		at      kcut.Progress
		elapsed time.Duration
		usage   *kcut.Usage
		width   int
		want    string
	}{
		{"nothing known", kcut.Progress{}, 3 * time.Second, nil, 80, "mask  0:03"},
		{"steps", search, 61 * time.Second, nil, 80,
			"mask  1,200 steps  34,567 live records  1:01"},
		{"steps without live records", kcut.Progress{Done: 2}, time.Second, nil, 80,
			"mask  2 steps  0:01"},
		{"measurements", kcut.Progress{Done: 3, Total: 12, Unit: "measurements"}, 2 * time.Second,
			nil, 80, "mask  [#####---------------]  25 %  3 of 12 measurements  0:06 left"},
		{"everything", rows, 2 * time.Second, usage, 200,
			"mask  [#####---------------]  25 %  1,000,000 of 4,000,000 rows  500,000 rows/s  " +
				"0:06 left  312 MiB memory  30.0 GiB spilled"},
		{"no room for a bar", rows, 2 * time.Second, usage, 104,
			"mask  25 %  1,000,000 of 4,000,000 rows  500,000 rows/s  0:06 left  312 MiB memory  " +
				"30.0 GiB spilled"},
		{"as wide as the terminal", rows, 2 * time.Second, usage, 84,
			"mask  25 %  1,000,000 of 4,000,000 rows  500,000 rows/s  0:06 left  312 MiB memory"},
		{"one narrower", rows, 2 * time.Second, usage, 66,
			"mask  25 %  1,000,000 of 4,000,000 rows  500,000 rows/s  0:06 left"},
		{"narrow", rows, 2 * time.Second, usage, 40, "mask  25 %  500,000 rows/s  0:06 left"},
		{"very narrow", rows, 2 * time.Second, usage, 4, "mask"},
		{"long", kcut.Progress{Done: 1, Total: 3601}, time.Second, nil, 90,
			"mask  [--------------------]  0 %  1 of 3,601 rows  1 rows/s  1:00:00 left"},
		{"before the first row", kcut.Progress{Total: 10}, time.Second, nil, 80,
			"mask  [--------------------]  0 %  0 of 10 rows  0 rows/s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := snapshot{stage: kcut.StageMask, Progress: tt.at, elapsed: tt.elapsed,
				usage: tt.usage}
			if got := strings.Join(fitted(s.parts(), tt.width), "  "); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// A terminal shows progress, and the live line disappears before other messages.
func TestProgress(t *testing.T) {
	var stderr strings.Builder
	u := newUI(io.Discard, &stderr, true)
	u.color = false
	p := &progress{ui: u, quit: make(chan struct{})}
	events := p.events()
	events.Start(kcut.StageMask)
	events.Progress(kcut.StageMask, kcut.Progress{Done: 20, Total: 100})
	events.Progress(kcut.StageMask, kcut.Progress{Done: 10, Total: 100}) // overtaken
	p.show(p.began.Add(time.Second))
	events.Notice("two nulls")
	events.End(kcut.StageMask, time.Second)
	p.show(p.began.Add(2 * time.Second)) // between stages
	p.close()
	const erase = "\r\x1b[K"
	want := erase + "mask  [####----------------]  20 %  20 of 100 rows  20 rows/s  0:04 left" +
		erase + "kcut: note: two nulls\n"
	if got := stderr.String(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A stage that starts again, as compressing out of core does, shows its progress from its start.
func TestProgressBeginsAnew(t *testing.T) {
	p := &progress{ui: newUI(io.Discard, io.Discard, true), quit: make(chan struct{})}
	events := p.events()
	events.Start(kcut.StageCompress)
	events.Progress(kcut.StageCompress, kcut.Progress{Done: 90, Total: 100})
	p.began = time.Time{}
	events.Progress(kcut.StageCompress, kcut.Progress{Done: 10, Total: 200})
	if got := p.now(time.Second); got.Done != 10 || got.Total != 200 {
		t.Errorf("it is at %d of %d, want 10 of 200", got.Done, got.Total)
	}
	if p.began.IsZero() {
		t.Error("its rate is still that of the first start")
	}
}

// Without a terminal every stage begins and ends with a log record, and has other records in
// between, all with the same fields. With --quiet there are no records.
func TestLogRecords(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		var stderr strings.Builder
		u := newUI(io.Discard, &stderr, false)
		u.quiet = quiet
		p := &progress{ui: u, quit: make(chan struct{})}
		events := p.events()
		read := int64(1000)
		events.Meter(func() kcut.Usage {
			read += 500
			return kcut.Usage{Drawn: 1, Resident: 2, Spilled: 3, Read: read, Written: 7}
		})
		events.Start(kcut.StageMask)
		events.Progress(kcut.StageMask, kcut.Progress{Done: 20, Total: 100})
		p.show(p.began.Add(2 * time.Second))
		events.Progress(kcut.StageMask, kcut.Progress{Done: 100, Total: 100})
		events.End(kcut.StageMask, 4*time.Second)
		events.Start(kcut.StageSearch)
		events.Progress(kcut.StageSearch, kcut.Progress{Done: 6, Live: 9})
		events.End(kcut.StageSearch, time.Second)
		events.Start("evaluate")
		events.Progress("evaluate", kcut.Progress{Done: 3, Total: 12, Unit: "measurements"})
		events.End("evaluate", time.Second)
		p.close()
		want := []string{
			`"msg":"stage began","stage":"mask"`,
			`"msg":"progress","stage":"mask","rows":20,"rows_total":100,"rows_per_second":10,"read_bytes":500,"written_bytes":0,"spilled_bytes":3,"budget_bytes":1,"resident_bytes":2,"seconds":2`,
			`"msg":"stage ended","stage":"mask","rows":100,"rows_total":100,"rows_per_second":25,"read_bytes":1000,"written_bytes":0,"spilled_bytes":3,"budget_bytes":1,"resident_bytes":2,"seconds":4`,
			`"msg":"stage began","stage":"search"`,
			`"msg":"stage ended","stage":"search","steps":6,"live_records":9,"read_bytes":500,"written_bytes":0,"spilled_bytes":3,"budget_bytes":1,"resident_bytes":2,"seconds":1`,
			`"msg":"stage began","stage":"evaluate"`,
			`"msg":"stage ended","stage":"evaluate","measurements":3,"measurements_total":12,"read_bytes":500,"written_bytes":0,"spilled_bytes":3,"budget_bytes":1,"resident_bytes":2,"seconds":1`,
		}
		if quiet {
			want = nil
		}
		var got []string
		for line := range strings.Lines(stderr.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%q is no JSON", line)
			}
			_, message, _ := strings.Cut(strings.TrimRight(line, "}\n"), `"level":"INFO",`)
			got = append(got, message)
		}
		if !slices.Equal(got, want) {
			t.Errorf("quiet %v: got\n%s\nwant\n%s", quiet, strings.Join(got, "\n"),
				strings.Join(want, "\n"))
		}
	}
}

// The ticker shows a stage without events of the stage.
func TestProgressTicks(t *testing.T) {
	shown := make(chan string, 100)
	p := &progress{ui: newUI(io.Discard, chanWriter(shown), false), every: time.Millisecond,
		quit: make(chan struct{})}
	p.over.Go(p.tick)
	p.events().Start(kcut.StageSearch)
	for !strings.Contains(<-shown, `"msg":"progress","stage":"search"`) {
	}
	p.close()
}

// chanWriter sends the written text, while its channel has room.
type chanWriter chan string

func (w chanWriter) Write(text []byte) (int, error) {
	select {
	case w <- string(text):
	default:
	}
	return len(text), nil
}

// A terminal that cannot draw gets messages, but no live lines and no log records.
func TestProgressOnDumbTerminal(t *testing.T) {
	var stderr strings.Builder
	u := newUI(io.Discard, &stderr, true)
	u.dumb, u.color = true, true
	p := u.follow()
	p.every = time.Nanosecond
	events := p.events()
	events.Start(kcut.StageMask)
	events.Progress(kcut.StageMask, kcut.Progress{Done: 20, Total: 100})
	events.Notice("two nulls")
	events.End(kcut.StageMask, time.Second)
	p.close()
	u.fail(&exit.Failure{Message: "mask", Hint: "look"}, nil)
	got, want := stderr.String(), "kcut: note: two nulls\nkcut: error: mask\nkcut: hint: look\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
