package sql

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
)

// Dialect is the syntax and the functions of an engine that statements need.
type Dialect struct {
	Name string

	quote      string            // around a name; in a name it is doubled, or follows a backslash
	badInNames string            // characters that column names must not have
	backslash  bool              // a backslash in a text escapes the next character
	types      map[string]string // by the key of a type (typeKey); %d are precision and scale
	bigDecimal string            // the type for decimals that are too large for types; empty: none
	digits     int               // of a fraction of seconds
	utc        string            // suffix of a timestamp with a time zone
	infinity   string
	bytes      string // literal of bytes with hexadecimal digits, %s; empty: none
	nan        string // test whether %s is not a number; empty: it equals NaN
	// a text expression that ends the statement with the message %[1]s, a text; %[2]s is any
	// expression
	fail    string
	structs string // with fields %s; empty: there are none
	field   string // of a struct: %[1]s is the value, %[2]s the name, %[3]s the name as a text
	create  string // between a new table's name and AS
	ordered string // note about the order of a new table's rows; empty: they keep it
}

// usual are the types that have the same name in most dialects.
var usual = map[string]string{
	"boolean": "BOOLEAN", "int8": "TINYINT", "int16": "SMALLINT", "int32": "INTEGER",
	"int64":   "BIGINT",
	"float32": "REAL", "float64": "DOUBLE", "decimal": "DECIMAL(%d, %d)", "date": "DATE",
	"string": "VARCHAR",
	"uint8":  "SMALLINT", "uint16": "INTEGER", "uint32": "BIGINT", "uint64": "DECIMAL(20, 0)",
}

// but returns the usual types with some changes; an empty name removes one.
func but(others map[string]string) map[string]string {
	types := make(map[string]string)
	for _, some := range []map[string]string{usual, others} {
		for key, name := range some {
			types[key] = name
		}
	}
	return types
}

// castFail is fail for an engine without a function for it: the message is no number, and the empty
// part of a value keeps planners from evaluating the cast early.
const castFail = `CAST(CAST(CONCAT(%[1]s, SUBSTR(CAST(%[2]s AS VARCHAR), 1, 0)) AS INTEGER) AS VARCHAR)`

// dialects are all there are.
var dialects = []*Dialect{
	{
		Name:     "duckdb",
		quote:    `"`,
		digits:   6,
		utc:      "+00:00",
		infinity: "Infinity",
		bytes:    "unhex('%s')",
		nan:      "isnan(%s)",
		fail:     "error(%[1]s)",
		structs:  "{%s}", field: "%[3]s: %[1]s",
		types: but(map[string]string{
			"uint8": "UTINYINT", "uint16": "USMALLINT", "uint32": "UINTEGER", "uint64": "UBIGINT",
			"time": "TIME", "timestamp": "TIMESTAMP",
			"timestamp ns": "TIMESTAMP_NS", "instant": "TIMESTAMPTZ", "binary": "BLOB",
			"uuid": "UUID",
		}),
	},
	{
		Name:      "spark",
		quote:     "`",
		backslash: true,
		digits:    6,
		utc:       "+00:00",
		infinity:  "Infinity",
		bytes:     "unhex('%s')",
		nan:       "isnan(%s)",
		fail:      "raise_error(%[1]s)",
		structs:   "named_struct(%s)", field: "%[3]s, %[1]s", create: "USING PARQUET ",
		types: but(map[string]string{
			"int32": "INT", "float32": "FLOAT", "string": "STRING", "timestamp": "TIMESTAMP_NTZ",
			"instant": "TIMESTAMP", "binary": "BINARY",
			"uint32": "BIGINT", "uint16": "INT",
		}),
	},
	{
		Name:     "trino",
		quote:    `"`,
		digits:   9,
		utc:      " UTC",
		infinity: "Infinity",
		bytes:    "X'%s'",
		nan:      "is_nan(%s)",
		fail:     "CAST(fail(%[1]s) AS VARCHAR)",
		ordered: "Trino sorts a new table's rows only after SET SESSION skip_redundant_sort = " +
			"false",
		types: but(map[string]string{
			"time": "TIME(6)", "time ns": "TIME(9)", "timestamp": "TIMESTAMP(6)",
			"timestamp ns": "TIMESTAMP(9)",
			"instant":      "TIMESTAMP(6) WITH TIME ZONE", "instant ns": "TIMESTAMP(9) WITH TIME " +
				"ZONE",
			"binary": "VARBINARY", "uuid": "UUID",
		}),
	},
	{
		Name:       "bigquery",
		quote:      "`",
		badInNames: "!\"$()*,./;?@[\\]^`{}~",
		backslash:  true,
		digits:     6,
		utc:        "+00:00",
		infinity:   "Infinity",
		bigDecimal: "BIGNUMERIC(%d, %d)",
		bytes:      "FROM_HEX('%s')",
		nan:        "IS_NAN(%s)",
		fail:       "ERROR(%[1]s)",
		structs:    "STRUCT(%s)", field: "%[1]s AS %[2]s",
		ordered: "BigQuery keeps no order of a table's rows: sort them again where they are " +
			"exported",
		types: but(map[string]string{
			"boolean": "BOOL", "int8": "INT64", "int16": "INT64", "int32": "INT64",
			"int64": "INT64", "uint8": "INT64", "uint16": "INT64", "uint32": "INT64",
			"uint64": "NUMERIC", "float32": "", "float64": "FLOAT64", "decimal": "NUMERIC(%d, %d)",
			"string": "STRING",
			"time":   "TIME", "timestamp": "DATETIME", "instant": "TIMESTAMP", "binary": "BYTES",
		}),
	},
	{
		Name:      "snowflake",
		quote:     `"`,
		backslash: true,
		digits:    9,
		utc:       "+00:00",
		infinity:  "inf",
		bytes:     "TO_BINARY('%s', 'HEX')",
		fail:      castFail,
		types: but(map[string]string{
			"float32": "", "float64": "DOUBLE", "decimal": "NUMBER(%d, %d)", "time": "TIME(9)",
			"time ns":   "TIME(9)",
			"timestamp": "TIMESTAMP_NTZ(9)", "timestamp ns": "TIMESTAMP_NTZ(9)",
			"instant": "TIMESTAMP_TZ(9)", "instant ns": "TIMESTAMP_TZ(9)", "binary": "BINARY",
		}),
	},
	{
		Name:       "postgres",
		quote:      `"`,
		digits:     6,
		utc:        "+00:00",
		infinity:   "Infinity",
		bigDecimal: "NUMERIC(%d, %d)",
		bytes:      "decode('%s', 'hex')",
		fail:       castFail,
		types: but(map[string]string{
			"int8": "SMALLINT", "float64": "DOUBLE PRECISION", "decimal": "NUMERIC(%d, %d)",
			"uint64": "NUMERIC(20, 0)", "time": "TIME", "timestamp": "TIMESTAMP",
			"instant": "TIMESTAMPTZ", "binary": "BYTEA", "uuid": "UUID",
		}),
	},
}

// Dialects returns the names of all dialects.
func Dialects() (names []string) {
	for _, d := range dialects {
		names = append(names, d.Name)
	}
	return names
}

// DialectOf returns the dialect with a name.
func DialectOf(name string) (*Dialect, error) {
	i := slices.IndexFunc(dialects, func(d *Dialect) bool { return d.Name == name })
	if i < 0 {
		return nil, fault.Errorf(fault.Usage, "the dialects are "+strings.Join(Dialects(), ", "),
			"write SQL of dialect %s: there is none of this name", name)
	}
	return dialects[i], nil
}

// checkNames refuses names that a statement cannot contain. Most dialects have no escapes for
// control characters in names.
func (d *Dialect) checkNames(columns ...string) error {
	steers := func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) }
	for _, name := range columns {
		if strings.ContainsFunc(name, steers) || strings.ContainsAny(name, d.badInNames) {
			return refuse(d, "the name of column "+name,
				errors.New("it has characters that no name has there"))
		}
	}
	return nil
}

// name writes a name.
func (d *Dialect) name(name string) string {
	return d.quote + strings.ReplaceAll(name, d.quote, d.quote+d.quote) + d.quote
}

// text writes a text.
func (d *Dialect) text(text string) string {
	if d.backslash {
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`, "\t",
			`\t`).Replace(text) + "'"
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// typeKey returns the key of a type in a dialect's types.
func typeKey(t formats.Type) string {
	key := map[formats.Kind]string{
		formats.Boolean: "boolean", formats.Decimal: "decimal", formats.Date: "date",
		formats.Time: "time", formats.Timestamp: "timestamp",
		formats.String: "string", formats.Binary: "binary", formats.UUID: "uuid",
	}[t.Kind]
	switch {
	case t.Kind == formats.Int || t.Kind == formats.Uint || t.Kind == formats.Float:
		return t.String()
	case t.Kind == formats.Timestamp && t.Zone != "":
		key = "instant"
	}
	if t.Unit == formats.Nano && !t.Wide &&
		(t.Kind == formats.Time || t.Kind == formats.Timestamp) {
		key += " ns"
	}
	return key
}

// typeOf writes a type, if the dialect has it.
func (d *Dialect) typeOf(t formats.Type) (string, error) {
	if t.Kind == formats.Timestamp && t.Wide && d.Name == "spark" {
		t.Zone = "UTC" // with INT96 only moments are written
	}
	name := d.types[typeKey(t)]
	if name == "" {
		return "", fmt.Errorf("%s has no type for %s", d.Name, t)
	}
	if t.Kind != formats.Decimal {
		return name, nil
	}
	if d.bigDecimal != "" && (t.Scale > 9 || t.Precision-t.Scale > 29) {
		name = d.bigDecimal
	}
	if t.Scale < 0 || t.Precision > 38 && name != d.bigDecimal {
		return "", fmt.Errorf("%s has no type for %s", d.Name, t)
	}
	return fmt.Sprintf(name, t.Precision, t.Scale), nil
}
