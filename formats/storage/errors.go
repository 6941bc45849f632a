package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"regexp"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
)

var (
	// ErrDenied is returned when a store denies a request: the credentials are wrong, expired, or
	// insufficient.
	ErrDenied = fault.New(fault.Input, "look at the credentials in the environment and what they "+
		"may do", "access denied")
	// ErrUnavailable is returned when a store or the connection to it fails, after some tries.
	ErrUnavailable = fault.New(fault.Transient, "", "object store unavailable")
	// ErrChanged is returned when an object has changed since it was opened.
	ErrChanged = fault.Errorf(fault.Input, "run again when nobody writes to the input",
		"file changed while it was in use: %w", formats.ErrDamaged)
)

// explain turns an error of a store into one of this package. It includes the store's own error
// only as text: a deadline of a connection in it is not that of the run.
func explain(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	kind := ErrUnavailable
	switch status, code := statusOf(err); {
	case isDenied(err):
		kind = ErrDenied
	case status == http.StatusNotFound, isNoAccount(err):
		kind = fs.ErrNotExist
	case status == http.StatusPreconditionFailed, code == "BlobAlreadyExists":
		kind = ErrChanged
	case status == http.StatusNotImplemented, status == http.StatusBadRequest &&
		!passingCodes[code], status == http.StatusMovedPermanently:
		kind = formats.ErrUnsupported
	}
	return fmt.Errorf("%w: %s", kind, oneLine(err))
}

// statusOf returns the status and the code with which a service has refused a request.
func statusOf(err error) (status int, code string) {
	var amazon *awshttp.ResponseError
	var google *googleapi.Error
	var microsoft *azcore.ResponseError
	var token *oauth2.RetrieveError // of Google's accounts
	switch {
	case errors.As(err, &amazon):
		var answer smithy.APIError
		if errors.As(err, &answer) {
			code = answer.ErrorCode()
		}
		return amazon.HTTPStatusCode(), code
	case errors.As(err, &google):
		return google.Code, ""
	case errors.As(err, &microsoft):
		return microsoft.StatusCode, microsoft.ErrorCode
	case errors.As(err, &token) && token.Response != nil:
		// OAuth refuses an account in this way
		if status = token.Response.StatusCode; status == http.StatusBadRequest {
			status = http.StatusUnauthorized
		}
		return status, ""
	}
	return 0, ""
}

// isNoAccount reports whether an Azure account has no host.
func isNoAccount(err error) bool {
	var lookup *net.DNSError
	return errors.As(err, &lookup) && lookup.IsNotFound &&
		strings.HasSuffix(lookup.Name, microsoftDomain)
}

// deniedCodes are S3's refusals of the user whose status is neither 401 nor 403.
var deniedCodes = map[string]bool{
	"InvalidAccessKeyId": true, "SignatureDoesNotMatch": true, "ExpiredToken": true,
	"InvalidToken": true, "TokenRefreshRequired": true,
	"AccountProblem": true, "AllAccessDisabled": true,
}

// passingCodes are codes of S3 and Azure for a bad request that may succeed at another time.
var passingCodes = map[string]bool{
	"RequestTimeout": true, "BadDigest": true, "IncompleteBody": true,
	"XAmzContentSHA256Mismatch": true, "Md5Mismatch": true,
}

// isDenied reports whether a service refuses the user, whatever he requests.
func isDenied(err error) bool {
	var final interface{ NonRetriable() } // Azure has no credentials, or refuses them
	status, code := statusOf(err)
	return errors.As(err, &final) || deniedCodes[code] || status == http.StatusForbidden ||
		status == http.StatusUnauthorized
}

// noise is the part of clients' errors that users need not see: the lines that Azure's errors draw,
// and queries of URLs, which may hold a token.
var noise = regexp.MustCompile(`(://[^\s"?]*)\?[^\s"]*| -{5,}`)

// oneLine returns an error's text on one line of limited length.
func oneLine(err error) string {
	const longest = 300
	text := noise.ReplaceAllString(strings.Join(strings.Fields(err.Error()), " "), "$1")
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + " …"
	}
	var amazon *awshttp.ResponseError
	if errors.As(err, &amazon) && amazon.HTTPStatusCode() < http.StatusForbidden {
		if region := amazon.Response.Header.Get("X-Amz-Bucket-Region"); region != "" {
			text += "; the bucket is in the region " + region
		}
	}
	return text
}
