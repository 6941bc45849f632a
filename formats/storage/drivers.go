package storage

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	azure "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
	gax "github.com/googleapis/gax-go/v2"
	"gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/blob/s3blob"

	"github.com/kcut/kcut/formats"
)

// azureScheme begins the URLs of what is in Azure.
const azureScheme = "azblob:"

// openBucket opens a bucket as the environment says, which is read at that time.
func openBucket(ctx context.Context, url string) (*blob.Bucket, error) {
	scheme, name, _ := strings.Cut(url, "://")
	switch scheme {
	case "gs":
		return openGoogle(ctx, name)
	case "azblob":
		url, err := azureblob.NewServiceURL(azureblob.NewDefaultServiceURLOptions())
		if err != nil {
			return nil, err
		}
		client, err := azureblob.NewDefaultClient(url, azureblob.ContainerName(name))
		if err != nil {
			return nil, err
		}
		return azureblob.OpenBucket(ctx, client, nil)
	}
	return openS3(ctx, name)
}

// googlePauses are how long Google's client waits between tries, at most.
var googlePauses = gax.Backoff{Initial: 200 * time.Millisecond, Max: 2 * time.Second, Multiplier: 3}

// openGoogle opens a bucket of Google Cloud Storage. Whatever is done may be done again: what a
// write has left is looked at, and what is removed stays so. Without a number of tries its client
// never gives up, and waits up to half a minute between two.
func openGoogle(ctx context.Context, name string) (*blob.Bucket, error) {
	client, err := storage.NewClient(ctx)
	if err != nil {
		return nil, err
	}
	client.SetRetry(storage.WithPolicy(storage.RetryAlways), storage.WithMaxAttempts(4), storage.WithBackoff(googlePauses))
	return gcsblob.OpenBucket(ctx, nil, name, &gcsblob.Options{Client: client})
}

// openS3 opens a bucket of S3. At an endpoint of one's own, buckets are directories of a host
// and not hosts, which would need names of their own, and there is one region, if none is set.
func openS3(ctx context.Context, name string) (*blob.Bucket, error) {
	cfg, err := config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{})) // what matters is in the errors
	if err != nil {
		return nil, err
	}
	client := s3.NewFromConfig(cfg, func(o *s3.Options) {
		if o.BaseEndpoint != nil {
			o.UsePathStyle, o.Region = true, cmp.Or(o.Region, "us-east-1")
		}
	})
	return s3blob.OpenBucket(ctx, client, name, &s3blob.Options{RequestChecksumCalculation: cfg.RequestChecksumCalculation})
}

// checkName refuses names that the clients of the stores write in a way of their own, so that
// they would find no object of that name, and others none of theirs.
func checkName(url, key string) error {
	letters := ""
	if strings.HasPrefix(url, azureScheme) {
		letters = `"#%?\`
	}
	if strings.ContainsFunc(key, unicode.IsControl) || strings.Contains(key, "../") || strings.ContainsAny(key, letters) {
		return fmt.Errorf("a name with ../, control characters or one of %q: %w", letters, formats.ErrUnsupported)
	}
	return nil
}

// version tells one state of an object from all others.
type version struct {
	etag       string
	generation int64 // of Google's
}

func versionOf(a *blob.Attributes) version {
	v := version{etag: a.ETag}
	var google storage.ObjectAttrs
	if a.As(&google) {
		v.generation = google.Generation
	}
	return v
}

// only makes a read fail with a precondition unless the object still has this version.
func (v version) only(as func(any) bool) error {
	var amazon *s3.GetObjectInput
	var microsoft *azure.DownloadStreamOptions
	var google **storage.ObjectHandle
	switch {
	case as(&amazon):
		amazon.IfMatch = aws.String(v.etag)
	case as(&microsoft):
		etag := azcore.ETag(v.etag)
		microsoft.AccessConditions = &azure.AccessConditions{ModifiedAccessConditions: &azure.ModifiedAccessConditions{IfMatch: &etag}}
	case as(&google):
		*google = (*google).If(storage.Conditions{GenerationMatch: v.generation}).ReadCompressed(true) // as it is stored
	}
	return nil
}

// checkBlocks lets Azure check every block that arrives there.
func checkBlocks(as func(any) bool) error {
	var options *azblob.UploadStreamOptions
	if as(&options) {
		options.TransactionalValidation = azure.TransferValidationTypeComputeCRC64()
	}
	return nil
}
