package job

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// sizePattern matches sizes: bytes, or a number with a unit.
const sizePattern = `^[0-9]+(\.[0-9]+)? ?([kKMGT]i?)?B?$`

var sizeRegexp = regexp.MustCompile(sizePattern)

// sizeUnits are the units of sizes, in bytes.
var sizeUnits = map[string]float64{
	"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40,
}

// minMemory catches sizes whose unit was forgotten.
const minMemory = 1 << 20

// parseSize returns a size in bytes.
func parseSize(text string) (int64, error) {
	if !sizeRegexp.MatchString(text) {
		return 0, errors.New("not a size")
	}
	number := text[:strings.LastIndexAny(text, "0123456789")+1]
	unit := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(text[len(number):])), "b")
	v, err := strconv.ParseFloat(number, 64)
	if v *= sizeUnits[unit]; err == nil && v >= 1<<62 {
		return 0, errors.New("too large")
	}
	return int64(v), err
}

// sizeText returns the shortest text of a size, in units that divide it.
func sizeText(bytes int64) string {
	text := strconv.FormatInt(bytes, 10)
	for _, unit := range []string{"Ki", "Mi", "Gi", "Ti", "k", "M", "G", "T"} {
		size := int64(sizeUnits[strings.ToLower(unit)])
		if short := fmt.Sprintf("%d%sB", bytes/size, unit); bytes%size == 0 && len(short) < len(text) {
			text = short
		}
	}
	return text
}
