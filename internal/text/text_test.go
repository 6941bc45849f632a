package text

import (
	"math"
	"testing"
)

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567",
		-1: "-1", -999: "-999", -1000: "-1,000", -123456: "-123,456",
		math.MaxInt64: "9,223,372,036,854,775,807", math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		if got := Grouped(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 rows", 1: "1 row", 2: "2 rows", 1000: "1,000 rows"} {
		if got := Count(n, "row"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{0: "0.0 %", 0.0004: "< 0.1 %", 0.0005: "0.1 %",
		0.123: "12.3 %", 1: "100.0 %"} {
		if got := Percent(share); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}

func TestEscaped(t *testing.T) {
	for json, want := range map[string]string{
		`{"label":"Müller ≥ 3"}`: `{"label":"Müller ≥ 3"}`,
		"{\"a\":\"x\u202ey\u009bz\u00a0\U000e0041\"}\n": `{"a":"x\u202ey\u009bz\u00a0\udb40\udc41"}` +
			"\n",
	} {
		if got := Escaped(json); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWithoutPartitions(t *testing.T) {
	for text, want := range map[string]string{
		"in/a.parquet":                        "in/a.parquet",
		"/in/zip=12345/sex=F/a.parquet":       "/in/zip=…/sex=…/a.parquet",
		"s3://b/name=Ada Lovelace/a=b.csv":    "s3://b/name=…/a=b.csv",
		`read C:\in\zip=1\a.parquet: damaged`: `read C:\in\zip=…\a.parquet: damaged`,
	} {
		if got := WithoutPartitions(text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestList(t *testing.T) {
	for want, most := range map[string]int{"a, b, c": 3, "a, and 2 more": 1,
		"a, b, and 1 more": 2} {
		if names := []string{"a", "b", "c"}; List(names, most) != want || names[1] != "b" {
			t.Errorf("%q, want %q", List(names, most), want)
		}
	}
}
