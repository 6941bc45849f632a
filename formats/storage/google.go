package storage

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	gax "github.com/googleapis/gax-go/v2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	"google.golang.org/api/storage/v1"
	transport "google.golang.org/api/transport/http"
)

// google is a bucket of Google Cloud Storage.
type google struct {
	objects *storage.ObjectsService
	bucket  string
}

// openGoogle opens a bucket of Google Cloud Storage, or of an emulator, which has no accounts.
func openGoogle(ctx context.Context, name string) (store, error) {
	options := []option.ClientOption{option.WithScopes(storage.DevstorageReadWriteScope)}
	if host := os.Getenv("STORAGE_EMULATOR_HOST"); host != "" {
		if !strings.Contains(host, "://") {
			host = "http://" + host
		}
		u, err := url.Parse(host)
		if err != nil {
			return nil, err
		}
		endpoint := url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/storage/v1/"}
		options = []option.ClientOption{option.WithoutAuthentication(),
			option.WithEndpoint(endpoint.String())}
	}
	authorized, err := transport.NewTransport(ctx, asStored{newTransport()}, options...)
	if err != nil {
		return nil, err
	}
	options = append(options, option.WithHTTPClient(&http.Client{Transport: authorized}))
	service, err := storage.NewService(ctx, options...)
	if err != nil {
		return nil, err
	}
	return &google{service.Objects, name}, nil
}

// asStored requests the stored bytes of objects. Google decompresses some for other clients.
type asStored struct{ http.RoundTripper }

func (t asStored) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Range") != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Accept-Encoding", "gzip")
	}
	return t.RoundTripper.RoundTrip(r)
}

// googleTries is the number of tries of a request. Google's client repeats few requests by itself.
const googleTries = 4

// tryAgain makes a request until it succeeds, or fails permanently. Every request can be repeated:
// an upload compares the existing object, and removing an object twice has the same result.
func tryAgain(ctx context.Context, request func() error) error {
	pauses := gax.Backoff{Initial: firstPause, Max: mostPause, Multiplier: 3}
	for try := 1; ; try++ {
		err := request()
		if err == nil || try == googleTries || !mayPass(err) {
			return err
		}
		if err := gax.Sleep(ctx, pauses.Pause()); err != nil {
			return err
		}
	}
}

// mayPass reports whether Google may soon answer the same request in another way.
func mayPass(err error) bool {
	var network *url.Error
	if status, _ := statusOf(err); status != 0 {
		return status >= http.StatusInternalServerError && status != http.StatusNotImplemented ||
			status == http.StatusRequestTimeout || status == http.StatusTooManyRequests
	}
	return errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF)
}

func (g *google) attributes(ctx context.Context, key string) (a attributes, err error) {
	err = tryAgain(ctx, func() error {
		o, err := g.objects.Get(g.bucket, key).Context(ctx).Do()
		if err == nil {
			a = attributes{
				size:    int64(o.Size),
				version: strconv.FormatInt(o.Generation, 10),
				digest:  o.Metadata[digestKey],
			}
			a.changed, err = time.Parse(time.RFC3339, o.Updated)
		}
		return err
	})
	return a, err
}

func (g *google) read(ctx context.Context, key, version string, off, n int64) (body io.ReadCloser,
	found string, err error) {
	generation, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		return nil, "", err
	}
	call := g.objects.Get(g.bucket, key).IfGenerationMatch(generation).Context(ctx)
	call.Header().Set("Range", rangeOf(off, n))
	err = tryAgain(ctx, func() error {
		answer, err := call.Download()
		if err == nil {
			body, found = answer.Body, cmp.Or(answer.Header.Get("X-Goog-Generation"), version)
		}
		return err
	})
	return body, found, err
}

func (g *google) list(ctx context.Context, prefix string, each func(key string, size int64)) error {
	call := g.objects.List(g.bucket).Prefix(prefix).Fields("nextPageToken",
		"items(name,size)").Context(ctx)
	for {
		var page *storage.Objects
		err := tryAgain(ctx, func() (err error) {
			page, err = call.Do()
			return err
		})
		if err != nil {
			return err
		}
		for _, o := range page.Items {
			each(o.Name, int64(o.Size))
		}
		if page.NextPageToken == "" {
			return nil
		}
		call.PageToken(page.NextPageToken)
	}
}

func (g *google) remove(ctx context.Context, key string) error {
	return tryAgain(ctx, func() error { return g.objects.Delete(g.bucket, key).Context(ctx).Do() })
}

// write sends an object in one request, or in chunks one after the other, which the client repeats
// for a while. Google removes an unfinished upload after a week. It checks the whole against its
// MD5 sum before it makes the object.
func (g *google) write(ctx context.Context, key string, c content) error {
	about := &storage.Object{
		Name: key, ContentType: c.mediaType, Md5Hash: base64.StdEncoding.EncodeToString(c.md5),
		Metadata: map[string]string{digestKey: c.digest},
	}
	return tryAgain(ctx, func() error {
		call := g.objects.Insert(g.bucket,
			about).Context(ctx).Media(io.NewSectionReader(c, 0, c.size),
			googleapi.ChunkSize(int(min(c.part, c.size+1))), googleapi.ContentType(c.mediaType),
			googleapi.ChunkRetryDeadline(2*mostPause))
		if c.fresh {
			call.IfGenerationMatch(0)
		}
		_, err := call.Do()
		return err
	})
}
