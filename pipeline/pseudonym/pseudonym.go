// Package pseudonym replaces values by tokens, or by replacements: words of lists, which look like
// a name or a street. Nobody can make these pseudonyms without the key. Equal values have equal
// pseudonyms of one form in every column, table and run with the same key.
//
//	value ──Text──▶ canonical text ──HMAC-SHA-256 with the key──▶ the first 16 bytes,
//	                                                              as 32 hexadecimal digits
//	                form, 0, 255,
//	                canonical text ──HMAC-SHA-256 with the key──▶ four numbers of 8 bytes, which
//	                                                              choose words of the form's lists
//
// Contract: a pseudonym depends on the key, the form and the canonical text alone.
// docs/job-file.md defines the canonical text. The width of a number, the unit of a time and the
// scale of a decimal do not change the pseudonym. A replacement is never longer than a token. This
// package prints no key, and no error contains a key.
//
// Not promised: that the pseudonyms reveal nothing. Everybody can see which rows have equal values.
// Nor that different values have different replacements: the lists are short.
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

// A key has from LeastKey to mostKey bytes. A file with more bytes is probably not a key.
const (
	LeastKey = 16
	mostKey  = 1 << 16
	// leastDifferent is the smallest number of different bytes of a key. Of 10 million keys of 16
	// random bytes, about one has fewer.
	leastDifferent = 8
)

// tokenBytes is the number of bytes of the HMAC that a token has.
const tokenBytes = 16

// TokenLength is the number of hexadecimal digits of a token.
const TokenLength = 2 * tokenBytes

// Key makes tokens, or replacements of one form.
type Key struct {
	secret []byte
	with   string // the form; empty: tokens
}

// String returns a text that does not depend on the key.
func (*Key) String() string { return "(key)" }

// GoString returns a text that does not depend on the key.
func (k *Key) GoString() string { return k.String() }

// ReadFile reads a key from a file. The key is the bytes of the file without one line end at the
// end.
func ReadFile(path string) (_ *Key, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	defer f.Close() // the file is only read
	secret, err := io.ReadAll(io.LimitReader(f, mostKey+1))
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	return newKey(secret, "file "+path)
}

// ReadVariable reads a key from an environment variable, like ReadFile from a file.
func ReadVariable(name string) (*Key, error) {
	secret, ok := os.LookupEnv(name)
	if !ok {
		return nil, fmt.Errorf("read key: environment variable %s is not set", name)
	}
	return newKey([]byte(secret), "environment variable "+name)
}

// newKey returns a key from its bytes, without one line end. Errors name its source, where.
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
	if n := different(secret); n < leastDifferent {
		return nil, fmt.Errorf("read key: %s has %d different bytes, the least is %d",
			where, n, leastDifferent)
	}
	return &Key{secret: secret}, nil
}

// different returns the number of different bytes of a key.
func different(key []byte) (n int) {
	var seen [256]bool
	for _, b := range key {
		if !seen[b] {
			seen[b] = true
			n++
		}
	}
	return n
}

// With returns the key for replacements of a form, or for tokens if it has no name.
func (k *Key) With(form string) *Key { return &Key{k.secret, form} }

// Fingerprint returns bytes that are different for different keys. They reveal nothing else about
// the key: they are made like a token, from a text that no value has.
func (k *Key) Fingerprint() []byte {
	mac := hmac.New(sha256.New, k.secret)
	mac.Write([]byte("kcut pseudonym key\x00\xff"))
	return mac.Sum(nil)
}

// Maker makes pseudonyms with a key, for one goroutine.
type Maker struct {
	of     *formats.Values // whose pseudonyms are made
	made   *formats.Values
	mac    hash.Hash
	prefix []byte // no canonical text begins with it
	form   form   // nil: tokens
	sum    []byte
	text   []byte
}

// NewMaker returns a maker of the key's pseudonyms.
func (k *Key) NewMaker() *Maker {
	m := &Maker{mac: hmac.New(sha256.New, k.secret)}
	if k.with != "" {
		m.prefix, m.form = []byte(k.with+"\x00\xff"), forms()[k.with]
	}
	return m
}

// Pseudonyms returns the pseudonyms of a list of values, texts, until the next call. It makes only
// those of values that are new to it in a list that grows.
func (m *Maker) Pseudonyms(values *formats.Values) *formats.Values {
	if m.of != values {
		m.of, m.made = values, &formats.Values{Type: formats.Type{Kind: formats.String}}
	}
	for i := m.made.Len(); i < values.Len(); i++ {
		m.mac.Reset()
		m.mac.Write(m.prefix)
		m.mac.Write(m.canonical(values, i))
		m.sum = m.mac.Sum(m.sum[:0])
		if m.form == nil {
			m.text = hex.AppendEncode(m.text[:0], m.sum[:tokenBytes])
		} else {
			m.text = m.form.append(m.text[:0], m.sum)
		}
		m.made.AppendBytes(m.text)
	}
	return m.made
}

// Makes reports whether a key may make a text: whether it looks like a token or, if a form is
// named, like one of its replacements.
func Makes(form, text string) bool {
	if form == "" {
		return len(text) == TokenLength && strings.Trim(text, "0123456789abcdef") == ""
	}
	of, known := forms()[form]
	return known && of.makes(text)
}

// canonical returns the canonical text of a value.
func (m *Maker) canonical(values *formats.Values, i int) []byte {
	if values.Type.Kind == formats.String {
		return values.Bytes(i)
	}
	return []byte(Text(values, i))
}

// Text returns the canonical text of a value. It is the text of a label with this value, but a
// decimal has no zeros at the end of its fraction.
func Text(values *formats.Values, i int) string {
	text := values.Text(i)
	if values.Type.Kind == formats.Decimal && strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}
