package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/kcut/kcut"
)

const (
	drawEvery = 200 * time.Millisecond // on a terminal
	logEvery  = 10 * time.Second       // elsewhere
)

// progress follows a run: one live line a stage on a terminal, log records elsewhere, nothing
// when the user wants quiet. It is safe for concurrent use.
type progress struct {
	ui    *ui
	every time.Duration // how often it shows where a stage is
	quit  chan struct{}
	over  sync.WaitGroup

	mu    sync.Mutex
	usage func() kcut.Usage // nil: not known
	began time.Time
	start kcut.Usage // when the stage began
	last  snapshot
	drawn bool // the live line is on the screen
}

// follow starts to show progress; close ends that.
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

// events returns the functions that a run reports to.
func (p *progress) events() kcut.Events {
	return kcut.Events{Start: p.begin, Progress: p.progress, End: p.end, Notice: p.notice, Meter: p.meter}
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

// progress keeps the furthest count: reports of several workers may overtake each other. A
// stage that begins anew has another total, and its rate is that since then.
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
	fmt.Fprintf(p.ui.err, "\r\x1b[K%s", p.ui.liveLine(at))
	p.drawn = true
}

// now returns where the stage is, so long after it began.
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

// log writes a log record where there is no terminal.
func (p *progress) log(message string, attrs ...slog.Attr) {
	if !p.ui.terminal && !p.ui.quiet {
		p.ui.log.LogAttrs(context.Background(), slog.LevelInfo, message, attrs...)
	}
}

// erase takes the live line off the screen, so that words can be printed.
func (p *progress) erase() {
	if p.drawn {
		fmt.Fprint(p.ui.err, "\r\x1b[K")
		p.drawn = false
	}
}
