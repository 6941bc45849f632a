package pipeline

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/kcut/kcut"

// mayImport lists, for every floor of the house, the floors it may import. A package counts
// to the longest path that leads to it. Imports go down only, and siblings do not meet:
// pipeline is the only place that knows files, counts and decisions.
var mayImport = map[string][]string{
	"cmd":                 {"pipeline", "pipeline/verify", "pipeline/cutfile", "pipeline/compare", "pipeline/jobfile", "pipeline/forecast", "pipeline/sample", "pipeline/starter", "pipeline/evaluate", "pipeline/metrics", "pipeline/lineage", "pipeline/page", "pipeline/fileset", "pipeline/output", "pipeline/figure"},
	"pipeline/evaluate":   {"pipeline", "pipeline/jobfile", "engine", "engine/", "partition", "spill"},
	"pipeline/metrics":    {"pipeline", "formats/publish"},
	"pipeline/lineage":    {"pipeline", "pipeline/jobfile", "formats/storage"},
	"pipeline/sample":     {"pipeline", "pipeline/fileset", "formats", "formats/writer", "formats/publish"},
	"pipeline/page":       {"pipeline", "pipeline/verify", "pipeline/cutfile", "pipeline/fileset", "pipeline/figure", "formats/publish"},
	"pipeline/starter":    {"pipeline", "pipeline/figure", "engine", "pipeline/jobfile", "pipeline/forecast", "formats", "formats/dataset"},
	"pipeline/checkpoint": {"formats", "formats/publish"},
	"pipeline/output":     {"spill", "pipeline/masking", "pipeline/fileset", "pipeline/jobfile", "formats/dataset", "formats/writer", "formats/release", "formats/publish", "formats/digest", "formats/storage"},
	"pipeline/state":      {"pipeline/checkpoint", "engine", "partition", "spill"},
	"pipeline": {"pipeline/verify", "pipeline/figure", "pipeline/cutfile", "pipeline/fileset", "pipeline/jobfile", "pipeline/forecast", "pipeline/checkpoint", "pipeline/state", "pipeline/domain", "pipeline/count", "pipeline/masking", "pipeline/output",
		"engine", "engine/", "partition", "spill", "formats", "formats/dataset", "formats/writer",
		"formats/release", "formats/publish", "formats/taxonomy", "formats/digest", "formats/storage"},
	"pipeline/compare": {"pipeline/cutfile", "pipeline/jobfile", "engine", "engine/"},
	// None of what searches, masks or writes; of engine the mark of a suppressed value.
	"pipeline/verify":   {"pipeline/cutfile", "pipeline/figure", "pipeline/fileset", "pipeline/jobfile", "engine", "spill", "formats/release", "formats/publish", "formats/storage"},
	"pipeline/cutfile":  {"pipeline/fileset", "pipeline/jobfile", "formats", "formats/release", "formats/storage"},
	"pipeline/fileset":  {"formats", "formats/digest", "formats/storage", "formats/publish", "formats/storage"},
	"pipeline/figure":   {},
	"pipeline/forecast": {"formats", "spill"},
	"pipeline/count":    {"pipeline/domain", "pipeline/figure", "pipeline/jobfile", "engine", "partition", "spill", "formats", "formats/dataset"},
	"pipeline/domain":   {"pipeline/figure", "pipeline/checkpoint", "pipeline/cutfile", "pipeline/jobfile", "engine", "engine/", "partition", "spill", "formats"},
	"pipeline/masking":  {"pipeline/domain", "pipeline/jobfile", "engine", "spill", "formats", "formats/dataset", "formats/writer"},
	"pipeline/jobfile":  {"engine", "formats", "formats/taxonomy", "formats/yaml", "formats/storage"},

	"engine/":                 {"engine", "engine/induce", "engine/taxonomy", "partition", "partition/tips", "partition/cells", "spill"},
	"engine/induce":           {"engine", "partition", "partition/cells", "spill"},
	"engine":                  {"engine/taxonomy", "partition"},
	"engine/taxonomy":         {"partition"},
	"partition":               {"internal/workers", "spill"},
	"partition/tips":          {"partition", "spill"},
	"partition/cells":         {"partition", "spill"},
	"partition/partitiontest": {"partition"},
	"spill":                   {"spill"},
	"internal/workers":        {},

	"formats/dataset":             {"formats", "formats/digest", "formats/internal/fence", "formats/parquetfile", "formats/arrowfile", "formats/csvfile", "formats/storage"},
	"formats/parquetfile":         {"formats", "formats/internal/fence", "formats/internal/plain", "formats/internal/rle", "formats/internal/schema", "formats/storage"},
	"formats/arrowfile":           {"formats", "formats/internal/fence", "formats/internal/plain", "formats/internal/schema", "formats/storage"},
	"formats/csvfile":             {"formats", "formats/internal/fence", "formats/storage"},
	"formats/storage":             {"formats"},
	"formats/writer":              {"formats", "formats/internal/plain", "formats/internal/schema"},
	"formats/release":             {"formats", "formats/internal/fence", "formats/storage"}, // none of the writer's code
	"formats/publish":             {"formats"},
	"formats/taxonomy":            {"formats/yaml"},
	"formats/yaml":                {},
	"formats/digest":              {"formats/storage"},
	"formats/formatstest":         {"formats"},
	"formats/publish/publishtest": {"formats/publish"},
	"formats/internal/fence":      {"formats"},
	"formats/internal/plain":      {"formats"},
	"formats/internal/rle":        {"formats"},
	"formats/internal/schema":     {"formats"},
	"formats":                     {},
	"internal":                    {}, // which all may import
}

// onlyIn lists the modules that one floor keeps to itself.
var onlyIn = map[string]string{
	"github.com/apache/arrow":       "formats",
	"github.com/apache/thrift":      "formats",
	"github.com/parquet-go":         "formats",
	"github.com/cockroachdb/pebble": "spill",
	"github.com/spf13":              "cmd",
	"gocloud.dev":                   "formats",
	"github.com/aws":                "formats",
	"github.com/Azure":              "formats",
	"cloud.google.com":              "formats",
	"google.golang.org":             "formats",
	"github.com/googleapis":         "formats",
}

// Test code may look below its floor, but leaves other floors' modules alone, too.
func TestLayers(t *testing.T) {
	files := 0
	err := filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".go") {
			return err
		}
		files++
		imported, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(file), "../")
		for _, spec := range imported.Imports {
			target, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if why := layerFault(name, target); why != "" {
				t.Errorf("%s imports %s: %s", name, target, why)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 {
		t.Errorf("found only %d Go files", files)
	}
}

// layerFault says what is wrong with a file's import, or nothing.
func layerFault(file, target string) string {
	from := floorOf(path.Dir(file))
	for owned, owner := range onlyIn {
		if strings.HasPrefix(target, owned) && !strings.HasPrefix(from+"/", owner+"/") {
			return "only " + owner + " does"
		}
	}
	below, local := strings.CutPrefix(target, module+"/")
	if !local || strings.HasSuffix(file, "_test.go") {
		return ""
	}
	allowed, known := mayImport[from]
	switch {
	case !known:
		return "its folder has no floor"
	case strings.HasPrefix(below, "internal/"):
		return ""
	case !slices.Contains(allowed, floorOf(below)):
		return "imports go down only"
	}
	return ""
}

// floorOf returns the floor of a package's folder: its first element, and for packages
// below engine that and a slash: those of algorithms, which share engine/induce. Every package
// of formats, internal, partition and pipeline has its own floor.
func floorOf(dir string) string {
	first, rest, _ := strings.Cut(dir, "/")
	switch {
	case first == "formats", first == "internal", first == "partition", first == "pipeline", dir == "engine/induce", dir == "engine/taxonomy":
		return dir
	case first == "engine" && rest != "":
		return first + "/"
	}
	return first
}

func TestLayerFault(t *testing.T) {
	for _, tt := range []struct {
		file, target string
		allowed      bool
	}{
		{"pipeline/run.go", module + "/formats", true},
		{"pipeline/run.go", module + "/formats/dataset", true},
		{"pipeline/run.go", module + "/pipeline/jobfile", true},
		{"pipeline/jobfile/load.go", module + "/formats/yaml", true},
		{"pipeline/sample/parquet.go", module + "/formats/writer", true},
		{"formats/dataset/detect.go", module + "/formats/csvfile", true},
		{"engine/topdown/search.go", module + "/engine", true},
		{"cmd/kcut/main.go", "github.com/spf13/cobra", true},
		{"formats/internal/schema/schema.go", "github.com/parquet-go/parquet-go", true},
		{"formats/release/file.go", "github.com/apache/arrow/go/v17/parquet", true},
		{"engine/engine.go", "context", true},
		{"spill/budget.go", module + "/internal/fault", true},
		{"internal/fault/error.go", module + "/spill", false},
		{"engine/kactus/engine.go", module + "/engine/induce", true},
		{"engine/induce/grow.go", module + "/engine/kactus", false},
		{"engine/engine.go", module + "/formats", false},
		{"engine/topdown/search.go", module + "/engine/mondrian", false},
		{"engine/engine.go", module + "/engine/topdown", false},
		{"spill/store.go", module + "/partition", false},
		{"formats/values.go", module + "/spill", false},
		{"formats/values.go", module + "/formats/dataset", false},
		{"formats/release/file.go", module + "/formats/writer", false},
		{"pipeline/verify/verify.go", module + "/pipeline", false},
		{"pipeline/verify/verify.go", module + "/formats/writer", false},
		{"pipeline/verify/verify.go", module + "/engine/topdown", false},
		{"formats/release/file.go", module + "/formats/internal/plain", false},
		{"formats/csvfile/source.go", module + "/formats/parquetfile", false},
		{"pipeline/run.go", module + "/formats/parquetfile", false},
		{"pipeline/run.go", module + "/formats/yaml", false},
		{"pipeline/jobfile/load.go", module + "/pipeline", false},
		{"pipeline/sample/parquet.go", module + "/pipeline/jobfile", false},
		{"cmd/kcut/main.go", module + "/formats", false},
		{"pipeline/run_test.go", "github.com/parquet-go/parquet-go", false},
		{"pipeline/run.go", "github.com/cockroachdb/pebble/v2", false},
		{"tools/x.go", module + "/spill", false},
	} {
		if why := layerFault(tt.file, tt.target); (why == "") != tt.allowed {
			t.Errorf("%s imports %s: %q, allowed should be %v", tt.file, tt.target, why, tt.allowed)
		}
	}
}
