package formats

import "fmt"

var kindNames = [...]string{
	Boolean: "boolean", Int: "int", Uint: "uint", Float: "float", Decimal: "decimal", Date: "date", Time: "time",
	Timestamp: "timestamp", String: "string", Binary: "binary", UUID: "uuid", Null: "null", Nested: "nested",
}

// String returns the type as messages name it, such as int64 or timestamp[us, UTC].
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
