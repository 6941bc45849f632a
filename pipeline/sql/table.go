package sql

import (
	"slices"
	"strings"

	"github.com/kcut/kcut/internal/fault"
)

// Table is the name of a table, preceded by the names of its schema and catalog.
type Table []string

// ParseTable parses a name such as people, shop.people or, if names contain points,
// "exports/people.parquet": parts in double quotes are literal, with two double quotes for one.
func ParseTable(text string) (t Table, err error) {
	rest := text
	for {
		var part string
		if inner, quoted := strings.CutPrefix(rest, `"`); quoted {
			var name strings.Builder
			for {
				before, after, closed := strings.Cut(inner, `"`)
				if !closed {
					return nil, badTable(text)
				}
				name.WriteString(before)
				if again, doubled := strings.CutPrefix(after, `"`); doubled {
					name.WriteByte('"')
					inner = again
					continue
				}
				part, rest = name.String(), after
				break
			}
		} else {
			end := strings.IndexAny(rest, `."`)
			if end < 0 {
				end = len(rest)
			}
			part, rest = rest[:end], rest[end:]
		}
		if part == "" || strings.ContainsRune(part, 0) {
			return nil, badTable(text)
		}
		t = append(t, part)
		if rest == "" {
			return t, nil
		}
		var more bool
		if rest, more = strings.CutPrefix(rest, "."); !more {
			return nil, badTable(text)
		}
	}
}

func badTable(text string) error {
	return fault.Errorf(fault.Usage,
		`write it as people or shop.people, a part with other characters in double quotes`,
		"read the name of a table: %q is none", text)
}

// relation is the table that a macro of dbt gets. No statement has its name otherwise: names and
// texts with this character are refused.
var relation = Table{"\x00"}

// table writes a table's name.
func (d *Dialect) table(t Table) string {
	if slices.Equal(t, relation) {
		return relation[0]
	}
	parts := make([]string, len(t))
	for i, part := range t {
		parts[i] = d.name(part)
	}
	return strings.Join(parts, ".")
}
