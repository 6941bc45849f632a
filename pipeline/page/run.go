package page

import (
	"fmt"

	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/figure"
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

func newRunView(r *pipeline.Report) *runView {
	if r == nil {
		return nil
	}
	v := &runView{Notices: r.Notices, Facts: []fact{
		{"Rows read", figure.Grouped(r.Rows)},
		{"Rows released", figure.Grouped(r.Released)},
		{"of these suppressed", figure.Grouped(int64(r.Suppressed))},
		{"Rows dropped", figure.Grouped(r.Rows - r.Released)},
		{"Files read", figure.Grouped(int64(len(r.Inputs)))},
		{"Files written", figure.Grouped(int64(r.Files))},
		{"Bytes written", figure.Grouped(r.Bytes)},
		{"Largest resident set", mebibytes(r.PeakRSS)},
		{"Most of the memory budget", mebibytes(r.PeakDraw)},
		{"Spilled to disk", mebibytes(r.Spilled)},
	}}
	if d := r.Digests; d != nil {
		v.Facts = append(v.Facts, fact{"Digest of the job", d.Job}, fact{"Digest of the input", d.Input})
	}
	for _, n := range r.Nulls {
		v.Nulls = append(v.Nulls, fact{n.Column, figure.Grouped(int64(n.Rows))})
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

func mebibytes(n int64) string { return fmt.Sprintf("%s MiB", figure.Grouped(n>>20)) }
