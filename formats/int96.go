package formats

import "encoding/binary"

// nanosOfDay is how many nanoseconds a day has.
const nanosOfDay = 86400e9

// julianEpoch is the Julian day of 1970-01-01.
const julianEpoch = 2440588

// AppendInt96 appends a timestamp of a Julian day and the nanoseconds since it began, and
// reports whether its day is in range; what was appended means nothing if not. Old writers let the nanoseconds be negative, or more
// than a day's: such are brought into their day, so that one moment is one value and the
// order of bytes that of moments.
func (v *Values) AppendInt96(day int32, nanos int64) bool {
	extra := floorDiv(nanos, nanosOfDay)
	moved := int64(day) + extra
	v.Data = binary.BigEndian.AppendUint32(v.Data, uint32(moved)^1<<31)
	v.Data = binary.BigEndian.AppendUint64(v.Data, uint64(nanos-extra*nanosOfDay))
	v.Ends = append(v.Ends, uint32(len(v.Data)))
	return moved == int64(int32(moved))
}

// int96Parts returns the days since 1970-01-01 and the nanoseconds of an INT96 timestamp.
func int96Parts(b []byte) (days int64, nanos uint64) {
	julian := int32(binary.BigEndian.Uint32(b) ^ 1<<31)
	return int64(julian) - julianEpoch, binary.BigEndian.Uint64(b[4:])
}

func int96Text(b []byte, zone string) string {
	days, nanos := int96Parts(b)
	text := append(appendDate(nil, days), 'T')
	text = appendClock(text, nanos/1e9, nanos%1e9, Nano)
	return string(appendZone(text, zone))
}

func parseInt96(text, zone string) ([]byte, bool) {
	days, clock, offset, ok := cutMoment(text, zone)
	nanos, fits := parseClock(clock, Nano)
	julian := days + julianEpoch
	if !ok || !fits || offset != 0 || nanos >= nanosOfDay || julian != int64(int32(julian)) {
		return nil, false
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(julian)^1<<31)
	return binary.BigEndian.AppendUint64(b, nanos), true
}
