package jobfile

import (
	"fmt"

	"github.com/kcut/kcut/formats"
)

// typePattern matches the declared types of CSV columns.
const typePattern = `^(text|boolean|integer|number|date|time|timestamp|decimal\([0-9]{1,2}, ?[0-9]{1,2}\))$`

// columnType returns the type that a declaration stands for, or nil for none and for a
// decimal that cannot be.
func columnType(text string) *formats.Type {
	switch text {
	case "text":
		return &formats.Type{Kind: formats.String}
	case "boolean":
		return &formats.Type{Kind: formats.Boolean}
	case "integer":
		return &formats.Type{Kind: formats.Int, Bits: 64}
	case "number":
		return &formats.Type{Kind: formats.Float, Bits: 64}
	case "date":
		return &formats.Type{Kind: formats.Date}
	case "time":
		return &formats.Type{Kind: formats.Time, Unit: formats.Micro}
	case "timestamp":
		return &formats.Type{Kind: formats.Timestamp, Unit: formats.Micro}
	}
	var precision, scale int
	if _, err := fmt.Sscanf(text, "decimal(%d,%d)", &precision, &scale); err != nil {
		return nil
	}
	if precision < 1 || precision > 38 || scale > precision {
		return nil
	}
	return &formats.Type{Kind: formats.Decimal, Precision: precision, Scale: scale, Wide: precision > 18}
}
