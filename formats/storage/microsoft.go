package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
)

// microsoft is a container of Azure Blob Storage, by its SDK.
type microsoft struct{ container *container.Client }

// openMicrosoft opens a container of the account that the environment names, with a key, a token of
// shared access, a connection string, or as who the program runs.
func openMicrosoft(name string) (store, error) {
	var options container.ClientOptions
	options.Retry = policy.RetryOptions{MaxRetries: 3, RetryDelay: 4 * firstPause, MaxRetryDelay: mostPause}
	connection := cmp.Or(os.Getenv("AZURE_STORAGE_CONNECTION_STRING"), os.Getenv("AZURE_STORAGEBLOB_CONNECTIONSTRING"))
	service, err := microsoftURL(connection)
	if err != nil {
		return nil, err
	}
	at := service.JoinPath(name).String()
	account, key := os.Getenv("AZURE_STORAGE_ACCOUNT"), os.Getenv("AZURE_STORAGE_KEY")
	var client *container.Client
	switch {
	case account != "" && key != "":
		var credential *azblob.SharedKeyCredential
		if credential, err = azblob.NewSharedKeyCredential(account, key); err == nil {
			client, err = container.NewClientWithSharedKeyCredential(at, credential, &options)
		}
	case service.RawQuery != "":
		client, err = container.NewClientWithNoCredential(at, &options)
	case connection != "":
		client, err = container.NewClientFromConnectionString(connection, name, &options)
	default:
		var identity *azidentity.DefaultAzureCredential
		if identity, err = azidentity.NewDefaultAzureCredential(nil); err == nil {
			client, err = container.NewClient(at, identity, &options)
		}
	}
	return &microsoft{client}, err
}

// microsoftDomain is that of accounts, if no other is set.
const microsoftDomain = "blob.core.windows.net"

// microsoftURL is where an account is, with its token of shared access. An emulator has accounts as directories.
func microsoftURL(connection string) (*url.URL, error) {
	settings := make(map[string]string)
	for setting := range strings.SplitSeq(connection, ";") {
		name, value, _ := strings.Cut(setting, "=")
		settings[name] = value
	}
	account := cmp.Or(os.Getenv("AZURE_STORAGE_ACCOUNT"), settings["AccountName"])
	domain := cmp.Or(os.Getenv("AZURE_STORAGE_DOMAIN"), microsoftDomain)
	protocol := cmp.Or(os.Getenv("AZURE_STORAGE_PROTOCOL"), settings["DefaultEndpointsProtocol"], "https")
	switch {
	case account == "":
		return nil, errors.New("no account: set AZURE_STORAGE_ACCOUNT")
	case protocol != "http" && protocol != "https":
		return nil, fmt.Errorf("invalid protocol %q", protocol)
	}
	emulator, _ := strconv.ParseBool(os.Getenv("AZURE_STORAGE_IS_LOCAL_EMULATOR"))
	network, _ := strconv.ParseBool(os.Getenv("AZURE_STORAGE_IS_CDN"))
	at := protocol + "://" + account + "." + domain
	switch {
	case emulator || strings.HasPrefix(domain, "127.0.0.1") || strings.HasPrefix(domain, "localhost"):
		at = protocol + "://" + domain + "/" + account
	case network:
		at = protocol + "://" + domain
	}
	u, err := url.Parse(at)
	if err == nil {
		u.RawQuery = strings.TrimPrefix(os.Getenv("AZURE_STORAGE_SAS_TOKEN"), "?")
	}
	return u, err
}

// microsoftDigest is digestKey as a name of metadata may be.
const microsoftDigest = "kcut_sha256"

func (m *microsoft) attributes(ctx context.Context, key string) (attributes, error) {
	p, err := m.container.NewBlobClient(key).GetProperties(ctx, nil)
	if err != nil {
		return attributes{}, err
	}
	a := attributes{size: value(p.ContentLength), changed: value(p.LastModified), version: version{etag: string(value(p.ETag))}}
	for name, text := range p.Metadata { // whose letters HTTP makes large or small
		if strings.EqualFold(name, microsoftDigest) {
			a.digest = value(text)
		}
	}
	return a, nil
}

func (m *microsoft) read(ctx context.Context, key string, of version, off, n int64) (io.ReadCloser, attributes, error) {
	etag := azcore.ETag(of.etag)
	r, err := m.container.NewBlobClient(key).DownloadStream(ctx, &blob.DownloadStreamOptions{
		Range:            blob.HTTPRange{Offset: off, Count: n},
		AccessConditions: &blob.AccessConditions{ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfMatch: &etag}},
	})
	if err != nil {
		return nil, attributes{}, err
	}
	a := attributes{size: value(r.ContentLength), changed: value(r.LastModified), version: version{etag: string(value(r.ETag))}}
	if _, whole, ok := strings.Cut(value(r.ContentRange), "/"); ok {
		if a.size, err = strconv.ParseInt(whole, 10, 64); err != nil {
			return nil, a, errors.Join(fmt.Errorf("size of an object: %w", err), r.Body.Close())
		}
	}
	return r.Body, a, nil
}

func (m *microsoft) list(ctx context.Context, prefix string, each func(key string, size int64)) error {
	for pages := m.container.NewListBlobsFlatPager(&container.ListBlobsFlatOptions{Prefix: &prefix}); pages.More(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, item := range page.Segment.BlobItems {
			each(value(item.Name), value(item.Properties.ContentLength))
		}
	}
	return nil
}

func (m *microsoft) remove(ctx context.Context, key string) error {
	_, err := m.container.NewBlobClient(key).Delete(ctx, nil)
	return err
}

// write sends an object in blocks, each of which Azure checks when it arrives.
func (m *microsoft) write(ctx context.Context, key string, c content) error {
	options := azblob.UploadStreamOptions{
		BlockSize: c.part, Concurrency: partsAtOnce, TransactionalValidation: blob.TransferValidationTypeComputeCRC64(),
		HTTPHeaders: &blob.HTTPHeaders{BlobContentType: &c.mediaType}, Metadata: map[string]*string{microsoftDigest: &c.digest},
	}
	if c.fresh {
		none := azcore.ETagAny
		options.AccessConditions = &blob.AccessConditions{ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfNoneMatch: &none}}
	}
	_, err := m.container.NewBlockBlobClient(key).UploadStream(ctx, io.NewSectionReader(c, 0, c.size), &options)
	return err
}

// value is what a pointer points to, or nothing.
func value[T string | int64 | time.Time | azcore.ETag](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
