package report

import (
	"fmt"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

// runView is how the run went.
type runView struct {
	Facts   []fact
	Stages  []stageView
	Nulls   []fact
	Notices []string
}

type stageView struct {
	Name    string
	Seconds string
	Bar     string
}

func newRunView(r *kcut.Report) *runView {
	if r == nil {
		return nil
	}
	v := &runView{Notices: r.Notices, Facts: []fact{
		{"Rows read", text.Grouped(r.Rows)},
		{"Rows released", text.Grouped(r.Released)},
		{"of these suppressed", text.Grouped(int64(r.Suppressed))},
		{"Rows dropped", text.Grouped(r.Rows - r.Released)},
		{"Files read", text.Grouped(int64(len(r.Inputs)))},
		{"Files written", text.Grouped(int64(r.Files))},
		{"Bytes written", text.Grouped(r.Bytes)},
		{"Largest resident set", mebibytes(r.PeakRSS)},
		{"Most of the memory budget", mebibytes(r.PeakDraw)},
		{"Spilled to disk", mebibytes(r.Spilled)},
	}}
	if d := r.Digests; d != nil {
		v.Facts = append(v.Facts, fact{"Digest of the job", d.Job}, fact{"Digest of the input", d.Input})
	}
	for _, n := range r.Nulls {
		v.Nulls = append(v.Nulls, fact{n.Column, text.Grouped(int64(n.Rows))})
	}
	longest := 0.0
	for _, s := range r.Stages {
		longest = max(longest, s.Seconds)
	}
	for _, s := range r.Stages {
		v.Stages = append(v.Stages, stageView{
			string(s.Stage), fmt.Sprintf("%.2f s", s.Seconds), barWidth(uint64(s.Seconds*1e6), uint64(longest*1e6)),
		})
	}
	return v
}

func mebibytes(n int64) string { return fmt.Sprintf("%s MiB", text.Grouped(n>>20)) }
