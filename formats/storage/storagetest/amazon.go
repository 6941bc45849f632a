package storagetest

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// amazon speaks S3.
type amazon struct {
	backend gofakes3.Backend
	s3      http.Handler
}

func newAmazon(t testing.TB) *amazon {
	backend := s3mem.New()
	if err := backend.CreateBucket(Bucket); err != nil {
		t.Fatal(err)
	}
	return &amazon{backend, gofakes3.New(backend, gofakes3.WithAutoBucket(false)).Server()}
}

func amazonEnvironment(url string) map[string]string {
	return map[string]string{
		"AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "",
		"AWS_CONFIG_FILE": "none", "AWS_SHARED_CREDENTIALS_FILE": "none", "AWS_MAX_ATTEMPTS": "1", "AWS_EC2_METADATA_DISABLED": "true",
	}
}

func (a *amazon) put(key string, data []byte) error {
	_, err := a.backend.PutObject(Bucket, key, map[string]string{}, bytes.NewReader(data), int64(len(data)), nil)
	return err
}

func (a *amazon) get(key string) ([]byte, bool) {
	object, err := a.backend.GetObject(Bucket, key, nil)
	if err != nil {
		return nil, false
	}
	defer object.Contents.Close()
	data, err := io.ReadAll(object.Contents)
	return data, err == nil
}

func (a *amazon) remove(key string) error {
	_, err := a.backend.DeleteObject(Bucket, key)
	return err
}

func (a *amazon) keys() (keys []string) {
	list, err := a.backend.ListBucket(Bucket, nil, gofakes3.ListBucketPage{})
	if err != nil {
		return nil
	}
	for _, object := range list.Contents {
		keys = append(keys, object.Key)
	}
	return keys
}

func (a *amazon) uploads() (keys []string) {
	answer := httptest.NewRecorder()
	a.s3.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/"+Bucket+"?uploads", nil))
	var list struct {
		Upload []struct{ Key string }
	}
	if err := xml.Unmarshal(answer.Body.Bytes(), &list); err != nil {
		return []string{err.Error()}
	}
	for _, upload := range list.Upload {
		keys = append(keys, upload.Key)
	}
	return keys
}

func (a *amazon) isPart(r *http.Request) bool { return r.URL.Query().Has("partNumber") }

// ServeHTTP implements http.Handler.
func (a *amazon) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if match := r.Header.Get("If-Match"); match != "" && r.Method == http.MethodGet && match != a.etag(r) {
		a.refuse(w, http.StatusPreconditionFailed)
		return
	}
	a.s3.ServeHTTP(w, r)
}

// etag returns the version of the object that is asked for.
func (a *amazon) etag(r *http.Request) string {
	head := r.Clone(r.Context())
	head.Method = http.MethodHead
	answer := httptest.NewRecorder()
	a.s3.ServeHTTP(answer, head)
	return answer.Header().Get("ETag")
}

func (a *amazon) refuse(w http.ResponseWriter, status int) {
	code := map[int]string{
		http.StatusForbidden: "AccessDenied", http.StatusPreconditionFailed: "PreconditionFailed", http.StatusServiceUnavailable: "SlowDown",
	}[status]
	if code == "" {
		code = "InternalError"
	}
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>as the test wants it</Message></Error>", code)
}
