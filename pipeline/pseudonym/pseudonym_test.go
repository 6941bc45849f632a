package pseudonym

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
)

// testKey is the key of the test vectors. Python's hmac and hashlib have made the vectors.
const testKey = "a key of 27 bytes for tests"

func keyOf(t *testing.T, secret string) *Key {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// token returns the token of a value, which has the given type and text.
func token(t *testing.T, key *Key, typ formats.Type, text string) string {
	t.Helper()
	values := &formats.Values{Type: typ}
	if err := values.Parse(text); err != nil {
		t.Fatalf("%v %q: %v", typ, text, err)
	}
	tokens := key.NewMaker().Pseudonyms(values)
	return tokens.Text(0)
}

// Tokens are equal to the test vectors. Equal values have equal tokens, for any type of the column.
func TestTokens(t *testing.T) {
	key := keyOf(t, testKey)
	decimal := func(precision, scale int) formats.Type {
		return formats.Type{Kind: formats.Decimal, Bits: 64, Precision: precision, Scale: scale}
	}
	text := formats.Type{Kind: formats.String}
	for _, tt := range []struct {
		typ         formats.Type
		value, want string
	}{
		{formats.Type{Kind: formats.Int, Bits: 8}, "7", "259fee77e6898d96c3f5cb99e58dcbc4"},
		{formats.Type{Kind: formats.Int, Bits: 64}, "7", "259fee77e6898d96c3f5cb99e58dcbc4"},
		{formats.Type{Kind: formats.Uint, Bits: 32}, "7", "259fee77e6898d96c3f5cb99e58dcbc4"},
		{formats.Type{Kind: formats.Float, Bits: 32}, "7", "259fee77e6898d96c3f5cb99e58dcbc4"},
		{decimal(9, 2), "7.00", "259fee77e6898d96c3f5cb99e58dcbc4"},
		{text, "7", "259fee77e6898d96c3f5cb99e58dcbc4"},
		{formats.Type{Kind: formats.Int, Bits: 16}, "-7", "c4372b807953453fe9d691e3799bffff"},
		{text, "", "0288747dd33ba60666ed125264142ad1"},
		{text, "Ünï", "4a8352b9087572bd6fccf04f00b42371"},
		{formats.Type{Kind: formats.Boolean}, "true", "e611dbc9e99218d738f0e337d01711d9"},
		{formats.Type{Kind: formats.Float, Bits: 32}, "0.1", "234d50cb7d54893a69aacda5bea6b4e7"},
		{formats.Type{Kind: formats.Float, Bits: 64}, "0.1", "234d50cb7d54893a69aacda5bea6b4e7"},
		{formats.Type{Kind: formats.Float, Bits: 64}, "-0", "f511ebd472785e28c4d54f6a1b7e685a"},
		{formats.Type{Kind: formats.Float, Bits: 64}, "1e21", "0ad01f8c826507c21359afc12c860e1d"},
		{decimal(9, 3), "12.500", "09535c350e83e5ea1e9d71d7df099c66"},
		{decimal(9, 3), "-0.050", "b2adc396987892f0ff9b0eaea6a1416e"},
		{decimal(9, 2), "100.00", "3f801b3fcd41f8fb969db8a490534118"},
		{formats.Type{Kind: formats.Date}, "1990-01-05", "6157c20d6059f5374c11beecd61dd413"},
		{
			formats.Type{Kind: formats.Timestamp, Unit: formats.Milli, Zone: "UTC"},
			"1990-01-05T10:00:00.250Z", "182dfdac2fd40ed637f5eeb5c653ee5c",
		},
		{
			formats.Type{Kind: formats.Timestamp, Unit: formats.Nano, Zone: "UTC"},
			"1990-01-05T10:00:00.25Z", "182dfdac2fd40ed637f5eeb5c653ee5c",
		},
		{
			formats.Type{Kind: formats.Time, Unit: formats.Micro},
			"10:30:00", "59c711999e5491b167ab177aa7f6d1f8",
		},
	} {
		if got := token(t, key, tt.typ, tt.value); got != tt.want {
			t.Errorf("%v %q: %s, want %s", tt.typ, tt.value, got, tt.want)
		}
	}
	// RFC 4231, test case 4.
	secret := make([]byte, 25)
	for i := range secret {
		secret[i] = byte(i + 1)
	}
	const want = "82558a389a443c0ea4cc819899f2083a"
	if got := token(t, keyOf(t, string(secret)), text, strings.Repeat("\xcd", 50)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A key is the bytes of a file or of a variable without one line end. It must be long enough.
// Nothing prints the key.
func TestKeys(t *testing.T) {
	text := formats.Type{Kind: formats.String}
	want := token(t, keyOf(t, testKey), text, "7")
	for _, secret := range []string{testKey + "\n", testKey + "\r\n"} {
		if got := token(t, keyOf(t, secret), text, "7"); got != want {
			t.Errorf("key %q: %s, want %s", secret, got, want)
		}
	}
	if got := token(t, keyOf(t, testKey+"\n\n"), text, "7"); got == want {
		t.Error("two line ends are removed")
	}
	t.Setenv("A_KEY", testKey)
	key, err := ReadVariable("A_KEY")
	if err != nil {
		t.Fatal(err)
	}
	if got := token(t, key, text, "7"); got != want {
		t.Errorf("of a variable: %s, want %s", got, want)
	}
	print := hex.EncodeToString(key.Fingerprint())
	other := hex.EncodeToString(keyOf(t, testKey+"2").Fingerprint())
	if print == other || strings.HasPrefix(print, want) {
		t.Error("two keys have the same fingerprint, or the fingerprint is a token")
	}
	shown := fmt.Sprintf("%v %+v %#v %s", key, key, key, key)
	if strings.Contains(shown, "27") ||
		strings.Contains(shown, hex.EncodeToString([]byte(testKey))) {
		t.Errorf("shown: %s", shown)
	}
	t.Setenv("SHORT", "fifteen bytes!!")
	t.Setenv("EMPTY", "\n")
	long := filepath.Join(t.TempDir(), "long")
	if err := os.WriteFile(long, make([]byte, mostKey+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, err := range map[string]error{
		"SHORT has 15 bytes, the least is 16": second(ReadVariable("SHORT")),
		"EMPTY is empty":                      second(ReadVariable("EMPTY")),
		"NONE is not set":                     second(ReadVariable("NONE")),
		"no such file":                        second(ReadFile(filepath.Join(t.TempDir(), "none"))),
		"more than":                           second(ReadFile(long)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "fifteen") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func second[T any](_ T, err error) error { return err }
