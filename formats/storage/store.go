package storage

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/workers"
)

// azureScheme begins the URLs of what is in Azure.
const azureScheme = "azblob:"

// store is one bucket, in the words of its service. Its errors are the service's: see explain.
type store interface {
	// attributes tells what an object is known by.
	attributes(ctx context.Context, key string) (attributes, error)
	// read returns n bytes from off on, if the object still has this version. Who knows no conditions
	// is asked afterwards: the attributes are those of what is read, as far as the service tells.
	read(ctx context.Context, key string, of version, off, n int64) (io.ReadCloser, attributes, error)
	// list calls each with the objects whose keys begin with a prefix, in any order.
	list(ctx context.Context, prefix string, each func(key string, size int64)) error
	// write makes an object, which is checked when it arrives. One that fails leaves nothing.
	write(ctx context.Context, key string, c content) error
	remove(ctx context.Context, key string) error
}

// attributes are what an object is known by.
type attributes struct {
	size    int64
	changed time.Time
	version version
	digest  string // of its content, where an upload has left it
}

// version tells one state of an object from all others.
type version struct {
	etag       string
	generation int64 // of Google's
}

// content is what an object is to be.
type content struct {
	io.ReaderAt
	size      int64
	part      int64 // the bytes of a part: it is sent in one when it has no more
	mediaType string
	md5       []byte
	digest    string
	fresh     bool // there must be none of that name
}

// piece reads the bytes of the part of an index into a buffer that is as large as a part.
func (c *content) piece(buffer []byte, index int64) ([]byte, error) {
	buffer = buffer[:min(c.part, c.size-index*c.part)]
	_, err := io.ReadFull(io.NewSectionReader(c, index*c.part, int64(len(buffer))), buffer)
	return buffer, err
}

// parts is how many there are.
func (c *content) parts() int { return int((c.size + c.part - 1) / c.part) }

// eachPart hands out the parts, some at a time.
func (c *content) eachPart(send func(i int, body []byte) error) error {
	var buffers [partsAtOnce][]byte
	return workers.Each(c.parts(), partsAtOnce, func(w workers.Worker, i int) error {
		if buffers[w.Number] == nil {
			buffers[w.Number] = make([]byte, c.part)
		}
		body, err := c.piece(buffers[w.Number], int64(i))
		if err != nil {
			return err
		}
		return send(i, body)
	})
}

// openStore opens a bucket as the environment says, which is read at that time.
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

// checkName refuses names that stores, or what is on the way to them, write in a way of their own, so
// that there would be no object of that name, and others none of theirs. Azure makes \ a slash.
func checkName(url, key string) error {
	if strings.ContainsFunc(key, unicode.IsControl) || strings.Contains(key, "../") || strings.HasPrefix(url, azureScheme) && strings.Contains(key, `\`) {
		return fmt.Errorf(`a name with ../, control characters or, of Azure, \: %w`, formats.ErrUnsupported)
	}
	return nil
}
