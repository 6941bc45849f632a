package storage

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/logging"
)

// amazon is a bucket of S3, or of a store with its protocol.
type amazon struct {
	client *s3.Client
	bucket string
}

// openAmazon opens a bucket of S3. At an endpoint that the user sets, buckets are directories of
// the host: hosts for buckets would need DNS names. If the user sets no region, a default is used.
func openAmazon(ctx context.Context, name string) (store, error) {
	// errors contain what matters
	cfg, err := config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{}))
	if err != nil {
		return nil, err
	}
	client := s3.NewFromConfig(cfg, func(o *s3.Options) {
		// Every store with the S3 protocol checks the MD5 sums that write sends. Some support no
		// others.
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
		if o.BaseEndpoint != nil {
			o.UsePathStyle, o.Region = true, cmp.Or(o.Region, "us-east-1")
		}
	})
	options := client.Options()
	if options.Region == "" {
		return nil, errors.New("no region: set AWS_REGION")
	}
	if endpoint := aws.ToString(options.BaseEndpoint); endpoint != "" {
		if u, err := url.Parse(endpoint); err != nil || u.Host == "" {
			return nil, fmt.Errorf("endpoint %q is not a URL", endpoint)
		}
	}
	return &amazon{client, name}, nil
}

func (a *amazon) attributes(ctx context.Context, key string) (attributes, error) {
	o, err := a.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &a.bucket, Key: &key})
	if err != nil {
		return attributes{}, err
	}
	return attributes{value(o.ContentLength), value(o.LastModified), value(o.ETag),
		o.Metadata[digestKey]}, nil
}

func (a *amazon) read(ctx context.Context, key, version string, off, n int64) (io.ReadCloser,
	string, error) {
	o, err := a.client.GetObject(ctx, &s3.GetObjectInput{
		Bucket: &a.bucket, Key: &key, Range: aws.String(rangeOf(off, n)), IfMatch: &version,
	})
	if err != nil {
		return nil, "", err
	}
	return o.Body, value(o.ETag), nil
}

func (a *amazon) list(ctx context.Context, prefix string, each func(key string, size int64)) error {
	pages := s3.NewListObjectsV2Paginator(a.client, &s3.ListObjectsV2Input{
		// XML cannot represent every name
		Bucket: &a.bucket, Prefix: &prefix, EncodingType: types.EncodingTypeUrl,
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, o := range page.Contents {
			key := value(o.Key)
			if page.EncodingType == types.EncodingTypeUrl {
				if key, err = url.QueryUnescape(key); err != nil {
					return fmt.Errorf("name in a listing: %w", err)
				}
			}
			each(key, value(o.Size))
		}
	}
	return nil
}

func (a *amazon) remove(ctx context.Context, key string) error {
	_, err := a.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &a.bucket, Key: &key})
	return err
}

// write sends an object in one request, or in the parts of an upload.
func (a *amazon) write(ctx context.Context, key string, c content) error {
	var condition *string
	if c.fresh {
		condition = aws.String("*")
	}
	metadata := map[string]string{digestKey: c.digest}
	if c.size <= c.part {
		body, err := c.whole()
		if err != nil {
			return err
		}
		_, err = a.client.PutObject(ctx, &s3.PutObjectInput{
			Bucket:      &a.bucket,
			Key:         &key,
			Body:        bytes.NewReader(body),
			ContentMD5:  aws.String(encodedMD5(body)),
			ContentType: &c.mediaType, Metadata: metadata, IfNoneMatch: condition,
		})
		return err
	}
	// an upload can only be aborted by its number, which the answer has
	lasting, end := outlast(ctx)
	defer end()
	begun, err := a.client.CreateMultipartUpload(lasting, &s3.CreateMultipartUploadInput{
		Bucket: &a.bucket, Key: &key, ContentType: &c.mediaType, Metadata: metadata,
	})
	if err != nil {
		return err
	}
	parts, err := a.sendParts(ctx, key, begun.UploadId, c)
	if err == nil {
		_, err = a.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
			Bucket: &a.bucket, Key: &key, UploadId: begun.UploadId, IfNoneMatch: condition,
			MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
		})
	}
	if err == nil {
		return nil
	}
	aborting, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWait)
	defer cancel()
	_, aborted := a.client.AbortMultipartUpload(aborting, &s3.AbortMultipartUploadInput{
		Bucket: &a.bucket, Key: &key, UploadId: begun.UploadId,
	})
	if aborted != nil {
		return fmt.Errorf("%w; its parts are left: %s", err, oneLine(aborted))
	}
	return err
}

// sendParts sends the parts of an upload and returns their list.
func (a *amazon) sendParts(ctx context.Context, key string, id *string,
	c content) ([]types.CompletedPart, error) {
	parts := make([]types.CompletedPart, c.parts())
	err := c.eachPart(func(i int, body []byte) error {
		number := aws.Int32(int32(i + 1))
		sent, err := a.client.UploadPart(ctx, &s3.UploadPartInput{
			Bucket: &a.bucket, Key: &key, UploadId: id, PartNumber: number,
			Body: bytes.NewReader(body), ContentMD5: aws.String(encodedMD5(body)),
		})
		if err == nil {
			parts[i] = types.CompletedPart{ETag: sent.ETag, PartNumber: number}
		}
		return err
	})
	return parts, err
}
