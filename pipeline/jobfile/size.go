package jobfile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// sizePattern matches sizes: bytes, or a number with a unit.
const sizePattern = `^[0-9]+(\.[0-9]+)? ?([kKMGT]i?)?B?$`

// sizeUnits are the units of sizes, in bytes.
var sizeUnits = map[string]float64{
	"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40,
}

var sizeRegexp = regexp.MustCompile(sizePattern)

// minMemory catches sizes whose unit was forgotten.
const minMemory = 1 << 20

// parseSize returns a size in bytes.
func parseSize(text string) (int64, bool) {
	if !sizeRegexp.MatchString(text) {
		return 0, false
	}
	number := text[:strings.LastIndexAny(text, "0123456789")+1]
	unit := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(text[len(number):])), "b")
	v, err := strconv.ParseFloat(number, 64)
	v *= sizeUnits[unit]
	return int64(v), err == nil && v < 1<<62
}

func sizeProblem(text string) (message, hint string) {
	size, ok := parseSize(text)
	switch {
	case !ok:
		return fmt.Sprintf("must be a size such as 1GiB, 512MiB or 2GB, not %q", text), ""
	case size < minMemory:
		return fmt.Sprintf("of %d bytes is less than 1MiB", size), "is a unit missing, as in 1GiB?"
	}
	return "", ""
}
