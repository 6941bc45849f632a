package csvfile

import (
	"fmt"
	"io"

	"github.com/kcut/kcut/formats"
)

// paired passes the bytes of UTF-16 on, and ends with an error where a decoder would put another
// character for damaged ones: at half of a surrogate pair, and at half of a unit at the end.
type paired struct {
	io.Reader
	at   int64
	last byte // of a unit that is not complete
	big  bool // the byte order mark says that units have their higher byte first
	high bool // the last unit is the first half of a pair
}

func (p *paired) Read(b []byte) (n int, err error) {
	n, err = p.Reader.Read(b)
	for i, c := range b[:n] {
		p.at++
		if p.at%2 == 1 {
			p.last = c
			continue
		}
		lead := c
		if p.big = p.big || p.at == 2 && p.last == 0xfe && c == 0xff; p.big {
			lead = p.last
		}
		if low := lead&0xfc == 0xdc; low != p.high {
			return i + 1, p.damaged("half of a surrogate pair")
		}
		p.high = lead&0xfc == 0xd8
	}
	switch {
	case err == io.EOF && p.high:
		err = p.damaged("half of a surrogate pair")
	case err == io.EOF && p.at%2 == 1:
		err = p.damaged("half of a unit at the end")
	}
	return n, err
}

func (p *paired) damaged(what string) error {
	return fmt.Errorf("%w: invalid UTF-16: %s, before byte %d", formats.ErrDamaged, what, p.at+1)
}
