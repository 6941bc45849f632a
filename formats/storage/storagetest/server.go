// Package storagetest is an S3 server in the tests' own process that counts what is asked of
// it, and fails when it is told to.
package storagetest

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// Bucket is the one bucket that a Server has.
const Bucket = "bucket"

// Server speaks S3.
type Server struct {
	backend gofakes3.Backend
	s3      http.Handler

	mu       sync.Mutex
	requests []Request
	fail     func(n int, r Request) Fault
}

// Request is one request that was made.
type Request struct {
	Method, Path, Query, Range string
	Sent                       int64 // bytes of the answer's body
}

// Fault is what becomes of a request.
type Fault int

// The faults of a network, a store and its administrator.
const (
	None    Fault = iota
	Error         // 500
	Denied        // 403
	Cut           // the connection ends in the middle of the answer's body
	Refused       // the connection ends before an answer
	Done          // the request is carried out, and the connection ends before the answer
)

// New starts a server and points the environment of the test to it.
func New(t testing.TB) *Server {
	t.Helper()
	backend := s3mem.New()
	s := &Server{backend: backend, s3: gofakes3.New(backend, gofakes3.WithAutoBucket(false)).Server()}
	if err := backend.CreateBucket(Bucket); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": server.URL, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "",
		"AWS_CONFIG_FILE": "none", "AWS_SHARED_CREDENTIALS_FILE": "none", "AWS_MAX_ATTEMPTS": "1", "AWS_EC2_METADATA_DISABLED": "true",
		"HTTP_PROXY": "", "http_proxy": "",
	} {
		t.Setenv(name, value)
	}
	return s
}

// URL returns the location of a key.
func URL(key string) string { return "s3://" + Bucket + "/" + key }

// Put stores an object.
func (s *Server) Put(t testing.TB, key string, data []byte) {
	t.Helper()
	if _, err := s.backend.PutObject(Bucket, key, map[string]string{}, bytes.NewReader(data), int64(len(data)), nil); err != nil {
		t.Fatal(err)
	}
}

// Get returns an object, or nil.
func (s *Server) Get(t testing.TB, key string) []byte {
	t.Helper()
	object, err := s.backend.GetObject(Bucket, key, nil)
	if err != nil {
		return nil
	}
	defer object.Contents.Close()
	data, err := io.ReadAll(object.Contents)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Delete removes an object.
func (s *Server) Delete(t testing.TB, key string) {
	t.Helper()
	if _, err := s.backend.DeleteObject(Bucket, key); err != nil {
		t.Fatal(err)
	}
}

// Keys returns the keys of all objects.
func (s *Server) Keys(t testing.TB) (keys []string) {
	t.Helper()
	list, err := s.backend.ListBucket(Bucket, nil, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range list.Contents {
		keys = append(keys, object.Key)
	}
	return keys
}

// Uploads returns the keys of the uploads in parts that are neither complete nor aborted.
func (s *Server) Uploads(t testing.TB) (keys []string) {
	t.Helper()
	answer := httptest.NewRecorder()
	s.s3.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/"+Bucket+"?uploads", nil))
	var list struct {
		Upload []struct{ Key string }
	}
	if err := xml.Unmarshal(answer.Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	for _, upload := range list.Upload {
		keys = append(keys, upload.Key)
	}
	return keys
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
		s3Error(w, http.StatusInternalServerError, "InternalError")
		return
	case Denied:
		s3Error(w, http.StatusForbidden, "AccessDenied")
		return
	case Refused:
		panic(http.ErrAbortHandler)
	}
	answer := httptest.NewRecorder()
	if match := r.Header.Get("If-Match"); match != "" && r.Method == http.MethodGet && match != s.etag(r) {
		s3Error(answer, http.StatusPreconditionFailed, "PreconditionFailed")
	} else {
		s.s3.ServeHTTP(answer, r)
	}
	if fault == Done {
		panic(http.ErrAbortHandler)
	}
	s.send(w, answer, n, fault == Cut)
}

func (s *Server) begin(r *http.Request) (int, Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, request, fault := len(s.requests), Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Range: r.Header.Get("Range")}, None
	s.requests = append(s.requests, request)
	if s.fail != nil {
		fault = s.fail(n, request)
	}
	return n, fault
}

// etag returns the version of the object that is asked for.
func (s *Server) etag(r *http.Request) string {
	head := r.Clone(r.Context())
	head.Method = http.MethodHead
	answer := httptest.NewRecorder()
	s.s3.ServeHTTP(answer, head)
	return answer.Header().Get("ETag")
}

func (s *Server) send(w http.ResponseWriter, answer *httptest.ResponseRecorder, n int, cut bool) {
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	body := answer.Body.Bytes()
	if cut {
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
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

func s3Error(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>as the test wants it</Message></Error>", code)
}
