package main

import (
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

// snapshot is where a stage is at one moment.
type snapshot struct {
	stage kcut.Stage
	kcut.Progress
	elapsed time.Duration
	usage   *kcut.Usage // nil: not known; Read and Written are the stage's
}

// rate returns rows or steps a second.
func (s *snapshot) rate() int64 {
	return int64(float64(s.Done) / max(s.elapsed.Seconds(), 0.001))
}

// left returns how long the stage will take at its rate so far; false before its first row.
func (s *snapshot) left() (time.Duration, bool) {
	if s.Done == 0 {
		return 0, false
	}
	return time.Duration(float64(s.elapsed) / float64(s.Done) * float64(s.Total-s.Done)), true
}

// attrs returns what a log record tells: docs/watching.md explains the names.
func (s *snapshot) attrs() []slog.Attr {
	attrs := []slog.Attr{slog.String("stage", string(s.stage))}
	count := func(name string, n int64) { attrs = append(attrs, slog.Int64(name, n)) }
	switch {
	case s.Total > 0:
		count("rows", s.Done)
		count("rows_total", s.Total)
		count("rows_per_second", s.rate())
	case s.Done > 0:
		count("steps", s.Done)
		count("live_records", s.Live)
	}
	if u := s.usage; u != nil {
		count("read_bytes", u.Read)
		count("written_bytes", u.Written)
		count("spilled_bytes", u.Spilled)
		count("budget_bytes", u.Drawn)
		count("resident_bytes", u.Resident)
	}
	return append(attrs, slog.Float64("seconds", s.elapsed.Seconds()))
}

// part is one piece of a live line. Of a line that is too long, pieces of the highest rank
// are left out first.
type part struct {
	text string
	rank int
}

// parts words a snapshot, from left to right.
func (s *snapshot) parts() []part {
	parts := []part{{string(s.stage), 0}}
	add := func(rank int, format string, args ...any) {
		parts = append(parts, part{fmt.Sprintf(format, args...), rank})
	}
	if s.Total > 0 {
		add(7, "%s", bar(s.Done, s.Total))
		add(1, "%d %%", 100*s.Done/s.Total)
		add(4, "%s of %s rows", text.Grouped(s.Done), text.Grouped(s.Total))
		add(3, "%s rows/s", text.Grouped(s.rate()))
		if left, ok := s.left(); ok {
			add(2, "%s left", clock(left))
		}
	} else {
		if s.Done > 0 {
			add(1, "%s steps", text.Grouped(s.Done))
		}
		if s.Live > 0 {
			add(3, "%s live records", text.Grouped(s.Live))
		}
		add(2, "%s", clock(s.elapsed))
	}
	if u := s.usage; u != nil && u.Resident > 0 {
		add(5, "%s memory", sized(u.Resident))
	}
	if u := s.usage; u != nil && u.Spilled > 0 {
		add(6, "%s spilled", sized(u.Spilled))
	}
	return parts
}

// liveLine draws a snapshot on one line of the terminal.
func (u *ui) liveLine(s snapshot) string {
	texts := fitted(s.parts(), u.width()-1) // a line of full width would wrap on some terminals
	texts[0] = u.paint("36", texts[0])
	return strings.Join(texts, "  ")
}

// fitted returns the texts of those parts that width has room for, and at least one.
func fitted(parts []part, width int) []string {
	for {
		last, length := 0, -2
		for i, p := range parts {
			length += 2 + utf8.RuneCountInString(p.text)
			if p.rank > parts[last].rank {
				last = i
			}
		}
		if length <= width || len(parts) == 1 {
			break
		}
		parts = append(parts[:last:last], parts[last+1:]...)
	}
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.text
	}
	return texts
}

const barWidth = 20

// bar draws how much is done. More than all of it is drawn as all.
func bar(done, total int64) string {
	full := int(min(done*barWidth/total, barWidth))
	return "[" + strings.Repeat("#", full) + strings.Repeat("-", barWidth-full) + "]"
}

// clock writes a duration as minutes and seconds, or hours too.
func clock(d time.Duration) string {
	seconds := int(d.Round(time.Second).Seconds())
	if seconds < 3600 {
		return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
}

// sized writes a number of bytes in MiB, or GiB when it is large.
func sized(bytes int64) string {
	if bytes < 10<<30 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}
