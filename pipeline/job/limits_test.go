package job

import "testing"

// TestLimitsOf: flags win over the environment, and what is no limit is nothing to it.
func TestLimitsOf(t *testing.T) {
	limits, err := LimitsOf([]Override{
		{Key: "limits.memory", Value: "1GiB", Origin: "--memory"},
		{Key: "limits.memory", Value: "2GiB", Origin: "KCUT_MEMORY"},
		{Key: "limits.threads", Value: "3", Origin: "KCUT_THREADS"},
		{Key: "max_steps", Value: "many", Origin: "KCUT_MAX_STEPS"},
	})
	if want := (Limits{Memory: 1 << 30, Threads: 3}); err != nil || limits != want {
		t.Errorf("%+v, %v, want %+v", limits, err, want)
	}
	if limits, err := LimitsOf(nil); err != nil || limits != (Limits{}) {
		t.Errorf("of nothing: %+v, %v", limits, err)
	}
	if _, err := LimitsOf([]Override{{Key: "limits.threads", Value: "many", Origin: "--threads"}}); err == nil {
		t.Error("many threads are a number of threads")
	}
}
