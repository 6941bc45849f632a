package job

import (
	"fmt"

	"github.com/kcut/kcut/formats"
)

// typePattern matches the declared types of CSV columns.
const typePattern = `^(text|boolean|integer|number|date|time|timestamp|decimal\([0-9]{1,2}, ?[0-9]{1,2}\))$`

// simpleTypes are the declared types without parameters.
var simpleTypes = map[string]formats.Type{
	"text":      {Kind: formats.String},
	"boolean":   {Kind: formats.Boolean},
	"integer":   {Kind: formats.Int, Bits: 64},
	"number":    {Kind: formats.Float, Bits: 64},
	"date":      {Kind: formats.Date},
	"time":      {Kind: formats.Time, Unit: formats.Micro},
	"timestamp": {Kind: formats.Timestamp, Unit: formats.Micro},
}

// DeclaredType returns the type that the job declares for a CSV column. It is not ok without one,
// and for a decimal that cannot be.
func (c *Column) DeclaredType() (t formats.Type, ok bool) {
	if t, ok = simpleTypes[c.Type]; ok {
		return t, true
	}
	var precision, scale int
	if _, err := fmt.Sscanf(c.Type, "decimal(%d,%d)", &precision, &scale); err != nil {
		return t, false
	}
	ok = precision >= 1 && precision <= 38 && scale <= precision
	return formats.Type{Kind: formats.Decimal, Precision: precision, Scale: scale, Wide: precision > 18}, ok
}
