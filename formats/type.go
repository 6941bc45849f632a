package formats

import "fmt"

// Kind is the logical kind of a flat column, or Nested.
type Kind uint8

// The kinds of columns.
const (
	Boolean   Kind = iota
	Int            // signed, Bits 8 to 64
	Uint           // unsigned, Bits 8 to 64
	Float          // Bits 16, 32 or 64
	Decimal        // unscaled integer times 10^-Scale
	Date           // days since 1970-01-01
	Time           // Unit since midnight
	Timestamp      // Unit since 1970-01-01T00:00:00, UTC when Zone is not empty
	String         // UTF-8 text; enums and JSON too
	Binary         // uninterpreted bytes
	UUID           // 16 bytes
	Null           // a column without a type, all null
	Nested         // lists, maps, structs: can be kept or dropped, not masked
)

// Unit is the resolution of a Time or Timestamp.
type Unit uint8

// The resolutions.
const (
	Second Unit = iota
	Milli
	Micro
	Nano
)

// Type is the type of a column's values. Two files agree on a column when its Types are equal.
type Type struct {
	Kind      Kind
	Bits      int    // Int, Uint, Float
	Unit      Unit   // Time, Timestamp
	Zone      string // Timestamp: "UTC" or the source's zone; empty is local (no zone)
	Precision int    // Decimal: number of all digits
	Scale     int    // Decimal: number of digits after the point
	Size      int    // Binary of fixed width: number of bytes; 0 is variable
	// values are in Data although the Kind would fit in a word (Parquet INT96 timestamps, decimals
	// over 18 digits)
	Wide   bool
	Nested string // Nested: the structure as text, for comparing files
}

// Ordered reports whether the values have an order for intervals: numbers, decimals, dates, times
// and timestamps.
func (t Type) Ordered() bool {
	switch t.Kind {
	case Int, Uint, Float, Decimal, Date, Time, Timestamp:
		return true
	}
	return false
}

// InWords reports whether Values of this type are in Words (else in Data).
func (t Type) InWords() bool {
	switch t.Kind {
	case Boolean, Int, Uint, Float, Date, Time, Timestamp, Decimal:
		return !t.Wide
	}
	return false
}

// WideSize returns the number of bytes of a wide Decimal.
func (t Type) WideSize() int {
	if t.Precision <= 38 {
		return 16
	}
	return 32
}

var kindNames = [...]string{
	Boolean:   "boolean",
	Int:       "int",
	Uint:      "uint",
	Float:     "float",
	Decimal:   "decimal",
	Date:      "date",
	Time:      "time",
	Timestamp: "timestamp",
	String:    "string",
	Binary:    "binary",
	UUID:      "uuid",
	Null:      "null",
	Nested:    "nested",
}

// String returns the type's name in messages, such as int64 or timestamp[us, UTC].
func (t Type) String() string {
	name := kindNames[t.Kind]
	switch t.Kind {
	case Int, Uint, Float:
		return fmt.Sprintf("%s%d", name, t.Bits)
	case Decimal:
		return fmt.Sprintf("%s(%d,%d)", name, t.Precision, t.Scale)
	case Time:
		return fmt.Sprintf("%s[%s]", name, t.Unit)
	case Timestamp:
		return t.timestampName(name)
	case Binary:
		if t.Size > 0 {
			return fmt.Sprintf("%s[%d]", name, t.Size)
		}
	case Nested:
		return fmt.Sprintf("%s %s", name, t.Nested)
	}
	return name
}

func (t Type) timestampName(name string) string {
	unit := t.Unit.String()
	if t.Wide {
		unit = "int96"
	}
	if t.Zone == "" {
		return fmt.Sprintf("%s[%s]", name, unit)
	}
	return fmt.Sprintf("%s[%s, %s]", name, unit, t.Zone)
}

// String returns s, ms, us or ns.
func (u Unit) String() string {
	return [...]string{Second: "s", Milli: "ms", Micro: "us", Nano: "ns"}[u]
}
