package lineage

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/kcut/kcut/formats/storage"
)

// Target takes events.
type Target interface {
	// send hands an event over, one line of JSON. It keeps trying until ctx ends.
	send(ctx context.Context, line []byte) error
	// String names the target as messages do, without anything secret.
	String() string
}

// ParseTarget reads where events go: an http or https URL, or a file. A URL without a path
// gets the endpoint's, which may be empty for the usual one. A key that is not empty is sent
// as bearer token.
func ParseTarget(text, endpoint, key string) (Target, error) {
	if !storage.IsURL(text) {
		return file(text), nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("read lineage target: it is neither an http or https URL nor a file")
	}
	if strings.Trim(u.Path, "/") == "" {
		u = u.JoinPath(cmp.Or(endpoint, "api/v1/lineage"))
	}
	return &server{url: u, key: key}, nil
}

// file is a Target that a line is appended to for every event.
type file string

func (f file) String() string { return string(f) }

func (f file) send(_ context.Context, line []byte) error {
	out, err := os.OpenFile(string(f), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = out.Write(line)
	return errors.Join(err, out.Close())
}

// server is a Target that takes events by HTTP.
type server struct {
	url *url.URL
	key string
}

// String leaves user, password and query out.
func (s *server) String() string {
	return (&url.URL{Scheme: s.url.Scheme, Host: s.url.Host, Path: s.url.Path}).String()
}

// errRefused is returned for what will not be taken when sent again.
var errRefused = errors.New("refused")

// send tries again with growing pauses when there is no answer, or one that may get better.
func (s *server) send(ctx context.Context, line []byte) error {
	for pause := 100 * time.Millisecond; ; pause *= 2 {
		err := s.post(ctx, line)
		if err == nil || errors.Is(err, errRefused) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

func (s *server) post(ctx context.Context, line []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url.String(), bytes.NewReader(line))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if s.key != "" {
		request.Header.Set("Authorization", "Bearer "+s.key)
	}
	response, err := http.DefaultClient.Do(request)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err // its URL may have a secret in it
	}
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16)) // so that the connection can serve the next event
	switch code := response.StatusCode; {
	case code < 300:
		return nil
	case code < 500 && code != http.StatusTooManyRequests && code != http.StatusRequestTimeout:
		return fmt.Errorf("%w with status %d", errRefused, code)
	default:
		return fmt.Errorf("answered with status %d", code)
	}
}
