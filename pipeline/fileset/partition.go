package fileset

import (
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A partition is a folder of a released directory whose name says which label all rows below have in a column, as Hive names them:
// column=label. What is no letter, digit or one of -_. in either is percent-encoded.

// nullPartition is the name of the null in such a name.
const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// maxFolder is how many bytes the name of a folder has at most in most file systems.
const maxFolder = 255

// FoldedLabel is a label as file systems compare names that know neither case nor forms of Unicode.
func FoldedLabel(label string) string {
	return norm.NFC.String(strings.ToLower(norm.NFD.String(label)))
}

// MeansNull reports whether readers take the folder of a label for that of the null, or for none.
func MeansNull(label string) bool { return label == "" || strings.EqualFold(label, nullPartition) }

// PartitionName returns the name of a column's folder. The error says nothing of the label.
func PartitionName(column, label string, null bool) (string, error) {
	value := nullPartition
	if !null {
		value = escape(label)
	}
	if name := escape(column) + "=" + value; len(name) <= maxFolder {
		return name, nil
	}
	return "", fmt.Errorf("a label of column %s is longer than the name of a folder may be", column)
}

func isPartition(name string) bool { return strings.Contains(name, "=") }

// LabelIn returns the label that the folders above a part say its rows have in a column.
func LabelIn(part, column string) (label string, null, found bool) {
	levels := strings.Split(strings.ReplaceAll(part, "\\", "/"), "/")
	for i := len(levels) - 2; i >= 0 && isPartition(levels[i]); i-- {
		key, value, _ := strings.Cut(levels[i], "=")
		if key == escape(column) {
			label, err := url.PathUnescape(value)
			return label, value == nullPartition, err == nil && (value == nullPartition || escape(label) == value)
		}
	}
	return "", false, false
}

// escape percent-encodes what would not be in the name of a folder in all file systems and stores, or means something to readers.
func escape(text string) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
