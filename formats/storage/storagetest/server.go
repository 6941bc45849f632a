// Package storagetest is an object store in the tests' own process that counts what is asked of
// it, and fails when it is told to. It speaks S3, or as much of Google's or Microsoft's language
// as their clients need.
package storagetest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Bucket is the one bucket that a Server has.
const Bucket = "bucket"

// Server is an object store.
type Server struct {
	store  store
	scheme string

	mu       sync.Mutex
	requests []Request
	fail     func(n int, r Request) Fault
}

// store is what is behind a server, in a language of its own.
type store interface {
	http.Handler
	put(key string, data []byte) error
	get(key string) (data []byte, ok bool)
	remove(key string) error
	keys() []string
	uploads() []string           // keys of those begun in parts and not ended
	isPart(r *http.Request) bool // whether a request sends one part of several
	refuse(w http.ResponseWriter, status int)
}

// Schemes are the stores that there are.
var Schemes = []string{"s3", "gs", "azblob"}

// Request is one request that was made.
type Request struct {
	Method, Path, Query, Range string
	Part                       bool  // it sends one part of several
	Sent                       int64 // bytes of the answer's body
}

// Fault is what becomes of a request.
type Fault int

// The faults of a network, a store and its administrator.
const (
	None      Fault = iota
	Error           // 500
	Denied          // 403
	Throttled       // 503, or what the store says when it is asked too much
	Cut             // the connection ends in the middle of the answer's body
	Refused         // the connection ends before an answer
	Done            // the request is carried out, and the connection ends before the answer
)

// New starts a server that speaks S3 and points the environment of the test to it.
func New(t testing.TB) *Server {
	t.Helper()
	return NewOf(t, "s3")
}

// NewOf is New of a store of the Schemes.
func NewOf(t testing.TB, scheme string) *Server {
	t.Helper()
	s := &Server{scheme: scheme}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	var environment map[string]string
	switch scheme {
	case "s3":
		s.store, environment = newAmazon(t), amazonEnvironment(server.URL)
	case "gs":
		s.store, environment = newGoogle(), googleEnvironment(server.URL)
	case "azblob":
		s.store, environment = newMicrosoft(), microsoftEnvironment(server.URL)
	default:
		t.Fatalf("no store is called %s", scheme)
	}
	for _, proxy := range []string{"HTTP_PROXY", "http_proxy"} {
		t.Setenv(proxy, "")
	}
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
	if err := s.store.put(key, data); err != nil {
		t.Fatal(err)
	}
}

// Get returns an object, or nil.
func (s *Server) Get(t testing.TB, key string) []byte {
	t.Helper()
	data, ok := s.store.get(key)
	if !ok {
		return nil
	}
	return append([]byte{}, data...)
}

// Delete removes an object.
func (s *Server) Delete(t testing.TB, key string) {
	t.Helper()
	if err := s.store.remove(key); err != nil {
		t.Fatal(err)
	}
}

// Keys returns the keys of all objects.
func (s *Server) Keys(t testing.TB) []string {
	t.Helper()
	return s.store.keys()
}

// Uploads returns the keys of the uploads in parts that are neither complete nor aborted.
func (s *Server) Uploads(t testing.TB) []string {
	t.Helper()
	return s.store.uploads()
}

// Fail decides from now on what becomes of the request of a number, counted from 0 on.
func (s *Server) Fail(fail func(n int, r Request) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.fail = nil, fail
}

// Requests returns the requests since the last call of Fail or Forget.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Forget starts counting anew.
func (s *Server) Forget() { s.Fail(nil) }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, fault := s.begin(r)
	if fault == Cut && r.Method == http.MethodHead { // which has no body
		fault = Refused
	}
	switch fault {
	case Error:
		s.store.refuse(w, http.StatusInternalServerError)
		return
	case Denied:
		s.store.refuse(w, http.StatusForbidden)
		return
	case Throttled:
		s.store.refuse(w, http.StatusServiceUnavailable)
		return
	case Refused:
		panic(http.ErrAbortHandler)
	}
	answer := httptest.NewRecorder()
	s.store.ServeHTTP(answer, r)
	if fault == Done {
		panic(http.ErrAbortHandler)
	}
	s.send(w, answer, n, fault == Cut)
}

func (s *Server) begin(r *http.Request) (int, Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, request, fault := len(s.requests), Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Range: r.Header.Get("Range"), Part: s.store.isPart(r)}, None
	s.requests = append(s.requests, request)
	if s.fail != nil {
		fault = s.fail(n, request)
	}
	return n, fault
}

func (s *Server) send(w http.ResponseWriter, answer *httptest.ResponseRecorder, n int, cut bool) {
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
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
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		panic(http.ErrAbortHandler)
	}
}
