package storage

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
)

// googleBucket is a bucket of Google Cloud Storage, by its JSON API.
type googleBucket struct {
	client
	service url.URL
	name    string
}

// openGoogle opens a bucket of Google Cloud Storage, or of an emulator, which knows no users.
func openGoogle(ctx context.Context, name string) (store, error) {
	g := &googleBucket{name: name, client: client{tries: 4}}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = mostRequests
	plain := &http.Client{Transport: transport}
	if host := os.Getenv("STORAGE_EMULATOR_HOST"); host != "" {
		if !strings.Contains(host, "://") {
			host = "http://" + host
		}
		u, err := url.Parse(host)
		if err != nil {
			return nil, err
		}
		g.service, g.http = url.URL{Scheme: u.Scheme, Host: u.Host}, plain
		return g, nil
	}
	credentials, err := google.FindDefaultCredentials(ctx, "https://www.googleapis.com/auth/devstorage.read_write")
	if err != nil {
		return nil, err
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, plain)
	domain := cmp.Or(os.Getenv("GOOGLE_CLOUD_UNIVERSE_DOMAIN"), "googleapis.com")
	g.service, g.http = url.URL{Scheme: "https", Host: "storage." + domain}, oauth2.NewClient(ctx, credentials.TokenSource)
	return g, nil
}

// request is one for an object, or with no key for all. Its name is one step of a path.
func (g *googleBucket) request(method, key string, query url.Values, header map[string]string) request {
	u := g.service
	u.Path = "/storage/v1/b/" + g.name + "/o"
	u.RawPath = "/storage/v1/b/" + url.PathEscape(g.name) + "/o"
	if key != "" {
		u.Path, u.RawPath = u.Path+"/"+key, u.RawPath+"/"+url.PathEscape(key)
	}
	u.RawQuery = query.Encode()
	return request{method: method, url: u, header: header}
}

// googleObject is what Google says of an object, and is told of one.
type googleObject struct {
	Name        string            `json:"name,omitempty"`
	ContentType string            `json:"contentType,omitempty"`
	Size        int64             `json:"size,omitempty,string"`
	Generation  int64             `json:"generation,omitempty,string"`
	Updated     time.Time         `json:"updated,omitzero"`
	Etag        string            `json:"etag,omitempty"`
	MD5         string            `json:"md5Hash,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`
}

func (g *googleBucket) attributes(ctx context.Context, key string) (attributes, error) {
	var o googleObject
	if _, err := g.take(ctx, g.request(http.MethodGet, key, nil, nil), &o); err != nil {
		return attributes{}, err
	}
	return attributes{o.Size, o.Updated, version{o.Etag, o.Generation}, o.Metadata[digestKey]}, nil
}

func (g *googleBucket) read(ctx context.Context, key string, of version, off, n int64) (io.ReadCloser, attributes, error) {
	answer, err := g.do(ctx, g.request(http.MethodGet, key,
		url.Values{"alt": {"media"}, "ifGenerationMatch": {strconv.FormatInt(of.generation, 10)}},
		map[string]string{"Range": rangeOf(off, n), "Accept-Encoding": "gzip"})) // as it is stored
	if err != nil {
		return nil, attributes{}, err
	}
	return opened(answer, func(answer *http.Response) (attributes, error) {
		size, err := sizeOf(answer)
		return attributes{size: size}, err
	})
}

func (g *googleBucket) list(ctx context.Context, prefix string, each func(key string, size int64)) error {
	for token := ""; ; {
		query := url.Values{"prefix": {prefix}, "fields": {"nextPageToken,items(name,size)"}}
		if token != "" {
			query.Set("pageToken", token)
		}
		var page struct {
			NextPageToken string
			Items         []googleObject
		}
		if _, err := g.take(ctx, g.request(http.MethodGet, "", query, nil), &page); err != nil {
			return err
		}
		for _, o := range page.Items {
			each(o.Name, o.Size)
		}
		if token = page.NextPageToken; token == "" {
			return nil
		}
	}
}

func (g *googleBucket) remove(ctx context.Context, key string) error {
	_, err := g.take(ctx, g.request(http.MethodDelete, key, nil, nil), nil)
	return err
}

// googleUnit is what the size of all pieces but the last is a multiple of.
const googleUnit = 256 << 10

// write begins an upload and sends its pieces one after the other. One that is not ended is forgotten
// after a week. Google holds the whole against its checksum before it makes the object.
func (g *googleBucket) write(ctx context.Context, key string, c content) error {
	about, err := json.Marshal(&googleObject{
		Name: key, ContentType: c.mediaType, MD5: base64.StdEncoding.EncodeToString(c.md5), Metadata: map[string]string{digestKey: c.digest},
	})
	if err != nil {
		return err
	}
	query := url.Values{"uploadType": {"resumable"}}
	if c.fresh {
		query.Set("ifGenerationMatch", "0")
	}
	begin := g.request(http.MethodPost, "", query, map[string]string{"Content-Type": "application/json"})
	begin.url.Path, begin.url.RawPath, begin.body = "/upload"+begin.url.Path, "/upload"+begin.url.RawPath, about
	answer, err := g.take(ctx, begin, nil)
	if err != nil {
		return err
	}
	session, err := url.Parse(answer.Header.Get("Location"))
	if err != nil {
		return fmt.Errorf("begin an upload: %w", err)
	}
	c.part = (c.part + googleUnit - 1) / googleUnit * googleUnit
	u := googleUpload{g, *session, c, make([]byte, c.part)}
	for at, ended := int64(0), false; !ended; {
		if at, ended, err = u.send(ctx, at); err != nil {
			return err
		}
	}
	return nil
}

// googleUpload is an upload under way.
type googleUpload struct {
	*googleBucket
	session url.URL
	content content
	buffer  []byte
}

// send sends the piece that begins at a byte, and returns which is the next one that Google wants, or that it has all.
// Where an answer is lost it asks for that first.
func (u *googleUpload) send(ctx context.Context, at int64) (next int64, ended bool, err error) {
	piece := u.buffer[:min(int64(len(u.buffer)), u.content.size-at)]
	if _, err := io.ReadFull(io.NewSectionReader(u.content, at, int64(len(piece))), piece); err != nil {
		return 0, false, err
	}
	places := fmt.Sprintf("bytes %d-%d/%d", at, at+int64(len(piece))-1, u.content.size)
	if len(piece) == 0 {
		places = "bytes */0"
	}
	once := *u.googleBucket
	once.tries = 1
	next, ended, err = u.put(ctx, &once.client, places, piece)
	if err != nil && mayPass(err) && ctx.Err() == nil {
		next, ended, err = u.put(ctx, &u.client, fmt.Sprintf("bytes */%d", u.content.size), nil)
		if err == nil && !ended && next == at { // nothing has arrived
			next, ended, err = u.put(ctx, &u.client, places, piece)
		}
	}
	if err == nil && !ended && next <= at {
		err = errors.New("no byte of a piece was taken")
	}
	return next, ended, err
}

// put sends bytes to the session, and returns where the next ones belong.
func (u *googleUpload) put(ctx context.Context, c *client, places string, piece []byte) (next int64, ended bool, err error) {
	answer, err := c.take(ctx, request{method: http.MethodPut, url: u.session, header: map[string]string{"Content-Range": places}, body: piece}, nil)
	if err != nil || answer.StatusCode != http.StatusPermanentRedirect {
		return 0, err == nil, err
	}
	if taken := answer.Header.Get("Range"); taken != "" { // bytes=0-last
		_, last, _ := strings.Cut(taken, "-")
		if next, err = strconv.ParseInt(last, 10, 64); err != nil {
			return 0, false, fmt.Errorf("bytes that were taken: %w", err)
		}
		next++
	}
	return next, false, nil
}
