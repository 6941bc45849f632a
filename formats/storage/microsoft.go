package storage

import (
	"bytes"
	"cmp"
	"context"
	"crypto/md5"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
)

// microsoft is a container of Azure Blob Storage.
type microsoft struct{ container *container.Client }

// openMicrosoft opens a container of the account in the environment, with a key, a shared access
// token, a connection string, or the identity of the program. A key or a token precedes a
// connection string.
func openMicrosoft(name string) (store, error) {
	var options container.ClientOptions
	options.Retry = policy.RetryOptions{
		MaxRetries:    3,
		RetryDelay:    firstPause,
		MaxRetryDelay: mostPause,
	}
	options.Transport = &http.Client{Transport: newTransport()}
	account, key, token := os.Getenv("AZURE_STORAGE_ACCOUNT"), os.Getenv("AZURE_STORAGE_KEY"),
		os.Getenv("AZURE_STORAGE_SAS_TOKEN")
	connection := cmp.Or(os.Getenv("AZURE_STORAGE_CONNECTION_STRING"),
		os.Getenv("AZURE_STORAGEBLOB_CONNECTIONSTRING"))
	if connection != "" && token == "" && (account == "" || key == "") {
		client, err := container.NewClientFromConnectionString(connection, name, &options)
		return &microsoft{client}, err
	}
	service, err := microsoftURL(account)
	if err != nil {
		return nil, err
	}
	service = service.JoinPath(name)
	var client *container.Client
	switch {
	case key != "":
		var credential *container.SharedKeyCredential
		if credential, err = container.NewSharedKeyCredential(account, key); err == nil {
			client, err = container.NewClientWithSharedKeyCredential(service.String(), credential,
				&options)
		}
	case token != "":
		service.RawQuery = strings.TrimPrefix(token, "?")
		client, err = container.NewClientWithNoCredential(service.String(), &options)
	default:
		var identity *azidentity.DefaultAzureCredential
		if identity, err = azidentity.NewDefaultAzureCredential(nil); err == nil {
			client, err = container.NewClient(service.String(), identity, &options)
		}
	}
	return &microsoft{client}, err
}

// microsoftDomain is the domain of accounts if the user sets no other.
const microsoftDomain = "blob.core.windows.net"

// microsoftURL returns the address of an account. At an emulator accounts are directories.
func microsoftURL(account string) (*url.URL, error) {
	domain := cmp.Or(os.Getenv("AZURE_STORAGE_DOMAIN"), microsoftDomain)
	protocol := cmp.Or(os.Getenv("AZURE_STORAGE_PROTOCOL"), "https")
	emulator, _ := strconv.ParseBool(os.Getenv("AZURE_STORAGE_IS_LOCAL_EMULATOR"))
	network, _ := strconv.ParseBool(os.Getenv("AZURE_STORAGE_IS_CDN"))
	switch {
	case account == "":
		return nil, errors.New("no account: set AZURE_STORAGE_ACCOUNT")
	case protocol != "http" && protocol != "https":
		return nil, fmt.Errorf("invalid protocol %q", protocol)
	case emulator || strings.HasPrefix(domain, "127.0.0.1") ||
		strings.HasPrefix(domain, "localhost"):
		return url.Parse(protocol + "://" + domain + "/" + account)
	case network:
		return url.Parse(protocol + "://" + domain)
	}
	return url.Parse(protocol + "://" + account + "." + domain)
}

// microsoftDigest is digestKey in characters that names of metadata allow.
const microsoftDigest = "kcut_sha256"

func (m *microsoft) attributes(ctx context.Context, key string) (attributes, error) {
	p, err := m.container.NewBlobClient(key).GetProperties(ctx, nil)
	if err != nil {
		return attributes{}, err
	}
	a := attributes{
		size:    value(p.ContentLength),
		changed: value(p.LastModified),
		version: string(value(p.ETag)),
	}
	for name, text := range p.Metadata {
		if strings.EqualFold(name, microsoftDigest) { // HTTP changes the case of names
			a.digest = value(text)
		}
	}
	return a, nil
}

func (m *microsoft) read(ctx context.Context, key, version string, off, n int64) (io.ReadCloser,
	string, error) {
	etag := azcore.ETag(version)
	r, err := m.container.NewBlobClient(key).DownloadStream(ctx, &blob.DownloadStreamOptions{
		Range: blob.HTTPRange{Offset: off, Count: n},
		AccessConditions: &blob.AccessConditions{
			ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfMatch: &etag},
		},
	})
	if err != nil {
		return nil, "", err
	}
	return r.Body, string(value(r.ETag)), nil
}

func (m *microsoft) list(ctx context.Context, prefix string,
	each func(key string, size int64)) error {
	pages := m.container.NewListBlobsFlatPager(&container.ListBlobsFlatOptions{Prefix: &prefix})
	for pages.More() {
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

// write sends a blob in one request, or in blocks and then their list. Azure checks each against
// its MD5 sum. The names of blocks are unique to this upload, so that two simultaneous uploads do
// not mix.
func (m *microsoft) write(ctx context.Context, key string, c content) error {
	client := m.container.NewBlockBlobClient(key)
	headers := &blob.HTTPHeaders{BlobContentType: &c.mediaType, BlobContentMD5: c.md5}
	metadata := map[string]*string{microsoftDigest: &c.digest}
	var condition *blob.AccessConditions
	if c.fresh {
		none := azcore.ETagAny
		condition = &blob.AccessConditions{
			ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfNoneMatch: &none},
		}
	}
	if c.size <= c.part {
		body, err := c.whole()
		if err != nil {
			return err
		}
		_, err = client.Upload(ctx, streaming.NopCloser(bytes.NewReader(body)),
			&blockblob.UploadOptions{
				HTTPHeaders:             headers,
				Metadata:                metadata,
				AccessConditions:        condition,
				TransactionalValidation: blob.TransferValidationTypeMD5(c.md5),
			})
		return err
	}
	upload, names := rand.Text(), make([]string, c.parts())
	err := c.eachPart(func(i int, body []byte) error {
		names[i] = base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%s%06d", upload, i))
		sum := md5.Sum(body)
		_, err := client.StageBlock(ctx, names[i], streaming.NopCloser(bytes.NewReader(body)),
			&blockblob.StageBlockOptions{
				TransactionalValidation: blob.TransferValidationTypeMD5(sum[:]),
			})
		return err
	})
	if err != nil {
		return err
	}
	_, err = client.CommitBlockList(ctx, names, &blockblob.CommitBlockListOptions{
		HTTPHeaders: headers, Metadata: metadata, AccessConditions: condition,
	})
	return err
}
