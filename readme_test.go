package kcut_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut"
)

func release(ctx context.Context) (*kcut.Cut, error) {
	job, err := kcut.LoadJob("people.yaml",
		kcut.Override{Key: "quasi_identifiers[].k", Value: "50"})
	if err != nil {
		return nil, err
	}
	report, err := kcut.Run(ctx, job, kcut.RunOptions{Resume: true})
	if errors.Is(err, kcut.ErrPrivacy) {
		return nil, fmt.Errorf("not as anonymous as asked for: %w", err)
	}
	if err != nil {
		return nil, err
	}
	return kcut.ReadCut(ctx, report.Output)
}

// The code in README.md is the function above, and it works.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(readme), "```go\n")
	code, _, found := strings.Cut(code, "```\n")
	if !found || !strings.Contains(string(here), "\n"+code+"\n") {
		t.Errorf("README.md has other code than this test:\n%s", code)
	}
	dir := filepath.Dir(people())
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Chdir(dir)
	for range 2 { // once more finds it done
		cut, err := release(t.Context())
		if err != nil || cut.Sets[0].Anonymity < 50 {
			t.Errorf("%+v, %v", cut, err)
		}
	}
}
