package storagetest

import (
	"encoding/xml"
	"net/http"
	"net/http/httptest"
	"strings"
)

// amazon is S3, which gofakes3 implements.
var amazon = dialect{
	environment: func(url string) map[string]string {
		return map[string]string{
			"AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
			"AWS_REGION":      "",
			"AWS_CONFIG_FILE": "none", "AWS_SHARED_CREDENTIALS_FILE": "none",
			"AWS_MAX_ATTEMPTS": "1", "AWS_EC2_METADATA_DISABLED": "true",
		}
	},
	codes: map[int]string{
		http.StatusForbidden: "AccessDenied", http.StatusPreconditionFailed: "PreconditionFailed",
		http.StatusServiceUnavailable: "SlowDown",
	},
	isPart: func(r *http.Request) bool { return r.URL.Query().Has("partNumber") },
	serve: func(s *Server, w http.ResponseWriter, r *http.Request) int {
		// gofakes3 does not support these two conditions.
		o := s.object(strings.TrimPrefix(r.URL.Path, "/"+Bucket+"/"))
		switch match := r.Header.Get("If-Match"); {
		case r.Method == http.MethodGet && match != "" && (o == nil || o.etag != match),
			r.Method == http.MethodPost && r.URL.Query().Has("uploadId") &&
				r.Header.Get("If-None-Match") == "*" && o != nil:
			return http.StatusPreconditionFailed
		}
		s.s3.ServeHTTP(w, r)
		return 0
	},
}

// uploads returns the keys of S3's multipart uploads that are neither complete nor aborted.
func (s *Server) uploads() (keys []string, err error) {
	answer := httptest.NewRecorder()
	s.s3.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/"+Bucket+"?uploads", nil))
	var list struct {
		Upload []struct{ Key string }
	}
	err = xml.Unmarshal(answer.Body.Bytes(), &list)
	for _, upload := range list.Upload {
		keys = append(keys, upload.Key)
	}
	return keys, err
}
