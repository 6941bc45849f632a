package draft

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/kcut/kcut/formats/dataset"
)

// outputFor returns where the release of an input goes: a place that is not among the input
// itself.
func outputFor(input []string) (string, error) {
	stem := stemOf(input[0])
	candidates := []string{stem + "-release.parquet", "release/", "../" + stem + "-release.parquet"}
	for _, output := range candidates {
		found, err := anyFinds(input, path.Join(output, part(output)))
		if err != nil || !found {
			return output, err
		}
	}
	return candidates[0], nil
}

// part is the name of a file below an output that is a directory.
func part(output string) string {
	if strings.HasSuffix(output, "/") {
		return "part.parquet"
	}
	return ""
}

func anyFinds(patterns []string, file string) (bool, error) {
	for _, pattern := range patterns {
		if found, err := dataset.Finds(pattern, file); found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// stemOf is the name of an input without wildcards and endings.
func stemOf(input string) string {
	name := path.Base(filepath.ToSlash(input))
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.Trim(strings.Map(plainRune, stem), "-_")
	if stem == "" {
		return "table"
	}
	return stem
}

func plainRune(r rune) rune {
	if strings.ContainsRune(`*?[]\/ `, r) {
		return -1
	}
	return r
}
