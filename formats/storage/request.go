package storage

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// client sends requests to a service that speaks HTTP, again where it fails.
type client struct {
	http interface {
		Do(*http.Request) (*http.Response, error)
	}
	tries int
	// sign makes a request the user's. Nil leaves that to http.
	sign func(r *http.Request, body []byte) error
}

// request is one of a service.
type request struct {
	method string
	url    url.URL
	header map[string]string // "" is none
	body   []byte
}

// firstPause is how long a client waits at most before it tries again, mostPause after many tries.
var (
	firstPause = 200 * time.Millisecond
	mostPause  = 4 * time.Second
)

// do sends a request until it is answered, and returns an answer that is none of an error. Whatever is
// done may be done again: what a write has left is looked at, and what is removed stays so.
func (c *client) do(ctx context.Context, q request) (*http.Response, error) {
	for try, pause := 1, firstPause; ; try, pause = try+1, min(3*pause, mostPause) {
		answer, err := c.send(ctx, q)
		if err == nil || try >= c.tries || ctx.Err() != nil || !mayPass(err) {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause/2 + rand.N(pause/2+1)): // not all that failed together
		}
	}
}

func (c *client) send(ctx context.Context, q request) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, q.method, q.url.String(), bytes.NewReader(q.body))
	if err != nil {
		return nil, err
	}
	r.URL = &q.url // as it is encoded there
	for name, value := range q.header {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	r.Header.Set("User-Agent", "kcut")
	if c.sign != nil {
		if err := c.sign(r, q.body); err != nil {
			return nil, err
		}
	}
	answer, err := c.http.Do(r)
	var network *url.Error
	if errors.As(err, &network) {
		network.URL, _, _ = strings.Cut(network.URL, "?") // who knows that of an upload may send to it
	}
	if err != nil {
		return nil, err
	}
	if answer.StatusCode/100 == 2 || answer.StatusCode == http.StatusPermanentRedirect {
		return answer, nil // 308 is Google's for an upload that goes on
	}
	defer answer.Body.Close()
	return nil, refusalOf(answer)
}

// take sends a request and decodes its answer, XML or JSON, into what, if that is not nil.
func (c *client) take(ctx context.Context, q request, what any) (*http.Response, error) {
	for try := 1; ; try++ {
		answer, err := c.do(ctx, q)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		switch {
		case err != nil && try < c.tries && ctx.Err() == nil: // it was cut
			continue
		case err != nil || what == nil || len(body) == 0:
		case strings.Contains(answer.Header.Get("Content-Type"), "json"):
			err = json.Unmarshal(body, what)
		default:
			err = xml.Unmarshal(body, what)
		}
		return answer, err
	}
}

// refusal is the answer of a service that does not do what it was asked.
type refusal struct {
	XMLName xml.Name `json:"-"`
	Code    string
	Message string
	status  int
	// challenge is what is asked of who does not say who he is.
	challenge string
}

func (r *refusal) Error() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s %s", r.status, r.Code, r.Message))
}

// refusalOf reads what a service says of its reasons.
func refusalOf(answer *http.Response) *refusal {
	const longest = 64 << 10
	text, _ := io.ReadAll(io.LimitReader(answer.Body, longest))
	r := &refusal{}
	var google struct {
		Error struct {
			Message string
			Errors  []struct{ Reason string }
		}
	}
	var entra struct {
		Error       string
		Description string `json:"error_description"`
	}
	if json.Unmarshal(text, &google) == nil {
		r.Message = google.Error.Message
		for _, e := range google.Error.Errors {
			r.Code = e.Reason
		}
	} else if json.Unmarshal(text, &entra) == nil && entra.Error != "" {
		r.Code, r.Message = entra.Error, entra.Description
	} else if xml.Unmarshal(text, r) != nil {
		r.Code, r.Message = answer.Header.Get("X-Ms-Error-Code"), http.StatusText(answer.StatusCode)
	}
	if region := answer.Header.Get("X-Amz-Bucket-Region"); region != "" && answer.StatusCode < http.StatusForbidden {
		r.Message += "; the bucket is in the region " + region
	}
	r.status, r.challenge = answer.StatusCode, answer.Header.Get("Www-Authenticate")
	return r
}

// passingCodes are S3's and Azure's of what has a status of a bad request and may pass.
var passingCodes = map[string]bool{
	"RequestTimeout": true, "BadDigest": true, "IncompleteBody": true, "XAmzContentSHA256Mismatch": true, "Md5Mismatch": true,
}

// mayPass reports whether the same request may be answered in another way soon.
func mayPass(err error) bool {
	var r *refusal
	var network *url.Error
	if !errors.As(err, &r) {
		return errors.As(err, &network) && !isDenied(err)
	}
	return r.status >= http.StatusInternalServerError && r.status != http.StatusNotImplemented ||
		r.status == http.StatusRequestTimeout || r.status == http.StatusTooManyRequests || passingCodes[r.Code]
}

// sizeOf is the size of an object, of which an answer has all or a range.
func sizeOf(answer *http.Response) (int64, error) {
	text := answer.Header.Get("Content-Length")
	if answer.StatusCode == http.StatusPartialContent {
		_, text, _ = strings.Cut(answer.Header.Get("Content-Range"), "/")
	}
	size, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("size of an object: %w", err)
	}
	return size, nil
}

// rangeOf is the header that asks for n bytes from off on.
func rangeOf(off, n int64) string { return fmt.Sprintf("bytes=%d-%d", off, off+n-1) }

// opened is the body of an answer, and what it tells of the object. It closes one that tells nothing.
func opened(answer *http.Response, tells func(*http.Response) (attributes, error)) (io.ReadCloser, attributes, error) {
	found, err := tells(answer)
	if err != nil {
		return nil, found, errors.Join(err, answer.Body.Close())
	}
	return answer.Body, found, nil
}
