// Package storagetest has an object store inside the test's process that counts requests, and fails
// on demand. It implements S3, or the parts of Google's or Microsoft's protocols that their clients
// need.
package storagetest

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// Bucket is the only bucket of a Server.
const Bucket = "bucket"

// Server is an object store.
type Server struct {
	scheme  string
	dialect dialect
	backend gofakes3.Backend // its objects
	s3      http.Handler     // serves them

	serving sync.Mutex         // one request is served at a time
	begun   map[string]*upload // by the store's name for the upload

	mu       sync.Mutex
	requests []Request
	fail     func(n int, r Request) Fault
}

// dialect is the protocol of a kind of store.
type dialect struct {
	environment func(url string) map[string]string
	codes       map[int]string // the store's codes of refusals, by status
	isPart      func(r *http.Request) bool
	// serve answers a request. When it returns the status of a refusal, it has sent nothing.
	serve func(s *Server, w http.ResponseWriter, r *http.Request) int
}

var dialects = map[string]dialect{"s3": amazon, "gs": google, "azblob": microsoft}

// Schemes are the kinds of stores.
var Schemes = []string{"s3", "gs", "azblob"}

// Request is a request that was made.
type Request struct {
	Method, Path, Query string
	Part                bool  // it sends one part of several
	Sent                int64 // number of bytes of the answer's body
}

// Fault is the failure of a request.
type Fault int

// The faults of a network, a store and its administrator.
const (
	None      Fault = iota
	Error           // 500
	Denied          // 403
	Throttled       // 503, or the store's answer to too many requests
	Cut             // the connection ends in the middle of the answer's body
	Refused         // the connection ends before an answer
	Done            // the request is performed, and the connection ends before the answer
)

// refusals are the faults with an answer of their own.
var refusals = map[Fault]int{
	Error:     http.StatusInternalServerError,
	Denied:    http.StatusForbidden,
	Throttled: http.StatusServiceUnavailable,
}

// New starts a server for S3 and points the environment of the test to it.
func New(t testing.TB) *Server { return NewOf(t, "s3") }

// NewOf is New for a store of the Schemes.
func NewOf(t testing.TB, scheme string) *Server {
	t.Helper()
	s := &Server{
		scheme:  scheme,
		dialect: dialects[scheme],
		backend: s3mem.New(),
		begun:   make(map[string]*upload),
	}
	if err := s.backend.CreateBucket(Bucket); err != nil {
		t.Fatal(err)
	}
	s.s3 = gofakes3.New(s.backend, gofakes3.WithAutoBucket(false)).Server()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	environment := s.dialect.environment(server.URL)
	environment["HTTP_PROXY"], environment["http_proxy"] = "", ""
	for name, value := range environment {
		t.Setenv(name, value)
	}
	return s
}

// URL returns the location of a key.
func (s *Server) URL(key string) string { return s.scheme + "://" + Bucket + "/" + key }

// NoURL returns a location in a bucket that does not exist.
func (s *Server) NoURL(key string) string { return s.scheme + "://no" + Bucket + "/" + key }

// Put stores an object.
func (s *Server) Put(t testing.TB, key string, data []byte) {
	t.Helper()
	if err := s.put(key, data, nil, false); err != nil {
		t.Fatal(err)
	}
}

// Get returns an object, or nil.
func (s *Server) Get(_ testing.TB, key string) []byte {
	if o := s.object(key); o != nil {
		return append([]byte{}, o.data...)
	}
	return nil
}

// Delete removes an object.
func (s *Server) Delete(_ testing.TB, key string) { s.remove(key) }

// Keys returns the keys of all objects.
func (s *Server) Keys(t testing.TB) (keys []string) {
	t.Helper()
	list, err := s.backend.ListBucket(Bucket, nil, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range list.Contents {
		keys = append(keys, content.Key)
	}
	return keys
}

// Uploads returns the keys of S3's multipart uploads that are neither complete nor aborted.
func (s *Server) Uploads(t testing.TB) []string {
	t.Helper()
	keys, err := s.uploads()
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// Fail sets the function that decides the faults of requests from now on, which are counted from 0.
func (s *Server) Fail(fail func(n int, r Request) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.fail = nil, fail
}

// Requests returns the requests since the last call of Fail or Forget.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Forget restarts the counting.
func (s *Server) Forget() { s.Fail(nil) }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, fault := s.begin(r)
	if fault == Refused || fault == Cut && r.Method == http.MethodHead { // it has no body
		panic(http.ErrAbortHandler)
	}
	if status := refusals[fault]; status != 0 {
		s.refuse(w, status)
		return
	}
	answer := httptest.NewRecorder()
	s.serving.Lock()
	if status := s.dialect.serve(s, answer, r); status != 0 {
		s.refuse(answer, status)
	}
	s.serving.Unlock()
	if fault == Done {
		panic(http.ErrAbortHandler)
	}
	s.send(w, answer, n, fault == Cut)
}

func (s *Server) begin(r *http.Request) (n int, fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	request := Request{
		Method: r.Method,
		Path:   r.URL.Path,
		Query:  r.URL.RawQuery,
		Part:   s.dialect.isPart(r),
	}
	s.requests = append(s.requests, request)
	if s.fail != nil {
		fault = s.fail(len(s.requests)-1, request)
	}
	return len(s.requests) - 1, fault
}

// refuse answers with an error.
func (s *Server) refuse(w http.ResponseWriter, status int) {
	code := cmp.Or(s.dialect.codes[status], "InternalError")
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("X-Ms-Error-Code", code)
	w.Header().Set("X-Ms-Retry-After-Ms", "1") // tests need not wait
	w.WriteHeader(status)
	fmt.Fprintf(w, "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>as the test wants "+
		"it</Message></Error>", code)
}

// send forwards an answer, or its first half.
func (s *Server) send(w http.ResponseWriter, answer *httptest.ResponseRecorder, n int, cut bool) {
	maps.Copy(w.Header(), answer.Header())
	body := answer.Body.Bytes()
	if w.Header().Get("Content-Length") == "" && len(body) > 0 {
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	}
	if cut {
		body = body[:len(body)/2]
	}
	w.WriteHeader(answer.Code)
	s.mu.Lock()
	if n < len(s.requests) {
		s.requests[n].Sent = int64(len(body))
	}
	s.mu.Unlock()
	_, _ = w.Write(body)
	if cut {
		_ = http.NewResponseController(w).Flush() // a failing flush cuts the answer, too
		panic(http.ErrAbortHandler)
	}
}
