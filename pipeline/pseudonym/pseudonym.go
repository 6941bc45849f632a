// Package pseudonym replaces values by tokens that only who has a key can make: equal values have equal tokens, in
// every column, table and run with the same key.
//
//	value ──Text──▶ canonical text ──HMAC-SHA-256 with the key──▶ its first 16 bytes, as 32 hexadecimal digits
//
// Contract: a token depends on the key and the canonical text alone (docs/job-file.md says what that is), not on the
// width of a number, the unit of a time or the scale of a decimal. Nothing here prints a key, and no error holds one.
//
// Not promised: that who has no key learns nothing. Which rows have equal values is there to be seen.
package pseudonym

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"

	"github.com/kcut/kcut/formats"
)

// LeastKey is how many bytes a key has at least, mostKey how many at most: a file that has more is another one.
const (
	LeastKey = 16
	mostKey  = 1 << 16
	leastOf  = 8 // different bytes: 16 random ones have fewer in one key of 10 million
)

// tokenBytes are kept of what HMAC makes.
const tokenBytes = 16

// TokenLength is how many bytes a token has: they are hexadecimal.
const TokenLength = 2 * tokenBytes

// Key makes tokens.
type Key struct{ secret []byte }

// String says nothing of the key.
func (*Key) String() string { return "(key)" }

// GoString says nothing of the key.
func (k *Key) GoString() string { return k.String() }

// ReadFile reads the key that a file holds: its bytes, but for one line end at its end.
func ReadFile(path string) (_ *Key, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	defer f.Close() // it was only read
	secret, err := io.ReadAll(io.LimitReader(f, mostKey+1))
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	return newKey(secret, "file "+path)
}

// ReadVariable reads the key that an environment variable holds, as of a file.
func ReadVariable(name string) (*Key, error) {
	secret, ok := os.LookupEnv(name)
	if !ok {
		return nil, fmt.Errorf("read key: environment variable %s is not set", name)
	}
	return newKey([]byte(secret), "environment variable "+name)
}

func newKey(secret []byte, where string) (*Key, error) {
	if rest, ends := bytes.CutSuffix(secret, []byte("\n")); ends {
		secret = bytes.TrimSuffix(rest, []byte("\r"))
	}
	switch n := len(secret); {
	case n == 0:
		return nil, fmt.Errorf("read key: %s is empty", where)
	case n < LeastKey:
		return nil, fmt.Errorf("read key: %s has %d bytes, the least is %d", where, n, LeastKey)
	case n > mostKey:
		return nil, fmt.Errorf("read key: %s has more than %d bytes", where, mostKey)
	}
	if n := different(secret); n < leastOf {
		return nil, fmt.Errorf("read key: of %s %d different bytes, the least is %d", where, n, leastOf)
	}
	return &Key{secret}, nil
}

// different returns how many different bytes there are.
func different(of []byte) (n int) {
	var seen [256]bool
	for _, b := range of {
		if !seen[b] {
			seen[b] = true
			n++
		}
	}
	return n
}

// Fingerprint tells keys apart, and nothing about them: it is made as tokens are, and no value has this text.
func (k *Key) Fingerprint() []byte {
	mac := hmac.New(sha256.New, k.secret)
	mac.Write([]byte("kcut pseudonym key\x00\xff"))
	return mac.Sum(nil)
}

// Maker makes tokens with a key, for one goroutine.
type Maker struct {
	mac  hash.Hash
	sum  []byte
	text []byte
}

// NewMaker returns a maker of tokens.
func (k *Key) NewMaker() *Maker { return &Maker{mac: hmac.New(sha256.New, k.secret)} }

// AppendTokens appends the tokens of the values from one on to tokens, which are texts.
func (m *Maker) AppendTokens(tokens, values *formats.Values, from int) {
	for i := from; i < values.Len(); i++ {
		m.mac.Reset()
		m.mac.Write(m.canonical(values, i))
		m.sum = m.mac.Sum(m.sum[:0])
		m.text = hex.AppendEncode(m.text[:0], m.sum[:tokenBytes])
		tokens.AppendBytes(m.text)
	}
}

// canonical returns the text of a value that its token is made of.
func (m *Maker) canonical(values *formats.Values, i int) []byte {
	if values.Type.Kind == formats.String {
		return values.Bytes(i)
	}
	return []byte(Text(values, i))
}

// Text returns the canonical text of a value: that of a label, but decimals of every scale without zeros at the end of their fraction.
func Text(values *formats.Values, i int) string {
	text := values.Text(i)
	if values.Type.Kind == formats.Decimal && strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}
