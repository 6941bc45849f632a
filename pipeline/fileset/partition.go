package fileset

import (
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A partition is a folder of a released directory with the rows that have one label in a column,
// which its name contains as in Hive: column=label. In both, all characters other than letters,
// digits and -_. are percent-encoded.

// nullPartition is the label of the null in such a name.
const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// maxFolder is the largest number of bytes of a folder's name in most file systems.
const maxFolder = 255

// FoldedLabel returns a label as file systems compare names that ignore case and forms of Unicode.
func FoldedLabel(label string) string {
	return norm.NFC.String(strings.ToLower(norm.NFD.String(label)))
}

// MeansNull reports whether readers interpret the folder of a label as that of the null, or as
// none.
func MeansNull(label string) bool { return label == "" || strings.EqualFold(label, nullPartition) }

// PartitionName returns the name of a column's folder. The error does not contain the label.
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

// LabelIn returns the label in a column of all rows of a part, by the folders above it.
func LabelIn(part, column string) (label string, null, found bool) {
	levels := strings.Split(strings.ReplaceAll(part, "\\", "/"), "/")
	for i := len(levels) - 2; i >= 0 && isPartition(levels[i]); i-- {
		key, value, _ := strings.Cut(levels[i], "=")
		if key == escape(column) {
			label, err := url.PathUnescape(value)
			return label, value == nullPartition, err == nil &&
				(value == nullPartition || escape(label) == value)
		}
	}
	return "", false, false
}

// escape percent-encodes characters that some file systems or stores do not allow in names, or that
// readers interpret.
func escape(text string) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' &&
			c <= '9', c == '-', c == '_', c == '.':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
