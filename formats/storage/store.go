package storage

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/workers"
)

// azureScheme begins the URLs of Azure.
const azureScheme = "azblob:"

// store is one bucket. Its errors are those of the store's own client: see explain.
type store interface {
	attributes(ctx context.Context, key string) (attributes, error)
	// read returns n bytes of an object from off on if it still has this version. Some servers
	// ignore such a condition, so it also returns the version of the bytes.
	read(ctx context.Context, key, version string, off, n int64) (body io.ReadCloser, found string,
		err error)
	// list calls each with the objects whose keys begin with a prefix, in any order.
	list(ctx context.Context, prefix string, each func(key string, size int64)) error
	// write makes an object, whose content the store checks. If it fails it leaves nothing.
	write(ctx context.Context, key string, c content) error
	remove(ctx context.Context, key string) error
}

// attributes identify an object and its version.
type attributes struct {
	size    int64
	changed time.Time
	version string // differs between two states of an object
	digest  string // of its content, if an upload has stored it
}

// content is the bytes of a new object with its attributes.
type content struct {
	io.ReaderAt
	size      int64
	part      int64 // size of a part; a smaller object is sent in one request
	mediaType string
	md5       []byte
	digest    string
	fresh     bool // the object must not exist yet
}

// whole returns all bytes.
func (c *content) whole() ([]byte, error) {
	body := make([]byte, c.size)
	_, err := c.ReadAt(body, 0)
	if err == io.EOF {
		err = nil
	}
	return body, err
}

// parts returns the number of parts.
func (c *content) parts() int { return int((c.size + c.part - 1) / c.part) }

// eachPart calls send with every part, with some in parallel.
func (c *content) eachPart(send func(i int, body []byte) error) error {
	var buffers [partsAtOnce][]byte
	return workers.Each(c.parts(), partsAtOnce, func(w workers.Worker, i int) error {
		if buffers[w.Number] == nil {
			buffers[w.Number] = make([]byte, c.part)
		}
		at := int64(i) * c.part
		body := buffers[w.Number][:min(c.part, c.size-at)]
		if _, err := io.ReadFull(io.NewSectionReader(c, at, int64(len(body))), body); err != nil {
			return err
		}
		return send(i, body)
	})
}

// encodedMD5 returns the MD5 sum of a body in the form of requests.
func encodedMD5(body []byte) string {
	sum := md5.Sum(body)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// firstPause is the longest time before a client's second try, mostPause that before a later one.
var firstPause = 200 * time.Millisecond

const mostPause = 4 * time.Second

// newTransport returns the connections of one bucket. They do not decompress bodies.
func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost, t.DisableCompression = mostRequests, true
	return t
}

// rangeOf returns the header for n bytes from off on.
func rangeOf(off, n int64) string { return fmt.Sprintf("bytes=%d-%d", off, off+n-1) }

// value returns the value of a pointer, or the zero value for nil.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// openStore opens a bucket with the present settings of the environment.
func openStore(ctx context.Context, url string) (store, error) {
	scheme, name, _ := strings.Cut(url, "://")
	switch scheme {
	case "gs":
		return openGoogle(ctx, name)
	case "azblob":
		return openMicrosoft(name)
	}
	return openAmazon(ctx, name)
}

// checkName refuses names that stores, or servers on the way to them, change: a read would find no
// object, or another one. Azure turns \ into a slash.
func checkName(url, key string) error {
	if strings.ContainsFunc(key, unicode.IsControl) || strings.Contains(key, "../") ||
		strings.HasPrefix(url, azureScheme) && strings.Contains(key, `\`) {
		return fmt.Errorf(`a name with ../, control characters or, of Azure, \: %w`,
			formats.ErrUnsupported)
	}
	return nil
}
