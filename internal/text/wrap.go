package text

import (
	"strings"
	"unicode/utf8"
)

// percent stands for " %" while a text is broken at its spaces.
const percent = "\x00%"

// Wrap breaks a text at spaces into lines of at most width characters. Lines after the first begin
// with indent. A word that is too long has a line of its own, and % the line of its number.
func Wrap(text string, width int, indent string) string {
	var out strings.Builder
	at := 0 // characters in the line
	for word := range strings.SplitSeq(strings.ReplaceAll(text, " %", percent), " ") {
		size := utf8.RuneCountInString(word)
		switch {
		case out.Len() == 0:
		case at+1+size > width:
			out.WriteString("\n" + indent)
			at = utf8.RuneCountInString(indent)
		default:
			out.WriteByte(' ')
			at++
		}
		out.WriteString(word)
		at += size
	}
	return strings.ReplaceAll(out.String(), percent, " %")
}
