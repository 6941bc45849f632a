package lineage

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"regexp"
	"time"
)

// newUUID returns a UUID of version 7 (RFC 9562): later ones sort behind.
func newUUID(now time.Time) string {
	var id [16]byte
	rand.Read(id[:]) // never fails
	binary.BigEndian.PutUint64(id[:8], uint64(now.UnixMilli())<<16|uint64(id[6]&0x0f|0x70)<<8|uint64(id[7]))
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

func isUUID(text string) bool { return uuid.MatchString(text) }
