package storage

import (
	"bytes"
	"cmp"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	signer "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/smithy-go/encoding/httpbinding"
	"github.com/aws/smithy-go/logging"
)

// amazon is a bucket of S3, or of a store that speaks it, by its REST API. Settings, credentials and
// signatures are the SDK's; its client of S3 takes more to compile than all of kcut.
type amazon struct {
	client
	bucket url.URL
}

// openAmazon opens a bucket of S3. At an endpoint of one's own, buckets are directories of a host
// and not hosts, which would need names of their own, and there is one region, if none is set.
func openAmazon(ctx context.Context, name string) (store, error) {
	cfg, err := config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{})) // what matters is in the errors
	if err != nil {
		return nil, err
	}
	bucket, err := amazonURL(ctx, &cfg, name)
	if err != nil {
		return nil, err
	}
	a := &amazon{bucket: *bucket}
	a.http, a.tries = cfg.HTTPClient, cmp.Or(cfg.RetryMaxAttempts, 3)
	signer := signer.NewSigner(func(o *signer.SignerOptions) { o.DisableURIPathEscaping = true }) // S3 takes names as they are
	a.sign = func(r *http.Request, body []byte) error {
		credentials, err := cfg.Credentials.Retrieve(r.Context())
		if err != nil {
			return err
		}
		sum := sha256.Sum256(body) // which S3 holds against what arrives
		digest := hex.EncodeToString(sum[:])
		r.Header.Set("X-Amz-Content-Sha256", digest)
		err = signer.SignHTTP(r.Context(), credentials, r, digest, "s3", cfg.Region, time.Now())
		r.Header.Set("Accept-Encoding", "identity") // as it is stored; what is on the way may change this header
		return err
	}
	return a, nil
}

// request is one for an object, or with no key for the bucket. Names are escaped in the way that is signed.
func (a *amazon) request(method, key string, query url.Values, header map[string]string) request {
	u := a.bucket
	if key != "" || u.Path == "" {
		u.Path += "/" + key
	}
	u.RawPath = httpbinding.EscapePath(u.Path, false)
	u.RawQuery = query.Encode()
	return request{method: method, url: u, header: header}
}

func (a *amazon) attributes(ctx context.Context, key string) (attributes, error) {
	answer, err := a.take(ctx, a.request(http.MethodHead, key, nil, nil), nil)
	if err != nil {
		return attributes{}, err
	}
	return amazonAttributes(answer)
}

func amazonAttributes(answer *http.Response) (attributes, error) {
	size, err := sizeOf(answer)
	changed, unknown := http.ParseTime(answer.Header.Get("Last-Modified"))
	return attributes{size, changed, version{etag: answer.Header.Get("Etag")}, answer.Header.Get("X-Amz-Meta-" + digestKey)}, errors.Join(err, unknown)
}

func (a *amazon) read(ctx context.Context, key string, of version, off, n int64) (io.ReadCloser, attributes, error) {
	answer, err := a.do(ctx, a.request(http.MethodGet, key, nil, map[string]string{"Range": rangeOf(off, n), "If-Match": of.etag}))
	if err != nil {
		return nil, attributes{}, err
	}
	return opened(answer, amazonAttributes)
}

func (a *amazon) list(ctx context.Context, prefix string, each func(key string, size int64)) error {
	for token := ""; ; {
		query := url.Values{"list-type": {"2"}, "encoding-type": {"url"}, "prefix": {prefix}}
		if token != "" {
			query.Set("continuation-token", token)
		}
		var page struct {
			EncodingType          string
			NextContinuationToken string
			Contents              []struct {
				Key  string
				Size int64
			}
		}
		if _, err := a.take(ctx, a.request(http.MethodGet, "", query, nil), &page); err != nil {
			return err
		}
		for _, object := range page.Contents {
			if page.EncodingType == "url" {
				name, err := url.QueryUnescape(object.Key)
				if err != nil {
					return fmt.Errorf("name in a listing: %w", err)
				}
				object.Key = name
			}
			each(object.Key, object.Size)
		}
		if token = page.NextContinuationToken; token == "" {
			return nil
		}
	}
}

func (a *amazon) remove(ctx context.Context, key string) error {
	_, err := a.take(ctx, a.request(http.MethodDelete, key, nil, nil), nil)
	return err
}

// write sends an object in one request, or begins an upload, sends its parts and ends it.
func (a *amazon) write(ctx context.Context, key string, c content) error {
	about := map[string]string{"Content-Type": c.mediaType, "X-Amz-Meta-" + digestKey: c.digest}
	condition := ""
	if c.fresh {
		condition = "*"
	}
	if c.size <= c.part {
		body, err := c.piece(make([]byte, c.part), 0)
		if err != nil {
			return err
		}
		about["If-None-Match"] = condition
		_, err = a.put(ctx, key, nil, about, body)
		return err
	}
	var begun struct {
		UploadID string `xml:"UploadId"`
	}
	lasting, end := outlast(ctx) // who does not hear the number of an upload cannot abort it
	defer end()
	if _, err := a.take(lasting, a.request(http.MethodPost, key, url.Values{"uploads": {""}}, about), &begun); err != nil {
		return err
	}
	id := url.Values{"uploadId": {begun.UploadID}}
	err := a.sendParts(ctx, key, begun.UploadID, c, func(list []byte) error {
		end := a.request(http.MethodPost, key, id, map[string]string{"Content-Type": "application/xml", "If-None-Match": condition})
		end.body = list
		var said refusal // may come with 200: S3 begins to answer before it knows
		if _, err := a.take(ctx, end, &said); err != nil {
			return err
		}
		if said.XMLName.Local == "Error" {
			said.status = http.StatusInternalServerError
			return &said
		}
		return nil
	})
	if err == nil {
		return nil
	}
	aborting, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWait)
	defer cancel()
	_, aborted := a.take(aborting, a.request(http.MethodDelete, key, id, nil), nil)
	if aborted != nil {
		return fmt.Errorf("%w; its parts are left: %s", err, oneLine(aborted))
	}
	return err
}

// put sends bytes with their checksum.
func (a *amazon) put(ctx context.Context, key string, query url.Values, header map[string]string, body []byte) (*http.Response, error) {
	sum := md5.Sum(body)
	header["Content-Md5"] = base64.StdEncoding.EncodeToString(sum[:])
	q := a.request(http.MethodPut, key, query, header)
	q.body = body
	return a.take(ctx, q, nil)
}

// sendParts sends the parts of an upload, some at a time, and calls end with their list.
func (a *amazon) sendParts(ctx context.Context, key, id string, c content, end func(list []byte) error) error {
	tags := make([]string, c.parts())
	err := c.eachPart(func(i int, body []byte) error {
		answer, err := a.put(ctx, key, url.Values{"partNumber": {strconv.Itoa(i + 1)}, "uploadId": {id}}, map[string]string{}, body)
		if err == nil {
			tags[i] = answer.Header.Get("Etag")
		}
		return err
	})
	if err != nil {
		return err
	}
	list := bytes.NewBufferString("<CompleteMultipartUpload>")
	for i, tag := range tags {
		fmt.Fprintf(list, "<Part><PartNumber>%d</PartNumber><ETag>", i+1)
		if err := xml.EscapeText(list, []byte(tag)); err != nil {
			return err
		}
		list.WriteString("</ETag></Part>")
	}
	list.WriteString("</CompleteMultipartUpload>")
	return end(list.Bytes())
}
