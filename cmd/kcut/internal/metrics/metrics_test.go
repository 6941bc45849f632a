package metrics

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"

	"github.com/kcut/kcut"
)

// parseText returns the samples of a text, by name and labels, parsed by the library of scrapers.
func parseText(t *testing.T, text string) map[string]float64 {
	t.Helper()
	families, err := new(expfmt.TextParser).TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	samples := make(map[string]float64)
	for name, family := range families {
		if family.GetHelp() == "" || family.GetType().String() != "GAUGE" ||
			strings.Count(text, "# HELP "+name+" ") != 1 {
			t.Errorf("%s has no help, no type, or comes twice:\n%s", name, text)
		}
		for _, metric := range family.GetMetric() {
			key := name
			for _, label := range metric.GetLabel() {
				key += " " + label.GetName() + "=" + label.GetValue()
			}
			if _, twice := samples[key]; twice {
				t.Errorf("%s comes twice:\n%s", key, text)
			}
			samples[key] = metric.GetGauge().GetValue()
		}
	}
	return samples
}

func exampleReport() *kcut.Report {
	return &kcut.Report{
		Rows: 1000, Bytes: 4096, Files: 1,
		Outcome: kcut.Outcome{
			Released: 990, Suppressed: 7, Steps: 12, Information: new(0.25), ColumnsKept: new(3),
			Utility: new(0.75),
			Sets: []kcut.CutSet{{
				Columns:   []string{"age", `odd "name"\`, "red\x1b[31m\nline"},
				K:         5,
				Anonymity: 6,
			}, {Columns: []string{"zip"}, K: 2, Anonymity: 2}},
		},
		Stages: []kcut.StageTime{{Stage: kcut.StagePlan, Seconds: 0.5},
			{Stage: kcut.StageMask, Seconds: 1e-9}},
		PeakDraw: 1 << 40, Spilled: 3, SpilledPeak: 2, PeakRSS: 99,
	}
}

func TestText(t *testing.T) {
	ended := time.UnixMilli(1700000000500)
	earlier := ended.Add(-24 * time.Hour)
	failed := exampleReport()
	failed.Stages = failed.Stages[:1]
	for _, tt := range []struct {
		name   string
		run    Run
		want   map[string]float64
		absent []string
	}{
		{
			"success", Run{Report: exampleReport(), Succeeded: earlier},
			map[string]float64{
				"kcut_run_success": 1, "kcut_run_exit_code": 0, "kcut_run_already_done": 0,
				"kcut_run_duration_seconds":           60,
				"kcut_run_end_timestamp_seconds":      1700000000.5,
				"kcut_last_success_timestamp_seconds": 1700000000.5,
				"kcut_run_rows":                       1000, "kcut_run_rows_released": 990,
				"kcut_run_rows_suppressed": 7,
				"kcut_run_steps":           12, "kcut_run_information_kept": 0.25,
				"kcut_run_columns_kept": 3, "kcut_run_utility": 0.75,
				"kcut_run_released_bytes": 4096, "kcut_run_spilled_bytes": 3,
				"kcut_run_spilled_peak_bytes": 2,
				"kcut_run_budget_peak_bytes":  1 << 40, "kcut_run_resident_peak_bytes": 99,
				"kcut_run_stage_duration_seconds stage=plan":                          0.5,
				"kcut_run_stage_duration_seconds stage=mask":                          1e-9,
				`kcut_k set=1 columns=age,odd "name"\,red\x1b[31m` + "\nline":         5,
				`kcut_anonymity set=1 columns=age,odd "name"\,red\x1b[31m` + "\nline": 6,
				"kcut_k set=2 columns=zip":                                            2,
				"kcut_anonymity set=2 columns=zip":                                    2,
			},
			nil,
		},
		{
			"already done", Run{Report: &kcut.Report{
				AlreadyDone: true,
				Rows:        1000,
				Outcome:     kcut.Outcome{Released: 1000},
			}},
			map[string]float64{
				"kcut_run_success": 1, "kcut_run_already_done": 1, "kcut_run_rows_released": 1000,
				"kcut_last_success_timestamp_seconds": 1700000000.5,
			},
			[]string{"information"},
		},
		{
			"failed after success", Run{Report: failed, Exit: 4, Succeeded: earlier},
			map[string]float64{
				"kcut_run_success": 0, "kcut_run_exit_code": 4,
				"kcut_last_success_timestamp_seconds": 1699913600.5,
				"kcut_run_rows":                       1000, "kcut_run_rows_released": 0,
				"kcut_run_rows_suppressed":                   0,
				"kcut_run_released_bytes":                    0,
				"kcut_run_stage_duration_seconds stage=plan": 0.5,
			},
			[]string{"kcut_anonymity", "kcut_k", "mask", "information"},
		},
		{
			"not even loaded", Run{Exit: 2},
			map[string]float64{"kcut_run_success": 0, "kcut_run_exit_code": 2},
			[]string{"kcut_last_success_timestamp_seconds", "kcut_run_rows", "run_stage"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.run.JobFile, tt.run.Began, tt.run.Ended = "people\n.yaml", ended.Add(-time.Minute),
				ended
			text := string(tt.run.Text())
			got := parseText(t, text)
			for key, want := range tt.want {
				name, labels, _ := strings.Cut(key, " ")
				key = strings.TrimSpace(name + " job_file=people\n.yaml " + labels)
				if value, ok := got[key]; !ok || value != want {
					t.Errorf("%s is %v (there: %v), want %v", key, value, ok, want)
				}
			}
			for _, word := range tt.absent {
				if strings.Contains(text, word) {
					t.Errorf("there is %s:\n%s", word, text)
				}
			}
		})
	}
}

// The time of the last success is kept over failed runs, and only for the same job.
func TestWriteKeepsTheLastSuccess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kcut.prom")
	day := time.UnixMilli(1700000000123)
	for i, tt := range []struct {
		job  string
		exit int
		want float64 // 0: absent
	}{
		{"a.yaml", 1, 0},
		{"a.yaml", 0, 1700000001.123},
		{"a.yaml", 7, 1700000001.123},
		{"a.yaml", 143, 1700000001.123},
		{"a.yaml", 0, 1700000004.123},
		{"b.yaml", 6, 0},
	} {
		r := Run{JobFile: tt.job, Exit: tt.exit, Ended: day.Add(time.Duration(i) * time.Second)}
		if err := Write(path, r); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := parseText(t, string(text))["kcut_last_success_timestamp_seconds job_file="+
			tt.job]; got != tt.want {
			t.Errorf("run %d: %v, want %v", i, got, tt.want)
		}
	}
}

// The collector can read the file, and there are no other files; where it cannot be written, the
// old one stays.
func TestWriteReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "kcut.prom")
	for range 2 {
		if err := Write(path, Run{}); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("there are %v, %v", entries, err)
	}
	if info, err := entries[0].Info(); err != nil || info.Mode()&0o044 == 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := Write(filepath.Join(path, "below.prom"), Run{}); err == nil ||
		!strings.HasPrefix(err.Error(), "write metrics: ") {
		t.Errorf("got %v", err)
	}
	if err := Write(dir, Run{}); err == nil {
		t.Error("a folder was replaced")
	}
}
