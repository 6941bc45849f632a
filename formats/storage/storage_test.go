package storage

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/storage/storagetest"
)

// randomBytes returns bytes in which any two places differ.
func randomBytes(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// eachStore runs a test on every store, through its own client.
func eachStore(t *testing.T, test func(t *testing.T, server *storagetest.Server)) {
	was := firstPause
	firstPause = time.Millisecond
	t.Cleanup(func() { firstPause = was })
	for _, scheme := range storagetest.Schemes {
		t.Run(scheme, func(t *testing.T) { test(t, storagetest.NewOf(t, scheme)) })
	}
}

func TestReadAt(t *testing.T) { eachStore(t, testReadAt) }

func testReadAt(t *testing.T, server *storagetest.Server) {
	data := randomBytes(300 << 10)
	name := "dir/a b%20ü.bin"
	server.Put(t, name, data)
	path := filepath.Join(t.TempDir(), "a.bin")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, location := range []string{path, server.URL(name)} {
		f, err := Open(t.Context(), location, nil)
		if err != nil {
			t.Fatal(err)
		}
		if f.Info().Size() != int64(len(data)) || !f.Info().IsRegular() {
			t.Fatalf("%s: %+v", location, f.Info())
		}
		for _, r := range [][2]int{{0, 8}, {len(data) - 8, 8}, {len(data) - 5000, 4992},
			{7, 200 << 10}, {0, len(data)}, {len(data) - 3, 8}, {len(data), 1}, {100, 0}} {
			got := make([]byte, r[1])
			n, err := f.ReadAt(got, int64(r[0]))
			end := min(r[0]+r[1], len(data))
			if !bytes.Equal(got[:n], data[r[0]:end]) || (n < r[1]) != (err == io.EOF) ||
				err != nil && err != io.EOF {
				t.Errorf("%s: ReadAt(%d, %d): %d bytes, %v", location, r[0], r[1], n, err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(buckets.open) > 0 {
		t.Error("a bucket is open that nobody uses")
	}
}

// TestPlan reads random ranges in random pieces, some of several ranges in turn, and compares the
// bytes, the requests and the reported memory with the expected ones.
func TestPlan(t *testing.T) { eachStore(t, testPlan) }

func testPlan(t *testing.T, server *storagetest.Server) {
	const size = 12 << 20
	data := randomBytes(size)
	server.Put(t, "x", data)
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 0))
		room := int64(64 << 20)
		if seed%4 == 0 {
			room = int64(r.IntN(3 << 20))
		}
		var held, most atomic.Int64
		f, err := Open(t.Context(), server.URL("x"), func(n int64) error {
			if n > 0 && held.Load()+n > room {
				return errors.New("no room")
			}
			most.Store(max(most.Load(), held.Add(n)))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var ranges []Range
		wanted := int64(0)
		for at := int64(r.IntN(100000)); len(ranges) < 1+r.IntN(6) && at < size-(3<<20); {
			to := at + int64(r.IntN(200<<10))
			if r.IntN(3) == 0 {
				to = at + int64(r.IntN(3<<20))
			}
			ranges = append(ranges, between(at, to))
			wanted += to - at
			at = to - 100 + int64(r.IntN(100<<10))*int64(r.IntN(3))
			at = max(at, 0)
		}
		server.Forget()
		plan := f.Plan(t.Context(), ranges)
		for left := slices.Clone(ranges); len(left) > 0; {
			i := r.IntN(len(left))
			from := left[i].From
			n := min(int64(r.IntN(300<<10)), left[i].To-from)
			got := make([]byte, n)
			if m, err := plan.ReadAt(got, from); err != nil ||
				!bytes.Equal(got[:m], data[from:from+n]) {
				t.Fatalf("seed %d: at %d: %d of %d bytes, %v", seed, from, m, n, err)
			}
			if left[i].From += n; left[i].From == left[i].To {
				left = slices.Delete(left, i, i+1)
			}
		}
		plan.Close()
		if held.Load() != 0 || most.Load() > room {
			t.Errorf("seed %d: %d bytes held in the end, %d at most of %d", seed, held.Load(),
				most.Load(), room)
		}
		sent := int64(0)
		for _, q := range server.Requests() {
			sent += q.Sent
		}
		if room > 3<<20 && sent > wanted+int64(len(ranges))*gapBytes {
			t.Errorf("seed %d: %d bytes fetched, %d wanted in %d ranges", seed, sent, wanted,
				len(ranges))
		}
		f.Close()
	}
}

// between returns a range.
func between(from, to int64) Range { return Range{From: from, To: to} }

func TestBlocksOf(t *testing.T) {
	const kib = 1 << 10
	for _, c := range []struct {
		ranges []Range
		want   string
	}{
		{[]Range{between(0, 10)}, "0-10"},
		{[]Range{between(500, 600), between(0, 10)}, "0-600"},
		{[]Range{between(0, 10), between(100*kib, 101*kib)}, "0-10 102400-103424"},
		{[]Range{between(0, 3000*kib)}, "0-1048576 1048576-2097152 2097152-3072000"},
		{[]Range{between(0, 1000*kib), between(1000*kib, 1100*kib)}, "0-1024000 1024000-1126400"},
		{[]Range{between(0, 110), between(10, 120)}, "0-120"},
		{[]Range{between(0, 2000*kib), between(100, 200)}, "0-1048576 1048576-2048000"},
		{[]Range{between(5, 5)}, ""},
		{[]Range{between(9<<20, 99<<20)}, "9437184-10485760"},
	} {
		text := ""
		for _, b := range blocksOf(c.ranges, 10<<20) {
			text += fmt.Sprintf(" %d-%d", b.From, b.To)
		}
		if strings.TrimSpace(text) != c.want {
			t.Errorf("%v:%s, want %s", c.ranges, text, c.want)
		}
	}
}

func TestErrors(t *testing.T) { eachStore(t, testErrors) }

func testErrors(t *testing.T, server *storagetest.Server) {
	server.Put(t, "x", randomBytes(200<<10))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	read := func(ctx context.Context, location string) error {
		f, err := Open(ctx, location, nil)
		if err != nil {
			return err
		}
		defer f.Close()
		plan := f.Plan(ctx, []Range{between(0, 200<<10)})
		defer plan.Close()
		_, err = plan.ReadAt(make([]byte, 200<<10), 0)
		return err
	}
	faults := func(kind storagetest.Fault, from, to int) func(int,
		storagetest.Request) storagetest.Fault {
		return func(n int, _ storagetest.Request) storagetest.Fault {
			if from <= n && n <= to {
				return kind
			}
			return storagetest.None
		}
	}
	once := func(kind storagetest.Fault, at int) func(int, storagetest.Request) storagetest.Fault {
		return faults(kind, at, at)
	}
	from := func(kind storagetest.Fault, at int) func(int, storagetest.Request) storagetest.Fault {
		return faults(kind, at, math.MaxInt)
	}
	for _, c := range []struct {
		name     string
		ctx      context.Context
		location string
		fail     func(int, storagetest.Request) storagetest.Fault
		want     error
	}{
		{"no object", t.Context(), server.URL("y"), nil, fs.ErrNotExist},
		{"no bucket", t.Context(), server.NoURL("x"), nil, fs.ErrNotExist},
		{"cancelled", cancelled, server.URL("x"), nil, context.Canceled},
		{"opening fails", t.Context(), server.URL("x"), from(storagetest.Error, 0), ErrUnavailable},
		{"opening throttled", t.Context(), server.URL("x"), from(storagetest.Throttled, 0),
			ErrUnavailable},
		{"opening denied", t.Context(), server.URL("x"), once(storagetest.Denied, 0), ErrDenied},
		{"reading fails", t.Context(), server.URL("x"), from(storagetest.Error, 1), ErrUnavailable},
		{"reading throttled", t.Context(), server.URL("x"), from(storagetest.Throttled, 1),
			ErrUnavailable},
		{"reading refused", t.Context(), server.URL("x"), from(storagetest.Refused, 1),
			ErrUnavailable},
		{"reading denied", t.Context(), server.URL("x"), once(storagetest.Denied, 1), ErrDenied},
		{"cut once", t.Context(), server.URL("x"), once(storagetest.Cut, 1), nil},
		{"replaced", t.Context(), server.URL("x"),
			func(n int, _ storagetest.Request) storagetest.Fault {
				if n == 1 {
					server.Put(t, "x", append(randomBytes(200<<10-1), 0))
				}
				return storagetest.None
			}, ErrChanged},
		// the last case: cancelled requests may still arrive
		{"always cut", t.Context(), server.URL("x"), from(storagetest.Cut, 1), ErrUnavailable},
	} {
		server.Fail(c.fail)
		if err := read(c.ctx, c.location); !errors.Is(err, c.want) ||
			(err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

func TestSame(t *testing.T) { eachStore(t, testSame) }

func testSame(t *testing.T, server *storagetest.Server) {
	server.Put(t, "x", []byte("one"))
	server.Put(t, "y", []byte("one"))
	stat := func() Info {
		info, err := Stat(t.Context(), server.URL("x"))
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	before := stat()
	if !before.Same(stat()) {
		t.Error("an object is not the same as itself")
	}
	server.Put(t, "x", []byte("two"))
	if before.Same(stat()) {
		t.Error("an object is the same after it was replaced")
	}
}

func TestList(t *testing.T) { eachStore(t, testList) }

func testList(t *testing.T, server *storagetest.Server) {
	for i := range 1500 {
		server.Put(t, fmt.Sprintf("many/%04d", i), []byte("x"))
	}
	for _, key := range []string{"people", "people2/x", "people_$folder$", "people/", "people/a b",
		"people/a%20b", "people/ü+&", "people/sub/", "people/sub/x", "people/empty"} {
		data := []byte("x")
		if strings.HasSuffix(key, "/") || strings.HasSuffix(key, "$") ||
			strings.HasSuffix(key, "empty") {
			data = nil
		}
		server.Put(t, key, data)
	}
	list := func(prefix string) (keys []string) {
		entries, err := List(t.Context(), server.URL(prefix))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			keys = append(keys, strings.TrimPrefix(e.Location, server.URL("")))
		}
		return keys
	}
	if got := list("many/"); len(got) != 1500 || got[0] != "many/0000" || got[1499] != "many/1499" {
		t.Errorf("%d objects of 1500", len(got))
	}
	if got, want := strings.Join(list("people/"), " | "), "people/a b | people/a%20b | "+
		"people/empty | people/sub/x | people/ü+&"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := list("nothing/"); got != nil {
		t.Errorf("%v in an empty directory", got)
	}
	if _, err := List(t.Context(), server.NoURL("x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a bucket that is not there: %v", err)
	}
}

// TestUpload: whatever fails on the way, an object appears complete and correct, in parts when it
// is large, or not at all; and no parts are left.
func TestUpload(t *testing.T) { eachStore(t, testUpload) }

func testUpload(t *testing.T, server *storagetest.Server) {
	path := filepath.Join(t.TempDir(), "x")
	data := randomBytes(17 << 20)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := UploadFile(t.Context(), path, server.URL("x"), true); err != nil ||
		!bytes.Equal(server.Get(t, "x"), data) {
		t.Fatalf("upload: %v", err)
	}
	requests := server.Requests()
	parts := 0
	for _, r := range requests {
		if r.Part {
			parts++
		}
	}
	if parts != 4 {
		t.Errorf("%d parts of 5 MiB of 17 MiB", parts)
	}
	if err := UploadFile(t.Context(), path, server.URL("x"), true); err != nil {
		t.Errorf("the same again: %v", err)
	}
	other := filepath.Join(t.TempDir(), "y")
	for _, another := range [][]byte{[]byte("other"), data[:6<<20]} {
		if err := os.WriteFile(other, another, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := UploadFile(t.Context(), other, server.URL("x"), true); !errors.Is(err,
			ErrExists) {
			t.Errorf("another object of %d bytes that was to be fresh: %v", len(another), err)
		}
	}
	faults := []storagetest.Fault{storagetest.Error, storagetest.Denied, storagetest.Refused,
		storagetest.Done}
	for n := range requests {
		for i, fault := range faults {
			if i != n%len(faults) && os.Getenv("KCUT_LONG") == "" {
				continue
			}
			server.Delete(t, "x")
			started, ended := 0, 0
			server.Fail(func(at int, r storagetest.Request) storagetest.Fault {
				switch {
				case at == n:
					return fault
				case r.Method == "POST" && strings.HasPrefix(r.Query, "uploads"):
					started++
				case r.Method == "DELETE" && strings.Contains(r.Query, "uploadId="),
					r.Method == "POST":
					ended++
				}
				return storagetest.None
			})
			err := UploadFile(t.Context(), path, server.URL("x"), true)
			stands := server.Get(t, "x")
			if err == nil && !bytes.Equal(stands, data) || err != nil && stands != nil &&
				n < len(requests)-2 {
				t.Errorf("fault %d at request %d: %d bytes stand after %v", fault, n, len(stands),
					err)
			}
			if err != nil && n < len(requests)-2 && started > ended {
				t.Errorf("fault %d at request %d: parts are left after %v", fault, n, err)
			}
		}
	}
	server.Forget()
	if err := Remove(t.Context(), server.URL("x")); err != nil || server.Get(t, "x") != nil {
		t.Errorf("remove: %v", err)
	}
	if err := Remove(t.Context(), server.URL("x")); err != nil {
		t.Errorf("remove what is not there: %v", err)
	}
}

// TestNames: a name is the same in a store as in a URL, whatever characters it has, or it is
// refused.
func TestNames(t *testing.T) {
	eachStore(t, func(t *testing.T, server *storagetest.Server) {
		for _, name := range []string{
			"a b+c=d&e", "ü/%20/~._-", "!*'();:@$,", "x//y", "a[b]", "%2F", "what?", "c#", `"x"`,
			"<x>", "a^b|c`{}",
		} {
			if err := UploadText(t.Context(), []byte(name), server.URL(name), true); err != nil ||
				string(server.Get(t, name)) != name {
				t.Errorf("%q: upload: %v; there are %q", name, err, server.Keys(t))
				continue
			}
			text, err := ReadText(t.Context(), server.URL(name), 99)
			entries, listErr := List(t.Context(), server.URL(name))
			if err = errors.Join(err, listErr); err != nil || string(text) != name ||
				len(entries) != 1 || entries[0].Location != server.URL(name) {
				t.Errorf("%q: %q, %v, %v", name, text, entries, err)
			}
			if err := Remove(t.Context(), server.URL(name)); err != nil ||
				server.Get(t, name) != nil {
				t.Errorf("%q: remove: %v", name, err)
			}
		}
		for _, name := range []string{"a\x01b", "a/../b", `a\b`} {
			_, err := Stat(t.Context(), server.URL(name))
			_, listErr := List(t.Context(), server.URL(name))
			err = errors.Join(err, listErr)
			refused := name != `a\b` || strings.HasPrefix(server.URL(""), azureScheme)
			if errors.Is(err, formats.ErrUnsupported) != refused ||
				errors.Is(err, fs.ErrNotExist) == refused {
				t.Errorf("%q: %v", name, err)
			}
		}
	})
}

// TestTries: a request that may succeed later is made four times, unless AWS_MAX_ATTEMPTS sets a
// number; other requests are made once.
func TestTries(t *testing.T) {
	eachStore(t, func(t *testing.T, server *storagetest.Server) {
		server.Put(t, "x", []byte("x"))
		most := 4
		if strings.HasPrefix(server.URL(""), "s3:") {
			most = 1
		}
		for _, c := range []struct {
			fault        storagetest.Fault
			fails, tries int
			want         error
		}{
			{storagetest.None, 0, 1, nil},
			{storagetest.Error, most - 1, most, nil},
			{storagetest.Throttled, most - 1, most, nil},
			{storagetest.Error, 99, most, ErrUnavailable},
			{storagetest.Refused, 99, most, ErrUnavailable},
			{storagetest.Denied, 99, 1, ErrDenied},
		} {
			server.Fail(func(n int, _ storagetest.Request) storagetest.Fault {
				if n < c.fails {
					return c.fault
				}
				return storagetest.None
			})
			_, err := List(t.Context(), server.URL("x"))
			if tries := len(server.Requests()); !errors.Is(err, c.want) || tries != c.tries {
				t.Errorf("%+v: %d tries, %v", c, tries, err)
			}
		}
	})
}

// TestSettings: an error in the environment is found before a request is made, and refused
// credentials are not a temporary failure.
func TestSettings(t *testing.T) {
	for _, c := range []struct {
		scheme string
		env    map[string]string
	}{
		{"s3", map[string]string{"AWS_ENDPOINT_URL": ""}},
		{"s3", map[string]string{"AWS_ENDPOINT_URL": "host"}},
		{"gs", map[string]string{"STORAGE_EMULATOR_HOST": "",
			"GOOGLE_APPLICATION_CREDENTIALS": "missing.json"}},
		{"azblob", map[string]string{"AZURE_STORAGE_ACCOUNT": ""}},
		{"azblob", map[string]string{"AZURE_STORAGE_KEY": "not base64!"}},
		{"azblob", map[string]string{"AZURE_STORAGE_PROTOCOL": "ftp"}},
		{"azblob", map[string]string{"AZURE_STORAGE_KEY": "",
			"AZURE_STORAGE_CONNECTION_STRING": "AccountName=a"}},
		{"azblob", map[string]string{"AZURE_STORAGE_KEY": "", "AZURE_STORAGE_SAS_TOKEN": "sv=1"}},
		{"azblob", map[string]string{"AZURE_STORAGE_KEY": "", "AZURE_TOKEN_CREDENTIALS": "other"}},
		{"azblob", map[string]string{
			"AZURE_STORAGE_KEY": "", "AZURE_TOKEN_CREDENTIALS": "EnvironmentCredential",
			"AZURE_TENANT_ID": "", "AZURE_STORAGE_PROTOCOL": "https",
		}},
	} {
		server := storagetest.NewOf(t, c.scheme)
		for name, value := range c.env {
			t.Setenv(name, value)
		}
		if _, err := List(t.Context(), server.URL("x")); !errors.Is(err, ErrDenied) {
			t.Errorf("%s with %v: %v", c.scheme, c.env, err)
		}
	}
}

// TestProfile: a profile of AWS's own tools gives the endpoint of a store with the S3 protocol.
func TestProfile(t *testing.T) {
	server := storagetest.New(t)
	server.Put(t, "x", []byte("x"))
	profile := filepath.Join(t.TempDir(), "config")
	text := "[profile own]\nservices = here\n[services here]\ns3 =\n  endpoint_url = " +
		os.Getenv("AWS_ENDPOINT_URL") + "\n"
	if err := os.WriteFile(profile, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	os.Unsetenv("AWS_ENDPOINT_URL") // the test server restores it
	t.Setenv("AWS_CONFIG_FILE", profile)
	t.Setenv("AWS_PROFILE", "own")
	if _, err := Stat(t.Context(), server.URL("x")); err != nil {
		t.Error(err)
	}
}

// TestRefusedAccount: an account that Google does not know, or no longer knows, has no access.
func TestRefusedAccount(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error": "invalid_grant", "error_description": "as the test wants it"}`)
	}))
	defer server.Close()
	key, err := rsa.GenerateKey(crand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	account, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "a@example.com", "token_uri": server.URL,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "account.json")
	if err := os.WriteFile(file, account, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("STORAGE_EMULATOR_HOST", "")
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file)
	if _, err := Stat(t.Context(), "gs://bucket/x"); !errors.Is(err, ErrDenied) || asked != 1 {
		t.Errorf("asked %d times: %v", asked, err)
	}
}

// TestAccounts checks the addresses of Azure accounts.
func TestAccounts(t *testing.T) {
	for _, c := range []struct{ connection, account, key, token, domain, want string }{
		{"", "a", "aaaa", "", "", "https://a.blob.core.windows.net/c"},
		{"", "a", "", "?sig=1", "", "https://a.blob.core.windows.net/c?sig=1"},
		{"", "a", "", "", "", "https://a.blob.core.windows.net/c"},
		{"", "a", "aaaa", "", "localhost:10000", "https://localhost:10000/a/c"},
		{"AccountName=b;AccountKey=abcd;DefaultEndpointsProtocol=http;EndpointSuffix=core.example",
			"", "", "", "", "http://b.blob.core.example/c"},
		{"AccountName=b;AccountKey=abcd;BlobEndpoint=http://h:1/b", "", "", "", "",
			"http://h:1/b/c"},
		{"BlobEndpoint=http://h:1/b;SharedAccessSignature=sv=1&sig=2", "", "", "", "",
			"http://h:1/b/c?sv=1&sig=2"},
		{"AccountName=b;AccountKey=abcd", "a", "olds", "", "", "https://a.blob.core.windows.net/c"},
		{"AccountName=b;AccountKey=abcd", "a", "", "", "", "https://b.blob.core.windows.net/c"},
		{"", "", "k", "", "", ""},
	} {
		for name, value := range map[string]string{
			"ACCOUNT": c.account, "KEY": c.key, "SAS_TOKEN": c.token, "DOMAIN": c.domain,
			"CONNECTION_STRING": c.connection, "PROTOCOL": "",
		} {
			t.Setenv("AZURE_STORAGE_"+name, value)
		}
		t.Setenv("AZURE_STORAGEBLOB_CONNECTIONSTRING", "")
		got := ""
		if m, err := openMicrosoft("c"); err == nil {
			got = m.(*microsoft).container.URL()
		}
		if got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestToken: a shared access token gives access, and no error shows it.
func TestToken(t *testing.T) {
	server := storagetest.NewOf(t, "azblob")
	server.Put(t, "x", []byte("x"))
	t.Setenv("AZURE_STORAGE_KEY", "")
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", "sv=1&sig=good")
	if info, err := Stat(t.Context(), server.URL("x")); err != nil || info.Size() != 1 {
		t.Errorf("by a token: %v", err)
	}
	was := firstPause
	firstPause = time.Millisecond
	defer func() { firstPause = was }()
	t.Setenv("AZURE_STORAGE_DOMAIN", "127.0.0.1:1")
	_, err := List(t.Context(), server.URL("x"))
	if !errors.Is(err, ErrUnavailable) || strings.Contains(err.Error(), "good") ||
		!strings.Contains(err.Error(), "127.0.0.1:1/account/bucket") {
		t.Error(err)
	}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct{ text, want, problem string }{
		{"people.parquet", "people.parquet", ""},
		{"a:b//c", "a:b//c", ""},
		{"s3://bucket/a b%20c/*?.parquet", "s3://bucket/a b%20c/*?.parquet", ""},
		{"gs://bucket", "gs://bucket", ""},
		{"azblob://container/x/", "azblob://container/x/", ""},
		{"file:///data/a%20b.parquet", "/data/a b.parquet", ""},
		{"file://localhost/data/x/", "/data/x/", ""},
		{"FILE:///data/x", "/data/x", ""},
		{"file://data/x", "", "another machine"},
		{"file:///data/%zz", "", "%25"},
		{"s3://", "", "without a bucket"},
		{"s3:///key", "", "without a bucket"},
		{"s3a://bucket/key", "", "write s3://"},
		{"abfss://x", "", "write azblob://"},
		{"https://example.com/x", "", "unknown kind, https://"},
	} {
		got, err := Resolve(c.text)
		if c.problem == "" && (err != nil || got != c.want) {
			t.Errorf("%s: %q, %v; want %q", c.text, got, err, c.want)
		}
		if c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)) {
			t.Errorf("%s: %q, %v; want an error with %q", c.text, got, err, c.problem)
		}
	}
}
