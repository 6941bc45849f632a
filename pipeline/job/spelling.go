package job

import (
	"fmt"
	"strings"
)

// didYouMean returns a hint naming the candidate that is spelled most like a word, or "".
func didYouMean(word string, candidates []string) string {
	hint, distance := "", 1+max(1, len(word)/3)
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(word), strings.ToLower(c)); d < distance {
			hint, distance = fmt.Sprintf("did you mean %q?", c), d
		}
	}
	return hint
}

// editDistance counts the insertions, deletions, replacements and swaps of neighbours that
// turn one text into the other.
func editDistance(a, b string) int {
	s, t := []rune(a), []rune(b)
	if len(s) > 64 || len(t) > 64 {
		return 64 // nobody's typing slip; keeps a hint cheap
	}
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
			case s[i-1] == t[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j], rows[i][j-1], rows[i-1][j-1])
			}
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(s)][len(t)]
}
