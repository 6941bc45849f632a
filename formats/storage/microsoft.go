package storage

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// microsoft is a container of Azure Blob Storage, by its REST API.
type microsoft struct {
	client
	container url.URL // with a token of shared access, if there is one
}

// microsoftVersion is that of the API.
const microsoftVersion = "2021-12-02"

// openMicrosoft opens a container of the account that the environment names, with a key, a token of
// shared access, a connection string, or as who the program runs.
func openMicrosoft(name string) (store, error) {
	service, account, key, err := microsoftAccount()
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = mostRequests
	transport.DisableCompression = true // as it is stored
	service.Path = strings.TrimSuffix(service.Path, "/") + "/" + name
	m := &microsoft{container: *service, client: client{http: &http.Client{Transport: transport}, tries: 4}}
	var authorize func(r *http.Request, length int) error
	switch {
	case key != "":
		secret, err := base64.StdEncoding.DecodeString(key)
		if err != nil {
			return nil, fmt.Errorf("the account's key: %w", err)
		}
		authorize = func(r *http.Request, length int) error {
			sum := hmac.New(sha256.New, secret)
			sum.Write([]byte(microsoftText(r, account, length)))
			r.Header.Set("Authorization", "SharedKey "+account+":"+base64.StdEncoding.EncodeToString(sum.Sum(nil)))
			return nil
		}
	case service.RawQuery != "":
		authorize = func(*http.Request, int) error { return nil }
	default:
		identity, err := newIdentity()
		if err != nil {
			return nil, err
		}
		authorize = func(r *http.Request, _ int) error {
			token, err := identity.token(r.Context())
			r.Header.Set("Authorization", "Bearer "+token)
			return err
		}
	}
	m.sign = func(r *http.Request, body []byte) error {
		r.Header.Set("X-Ms-Version", microsoftVersion)
		r.Header.Set("X-Ms-Date", time.Now().UTC().Format(http.TimeFormat))
		return authorize(r, len(body))
	}
	return m, nil
}

// microsoftText is what is signed of a request with a body of a length.
func microsoftText(r *http.Request, account string, length int) string {
	size := ""
	if length > 0 {
		size = strconv.Itoa(length)
	}
	lines := []string{r.Method, "", "", size}
	for _, name := range []string{"Content-Md5", "Content-Type", "", "If-Modified-Since", "If-Match", "If-None-Match", "If-Unmodified-Since", "Range"} {
		lines = append(lines, r.Header.Get(name))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "x-ms-") {
			lines = append(lines, lower+":"+r.Header.Get(name))
		}
	}
	lines = append(lines, "/"+account+r.URL.EscapedPath())
	query := r.URL.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		lines = append(lines, strings.ToLower(name)+":"+query.Get(name))
	}
	return strings.Join(lines, "\n")
}

// microsoftDomain is that of accounts, if no other is set.
const microsoftDomain = "blob.core.windows.net"

// microsoftAccount is where an account is, with its token of shared access, and its key. A key or a token of the
// environment comes before a connection string. An emulator has accounts as directories.
func microsoftAccount() (service *url.URL, account, key string, err error) {
	settings := make(map[string]string)
	connection := cmp.Or(os.Getenv("AZURE_STORAGE_CONNECTION_STRING"), os.Getenv("AZURE_STORAGEBLOB_CONNECTIONSTRING"))
	for setting := range strings.SplitSeq(connection, ";") {
		name, value, _ := strings.Cut(setting, "=")
		settings[name] = value
	}
	account = cmp.Or(os.Getenv("AZURE_STORAGE_ACCOUNT"), settings["AccountName"])
	if os.Getenv("AZURE_STORAGE_ACCOUNT") != "" {
		key = os.Getenv("AZURE_STORAGE_KEY")
	}
	domain := cmp.Or(os.Getenv("AZURE_STORAGE_DOMAIN"), microsoftDomain)
	protocol := cmp.Or(os.Getenv("AZURE_STORAGE_PROTOCOL"), settings["DefaultEndpointsProtocol"], "https")
	token := os.Getenv("AZURE_STORAGE_SAS_TOKEN")
	endpoint := ""
	if key == "" && token == "" && connection != "" {
		key, token, endpoint = settings["AccountKey"], settings["SharedAccessSignature"], settings["BlobEndpoint"]
		if suffix := settings["EndpointSuffix"]; suffix != "" {
			domain = "blob." + suffix
		}
		account = cmp.Or(settings["AccountName"], account)
	}
	switch {
	case endpoint != "": // of the connection string
	case account == "":
		return nil, "", "", errors.New("no account: set AZURE_STORAGE_ACCOUNT")
	case protocol != "http" && protocol != "https":
		return nil, "", "", fmt.Errorf("invalid protocol %q", protocol)
	default:
		endpoint = microsoftEndpoint(protocol, account, domain)
	}
	service, err = url.Parse(endpoint)
	if err == nil {
		service.RawQuery = strings.TrimPrefix(token, "?")
	}
	return service, account, key, err
}

// microsoftEndpoint is the URL of an account.
func microsoftEndpoint(protocol, account, domain string) string {
	emulator, _ := strconv.ParseBool(os.Getenv("AZURE_STORAGE_IS_LOCAL_EMULATOR"))
	network, _ := strconv.ParseBool(os.Getenv("AZURE_STORAGE_IS_CDN"))
	switch {
	case emulator || strings.HasPrefix(domain, "127.0.0.1") || strings.HasPrefix(domain, "localhost"):
		return protocol + "://" + domain + "/" + account
	case network:
		return protocol + "://" + domain
	}
	return protocol + "://" + account + "." + domain
}

// microsoftDigest is digestKey as a name of metadata may be.
const microsoftDigest = "kcut_sha256"

// request is one for a blob, or with no key for the container. Its name is one step of a path.
func (m *microsoft) request(method, key string, query url.Values, header map[string]string) request {
	u := m.container
	if key != "" {
		u.Path, u.RawPath = u.Path+"/"+key, u.EscapedPath()+"/"+url.PathEscape(key)
	}
	if u.RawQuery != "" && len(query) > 0 {
		u.RawQuery += "&"
	}
	u.RawQuery += query.Encode()
	return request{method: method, url: u, header: header}
}

func (m *microsoft) attributes(ctx context.Context, key string) (attributes, error) {
	answer, err := m.take(ctx, m.request(http.MethodHead, key, nil, nil), nil)
	if err != nil {
		return attributes{}, err
	}
	return microsoftAttributes(answer)
}

func microsoftAttributes(answer *http.Response) (attributes, error) {
	size, err := sizeOf(answer)
	changed, unknown := http.ParseTime(answer.Header.Get("Last-Modified"))
	return attributes{size, changed, version{etag: answer.Header.Get("Etag")}, answer.Header.Get("X-Ms-Meta-" + microsoftDigest)}, errors.Join(err, unknown)
}

func (m *microsoft) read(ctx context.Context, key string, of version, off, n int64) (io.ReadCloser, attributes, error) {
	answer, err := m.do(ctx, m.request(http.MethodGet, key, nil, map[string]string{"X-Ms-Range": rangeOf(off, n), "If-Match": of.etag}))
	if err != nil {
		return nil, attributes{}, err
	}
	return opened(answer, microsoftAttributes)
}

func (m *microsoft) list(ctx context.Context, prefix string, each func(key string, size int64)) error {
	for marker := ""; ; {
		query := url.Values{"restype": {"container"}, "comp": {"list"}, "prefix": {prefix}}
		if marker != "" {
			query.Set("marker", marker)
		}
		var page struct {
			Blobs []struct {
				Name struct {
					Encoded bool   `xml:",attr"` // has what XML may not have
					Text    string `xml:",chardata"`
				}
				Size int64 `xml:"Properties>Content-Length"`
			} `xml:"Blobs>Blob"`
			NextMarker string
		}
		if _, err := m.take(ctx, m.request(http.MethodGet, "", query, nil), &page); err != nil {
			return err
		}
		for _, b := range page.Blobs {
			if b.Name.Encoded {
				name, err := url.PathUnescape(b.Name.Text)
				if err != nil {
					return fmt.Errorf("name in a listing: %w", err)
				}
				b.Name.Text = name
			}
			each(b.Name.Text, b.Size)
		}
		if marker = page.NextMarker; marker == "" {
			return nil
		}
	}
}

func (m *microsoft) remove(ctx context.Context, key string) error {
	_, err := m.take(ctx, m.request(http.MethodDelete, key, nil, nil), nil)
	return err
}

// write sends a blob in one request, or blocks and then their list. Azure holds each against its checksum. Blocks have
// names of this upload alone: of two uploads at a time each lists its own.
func (m *microsoft) write(ctx context.Context, key string, c content) error {
	about := map[string]string{
		"X-Ms-Blob-Content-Type": c.mediaType, "X-Ms-Blob-Content-Md5": base64.StdEncoding.EncodeToString(c.md5), "X-Ms-Meta-" + microsoftDigest: c.digest,
	}
	if c.fresh {
		about["If-None-Match"] = "*"
	}
	if c.size <= c.part {
		body, err := c.piece(make([]byte, c.part), 0)
		if err != nil {
			return err
		}
		about["X-Ms-Blob-Type"] = "BlockBlob"
		return m.put(ctx, key, nil, about, body)
	}
	upload, list := rand.Text(), bytes.NewBufferString("<BlockList>")
	name := func(i int) string { return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%s%06d", upload, i)) }
	err := c.eachPart(func(i int, body []byte) error {
		return m.put(ctx, key, url.Values{"comp": {"block"}, "blockid": {name(i)}}, map[string]string{}, body)
	})
	if err != nil {
		return err
	}
	for i := range c.parts() {
		list.WriteString("<Latest>")
		if err := xml.EscapeText(list, []byte(name(i))); err != nil {
			return err
		}
		list.WriteString("</Latest>")
	}
	list.WriteString("</BlockList>")
	return m.put(ctx, key, url.Values{"comp": {"blocklist"}}, about, list.Bytes())
}

// put sends bytes with their checksum.
func (m *microsoft) put(ctx context.Context, key string, query url.Values, header map[string]string, body []byte) error {
	sum := md5.Sum(body)
	header["Content-Md5"] = base64.StdEncoding.EncodeToString(sum[:])
	q := m.request(http.MethodPut, key, query, header)
	q.body = body
	_, err := m.take(ctx, q, nil)
	return err
}
