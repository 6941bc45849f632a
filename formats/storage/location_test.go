package storage

import (
	"strings"
	"testing"
)

func TestResolve(t *testing.T) {
	for _, c := range []struct{ text, want, problem string }{
		{"people.parquet", "people.parquet", ""},
		{"a:b//c", "a:b//c", ""},
		{"s3://bucket/a b%20c/*?.parquet", "s3://bucket/a b%20c/*?.parquet", ""},
		{"gs://bucket", "gs://bucket", ""},
		{"azblob://container/x/", "azblob://container/x/", ""},
		{"file:///data/a%20b.parquet", "/data/a b.parquet", ""},
		{"file://localhost/data/x/", "/data/x/", ""},
		{"FILE:///data/x", "/data/x", ""},
		{"file://data/x", "", "another machine"},
		{"file:///data/%zz", "", "%25"},
		{"s3://", "", "without a bucket"},
		{"s3:///key", "", "without a bucket"},
		{"s3a://bucket/key", "", "write s3://"},
		{"abfss://x", "", "write azblob://"},
		{"https://example.com/x", "", "unknown kind, https://"},
	} {
		got, err := Resolve(c.text)
		if c.problem == "" && (err != nil || got != c.want) {
			t.Errorf("%s: %q, %v; want %q", c.text, got, err, c.want)
		}
		if c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)) {
			t.Errorf("%s: %q, %v; want an error with %q", c.text, got, err, c.problem)
		}
	}
}
