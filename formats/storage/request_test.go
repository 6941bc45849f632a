package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	signer "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/kcut/kcut/formats/storage/storagetest"
)

// TestEndpoints: where a bucket of S3 is, by the settings of the environment and of a profile.
func TestEndpoints(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "config")
	text := "[default]\nregion = eu-west-1\n[profile own]\nregion = eu-west-1\nservices = here\n[services here]\ns3 =\n  endpoint_url = https://store.example/base/\n"
	if err := os.WriteFile(profile, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		env  map[string]string
		want string
	}{
		{"bucket", nil, "https://bucket.s3.eu-west-1.amazonaws.com"},
		{"a.bucket", nil, "https://s3.eu-west-1.amazonaws.com/a.bucket"},
		{"bucket", map[string]string{"AWS_REGION": "cn-north-1"}, "https://bucket.s3.cn-north-1.amazonaws.com.cn"},
		{"bucket", map[string]string{"AWS_REGION": "us-isob-east-1"}, "https://bucket.s3.us-isob-east-1.sc2s.sgov.gov"},
		{"bucket", map[string]string{"AWS_USE_FIPS_ENDPOINT": "true"}, "https://bucket.s3-fips.eu-west-1.amazonaws.com"},
		{"bucket", map[string]string{"AWS_USE_DUALSTACK_ENDPOINT": "true"}, "https://bucket.s3.dualstack.eu-west-1.amazonaws.com"},
		{"bucket", map[string]string{"AWS_ENDPOINT_URL": "http://host:9000"}, "http://host:9000/bucket"},
		{"bucket", map[string]string{"AWS_ENDPOINT_URL": "http://host:9000", "AWS_ENDPOINT_URL_S3": "http://other/x"}, "http://other/x/bucket"},
		{"bucket", map[string]string{"AWS_PROFILE": "own"}, "https://store.example/base/bucket"},
		{"bucket", map[string]string{"AWS_PROFILE": "own", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"}, "https://bucket.s3.eu-west-1.amazonaws.com"},
		{"bucket", map[string]string{"AWS_CONFIG_FILE": "none"}, ""},
		{"bucket", map[string]string{"AWS_ENDPOINT_URL": "host"}, ""},
	} {
		t.Run(fmt.Sprint(c.name, c.env), func(t *testing.T) {
			for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_PROFILE"} {
				t.Setenv(name, "")
			}
			t.Setenv("AWS_CONFIG_FILE", profile)
			for name, value := range c.env {
				t.Setenv(name, value)
			}
			cfg, err := config.LoadDefaultConfig(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if u, err := amazonURL(t.Context(), &cfg, c.name); err == nil {
				got = u.String()
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestSignature signs again what arrives, from what the wire has, as S3 does: by the strict encoding of names.
func TestSignature(t *testing.T) {
	var mu sync.Mutex
	seen := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen++
		got := r.Header.Get("Authorization")
		when, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
		if err != nil {
			t.Error(err)
		}
		signed := strings.Split(strings.Split(strings.Split(got, "SignedHeaders=")[1], ",")[0], ";")
		again, err := http.NewRequest(r.Method, "http://"+r.Host+r.RequestURI, nil)
		if err != nil {
			t.Fatal(err)
		}
		again.ContentLength = r.ContentLength
		for _, name := range signed {
			if name != "host" && name != "content-length" {
				again.Header.Set(name, r.Header.Get(name))
			}
		}
		again.URL.Path, again.URL.RawPath, _ = strings.Cut(r.RequestURI, "?")
		again.URL.Path, again.URL.RawPath = r.URL.Path, again.URL.Path
		if strings.ContainsAny(again.URL.RawPath, "+=&$@,:;!*'()") {
			t.Errorf("%s is not encoded as it is signed", again.URL.RawPath)
		}
		err = signer.NewSigner(func(o *signer.SignerOptions) { o.DisableURIPathEscaping = true }).SignHTTP(r.Context(),
			aws.Credentials{AccessKeyID: "key", SecretAccessKey: "secret", SessionToken: "session"}, again, r.Header.Get("X-Amz-Content-Sha256"), "s3", "us-east-1", when)
		if err != nil || again.Header.Get("Authorization") != got || r.Header.Get("X-Amz-Security-Token") != "session" {
			t.Errorf("%s %s: signed as\n%s, not\n%s (%v)", r.Method, r.RequestURI, got, again.Header.Get("Authorization"), err)
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": server.URL, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "session",
		"AWS_REGION": "", "AWS_CONFIG_FILE": "none", "AWS_SHARED_CREDENTIALS_FILE": "none",
	} {
		t.Setenv(name, value)
	}
	for _, key := range []string{"a", "a b+c=d&e", "ü/%20/~._-", "!*'();:@$,", "x//y", "a[b]"} {
		if _, err := Stat(t.Context(), "s3://bucket/"+key); err == nil {
			t.Error("found what is not there")
		}
		_, _ = List(t.Context(), "s3://bucket/"+key)
		_ = UploadText(t.Context(), []byte("text"), "s3://bucket/"+key, true)
		_ = Remove(t.Context(), "s3://bucket/"+key)
	}
	if seen < 6*4 {
		t.Errorf("%d requests", seen)
	}
}

// answers is a service that answers in turn.
type answers struct {
	bodies []string
	status []int
	asked  int
}

func (a *answers) Do(r *http.Request) (*http.Response, error) {
	i := min(a.asked, len(a.status)-1)
	a.asked++
	return &http.Response{StatusCode: a.status[i], Header: http.Header{"Content-Type": {"application/xml"}}, Body: io.NopCloser(strings.NewReader(a.bodies[i]))}, nil
}

// TestTries: what may pass is asked again, as often as is set, and nothing else is.
func TestTries(t *testing.T) {
	was := firstPause
	firstPause = time.Microsecond
	defer func() { firstPause = was }()
	for _, c := range []struct {
		status []int
		body   string
		asked  int
		ok     bool
	}{
		{[]int{200}, "", 1, true},
		{[]int{500, 429, 200}, "", 3, true},
		{[]int{408, 503, 204}, "", 3, true},
		{[]int{503}, "", 3, false},
		{[]int{501}, "", 1, false},
		{[]int{404}, "", 1, false},
		{[]int{412}, "", 1, false},
		{[]int{400}, "<Error><Code>InvalidArgument</Code></Error>", 1, false},
		{[]int{400, 200}, "<Error><Code>RequestTimeout</Code></Error>", 2, true},
	} {
		bodies := make([]string, len(c.status))
		bodies[0] = c.body
		service := &answers{bodies: bodies, status: c.status}
		_, err := (&client{http: service, tries: 3}).take(t.Context(), request{method: http.MethodGet}, nil)
		if service.asked != c.asked || (err == nil) != c.ok {
			t.Errorf("%v: asked %d times, %v", c.status, service.asked, err)
		}
	}
	_, err := (&client{http: &http.Client{}, tries: 1}).take(t.Context(), request{method: http.MethodGet, url: url.URL{Scheme: "http", Host: "127.0.0.1:1", Path: "/x", RawQuery: "secret"}}, nil)
	if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "127.0.0.1:1/x") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	service := &answers{bodies: []string{""}, status: []int{503}}
	if _, err := (&client{http: service, tries: 9}).take(ctx, request{method: http.MethodGet}, nil); err == nil || service.asked > 1 {
		t.Errorf("asked %d times after the end, %v", service.asked, err)
	}
}

// TestEndOfUpload: S3 may find out that it cannot end an upload when it has begun to answer.
func TestEndOfUpload(t *testing.T) {
	service := &answers{
		status: []int{200},
		bodies: []string{"<Error><Code>InternalError</Code><Message>try again</Message></Error>"},
	}
	a := &amazon{client: client{http: service, tries: 1}}
	a.bucket.Path = "/bucket"
	err := a.write(t.Context(), "x", content{ReaderAt: bytes.NewReader(make([]byte, 10)), size: 10, part: 4})
	var why *refusal
	if !errors.As(err, &why) || why.Code != "InternalError" || !errors.Is(explain(t.Context(), err), ErrUnavailable) {
		t.Errorf("%v", err)
	}
}

// TestSession: of an upload to Google that loses an answer only what has not arrived is sent again, and one that
// was ended is known to be.
func TestSession(t *testing.T) {
	was := firstPause
	firstPause = time.Microsecond
	defer func() { firstPause = was }()
	server := storagetest.NewOf(t, "gs")
	data := randomBytes(12 << 20)
	for _, fault := range []storagetest.Fault{storagetest.Error, storagetest.Refused, storagetest.Done} {
		for n := 1; n <= 3; n++ { // of the three pieces
			server.Delete(t, "x")
			pieces := 0
			server.Fail(func(at int, r storagetest.Request) storagetest.Fault {
				if r.Part {
					pieces++
				}
				if at == n {
					return fault
				}
				return storagetest.None
			})
			if err := upload(t.Context(), bytes.NewReader(data), int64(len(data)), server.URL("x"), "x", true); err != nil || !bytes.Equal(server.Get(t, "x"), data) {
				t.Errorf("fault %d of piece %d: %v", fault, n, err)
			}
			want := 5 // one asks what has arrived, one is sent again
			if fault == storagetest.Done {
				want = 4
			}
			if pieces != want {
				t.Errorf("fault %d of piece %d: %d requests, want %d", fault, n, pieces, want)
			}
		}
	}
}
