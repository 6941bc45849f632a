package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

const (
	drawEvery = 200 * time.Millisecond // on a terminal
	logEvery  = 10 * time.Second       // elsewhere
)

// progress shows a run: a live line for every stage on a terminal, log records elsewhere, nothing
// with --quiet. It is safe for concurrent use.
type progress struct {
	ui    *ui
	every time.Duration // the time between two updates
	quit  chan struct{}
	over  sync.WaitGroup

	mu    sync.Mutex
	usage func() kcut.Usage // nil: unknown
	began time.Time
	start kcut.Usage // usage at the start of the stage
	last  snapshot
	drawn bool // the live line is on the screen
}

// follow starts to show progress; close ends it.
func (u *ui) follow() *progress {
	p := &progress{ui: u, every: logEvery, quit: make(chan struct{})}
	if u.terminal {
		p.every = drawEvery
	}
	if !u.quiet && !(u.terminal && u.dumb) {
		p.over.Go(p.tick)
	}
	return p
}

func (p *progress) close() {
	close(p.quit)
	p.over.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

// events returns the functions that receive the events of a run.
func (p *progress) events() kcut.Events {
	return kcut.Events{Start: p.begin, Progress: p.progress, End: p.end, Notice: p.notice,
		Meter: p.meter}
}

func (p *progress) meter(usage func() kcut.Usage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.usage = usage
}

func (p *progress) begin(stage kcut.Stage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.began, p.last = time.Now(), snapshot{stage: stage}
	if p.usage != nil {
		p.start = p.usage()
	}
	p.log("stage began", slog.String("stage", string(stage)))
}

// progress keeps the largest count, since reports of several workers may arrive out of order. A
// stage that starts again has another total, and its rate counts from then on.
func (p *progress) progress(stage kcut.Stage, at kcut.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if stage != p.last.stage {
		return
	}
	anew := at.Total != p.last.Total
	if anew && p.last.Total > 0 {
		p.began = time.Now()
	}
	if anew || at.Done > p.last.Done {
		p.last.Progress = at
	}
}

func (p *progress) end(_ kcut.Stage, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	at := p.now(took)
	p.log("stage ended", at.attrs()...)
	p.last = snapshot{}
}

func (p *progress) notice(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.ui.note(text)
}

func (p *progress) tick() {
	ticker := time.NewTicker(p.every)
	defer ticker.Stop()
	for {
		select {
		case <-p.quit:
			return
		case now := <-ticker.C:
			p.show(now)
		}
	}
}

func (p *progress) show(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last.stage == "" {
		return
	}
	at := p.now(now.Sub(p.began))
	if !p.ui.terminal {
		p.log("progress", at.attrs()...)
		return
	}
	texts := fitted(at.parts(), p.ui.width()-1) // a line of full width would wrap on some terminals
	texts[0] = p.ui.paint("36", texts[0])
	fmt.Fprintf(p.ui.err, "\r\x1b[K%s", strings.Join(texts, "  "))
	p.drawn = true
}

// now returns the state of the stage, the given time after its start.
func (p *progress) now(elapsed time.Duration) snapshot {
	s := p.last
	s.elapsed = elapsed
	if p.usage != nil {
		usage := p.usage()
		usage.Read -= p.start.Read
		usage.Written -= p.start.Written
		s.usage = &usage
	}
	return s
}

// log writes a log record, unless there is a terminal.
func (p *progress) log(message string, attrs ...slog.Attr) {
	if !p.ui.terminal && !p.ui.quiet {
		p.ui.log.LogAttrs(context.Background(), slog.LevelInfo, message, attrs...)
	}
}

// erase removes the live line from the screen, so that messages can be printed.
func (p *progress) erase() {
	if p.drawn {
		fmt.Fprint(p.ui.err, "\r\x1b[K")
		p.drawn = false
	}
}

// snapshot is the state of a stage at one moment.
type snapshot struct {
	stage kcut.Stage
	kcut.Progress
	elapsed time.Duration
	usage   *kcut.Usage // nil: unknown; Read and Written count from the start of the stage
}

// rate returns rows or steps a second.
func (s *snapshot) rate() int64 {
	return int64(float64(s.Done) / max(s.elapsed.Seconds(), 0.001))
}

// unit returns the word for the things that the total counts.
func (s *snapshot) unit() string { return cmp.Or(s.Unit, "rows") }

// attrs returns the attributes of a log record: docs/watching.md explains their names.
func (s *snapshot) attrs() []slog.Attr {
	attrs := []slog.Attr{slog.String("stage", string(s.stage))}
	count := func(name string, n int64) { attrs = append(attrs, slog.Int64(name, n)) }
	switch {
	case s.Total > 0:
		count(s.unit(), s.Done)
		count(s.unit()+"_total", s.Total)
		if s.Unit == "" {
			count("rows_per_second", s.rate())
		}
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

// part is one piece of a live line. If a line is too long, pieces of the highest rank are left out
// first.
type part struct {
	text string
	rank int
}

// parts returns the pieces of a snapshot, from left to right.
func (s *snapshot) parts() []part {
	parts := []part{{string(s.stage), 0}}
	add := func(rank int, format string, args ...any) {
		parts = append(parts, part{fmt.Sprintf(format, args...), rank})
	}
	if s.Total > 0 {
		add(7, "%s", bar(s.Done, s.Total))
		add(1, "%d %%", 100*s.Done/s.Total)
		add(4, "%s of %s %s", text.Grouped(s.Done), text.Grouped(s.Total), s.unit())
		if s.Unit == "" {
			add(3, "%s rows/s", text.Grouped(s.rate()))
		}
		if s.Done > 0 { // at the rate so far
			left := float64(s.elapsed) / float64(s.Done) * float64(s.Total-s.Done)
			add(2, "%s left", clock(time.Duration(left)))
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

// fitted returns the texts of the parts that fit into width, and at least one text.
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

// bar draws the completed share. It draws more than all as all.
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
