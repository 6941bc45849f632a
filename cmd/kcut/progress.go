package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/kcut/kcut/pipeline"
)

const (
	drawEvery = 200 * time.Millisecond // on a terminal
	logEvery  = 30 * time.Second       // elsewhere
)

// progress follows a run: one live line on a terminal, log records elsewhere, nothing when
// the user wants quiet. It is safe for concurrent use.
type progress struct {
	ui   *ui
	quit chan struct{}
	over sync.WaitGroup

	mu    sync.Mutex
	stage pipeline.Stage
	began time.Time
	last  pipeline.Progress
	drawn bool // the live line is on the screen
}

// follow starts to show progress; close ends that.
func (u *ui) follow() *progress {
	p := &progress{ui: u, quit: make(chan struct{})}
	if !u.quiet {
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
func (p *progress) events() pipeline.Events {
	return pipeline.Events{Start: p.start, Progress: p.progress, End: p.end, Notice: p.notice}
}

func (p *progress) start(stage pipeline.Stage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stage, p.began, p.last = stage, time.Now(), pipeline.Progress{}
}

// progress keeps the furthest count: reports of several workers may overtake each other.
func (p *progress) progress(stage pipeline.Stage, at pipeline.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if stage == p.stage && at.Done > p.last.Done {
		p.last = at
	}
}

func (p *progress) end(stage pipeline.Stage, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.stage = ""
	if !p.ui.terminal && !p.ui.quiet {
		p.ui.log.Info("stage ended", "stage", stage, "seconds", took.Seconds())
	}
}

func (p *progress) notice(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.ui.note(text)
}

func (p *progress) tick() {
	every := logEvery
	if p.ui.terminal {
		every = drawEvery
	}
	ticker := time.NewTicker(every)
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
	if p.stage == "" {
		return
	}
	elapsed := now.Sub(p.began)
	if !p.ui.terminal {
		p.ui.log.Info("progress", "stage", p.stage, "done", p.last.Done, "total", p.last.Total, "seconds", elapsed.Seconds())
		return
	}
	fmt.Fprintf(p.ui.err, "\r\x1b[K%s", progressLine(p.stage, p.last, elapsed))
	p.drawn = true
}

// erase takes the live line off the screen, so that words can be printed.
func (p *progress) erase() {
	if p.drawn {
		fmt.Fprint(p.ui.err, "\r\x1b[K")
		p.drawn = false
	}
}

// progressLine words one moment of a stage: what is done, how fast, and how long it will take.
func progressLine(stage pipeline.Stage, at pipeline.Progress, elapsed time.Duration) string {
	if at.Total == 0 && at.Done == 0 {
		return fmt.Sprintf("%s  %s", stage, clock(elapsed))
	}
	if at.Total == 0 {
		return fmt.Sprintf("%s  %s steps  %s", stage, grouped(at.Done), clock(elapsed))
	}
	rate := float64(at.Done) / max(elapsed.Seconds(), 0.001)
	left := time.Duration(0)
	if rate > 0 {
		left = time.Duration(float64(at.Total-at.Done) / rate * float64(time.Second))
	}
	return fmt.Sprintf("%s  %s of %s rows  %d %%  %s rows/s  %s left", stage, grouped(at.Done), grouped(at.Total),
		100*at.Done/at.Total, grouped(int64(rate)), clock(left))
}

// clock writes a duration as minutes and seconds, or hours too.
func clock(d time.Duration) string {
	seconds := int(d.Round(time.Second).Seconds())
	if seconds < 3600 {
		return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
}
