package storage

import (
	"context"
	"strings"

	"cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	azure "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // azblob://
	_ "gocloud.dev/blob/gcsblob"   // gs://
	"gocloud.dev/blob/s3blob"
)

// openBucket opens a bucket as the environment says.
func openBucket(ctx context.Context, url string) (*blob.Bucket, error) {
	if name, ok := strings.CutPrefix(url, "s3://"); ok {
		return openS3(ctx, name)
	}
	return blob.OpenBucket(ctx, url)
}

// usualRegion is what stores of one's own are asked for when no region is set: they have one.
const usualRegion = "us-east-1"

// openS3 opens a bucket of S3. At an endpoint of one's own, buckets are directories of a host
// and not hosts: these would need names of their own.
func openS3(ctx context.Context, name string) (*blob.Bucket, error) {
	cfg, err := config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{})) // what matters is in the errors
	if err != nil {
		return nil, err
	}
	client := s3.NewFromConfig(cfg, func(o *s3.Options) {
		if o.BaseEndpoint == nil {
			return
		}
		o.UsePathStyle = true
		if o.Region == "" {
			o.Region = usualRegion
		}
	})
	return s3blob.OpenBucket(ctx, client, name, &s3blob.Options{RequestChecksumCalculation: cfg.RequestChecksumCalculation})
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
		*google = (*google).If(storage.Conditions{GenerationMatch: v.generation})
	}
	return nil
}
