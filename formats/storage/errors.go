package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	"gocloud.dev/gcerrors"
	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
)

var (
	// ErrDenied is returned when a store refuses what was asked of it: the credentials are
	// wrong, out of date, or not allowed to.
	ErrDenied = fault.New(fault.Input, "access denied")
	// ErrUnavailable is returned when a store or the way to it fails, also after some tries.
	ErrUnavailable = fault.New(fault.Transient, "object store unavailable")
	// ErrChanged is returned when an object is not the one any more that was opened.
	ErrChanged = fmt.Errorf("file changed while it was in use: %w", formats.ErrDamaged)
)

// explain makes an error of a store one of this package. The store's own is only told: a
// deadline of a connection in it is not that of the run.
func explain(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	kind := ErrUnavailable
	switch code := gcerrors.Code(err); {
	case code == gcerrors.PermissionDenied, isDenied(err):
		kind = ErrDenied
	case code == gcerrors.NotFound:
		kind = fs.ErrNotExist
	case code == gcerrors.FailedPrecondition, code == gcerrors.AlreadyExists:
		kind = ErrChanged
	case code == gcerrors.InvalidArgument, code == gcerrors.Unimplemented:
		kind = formats.ErrUnsupported
	}
	return fmt.Errorf("%w: %s", kind, oneLine(err))
}

// deniedCodes are those of S3 that gocloud.dev does not know for a refusal.
var deniedCodes = map[string]bool{
	"InvalidAccessKeyId": true, "SignatureDoesNotMatch": true, "ExpiredToken": true, "InvalidToken": true, "TokenRefreshRequired": true,
	"AccountProblem": true, "AllAccessDisabled": true,
}

// isDenied knows the refusals that gocloud.dev takes for something else: of Google's, that the
// object is missing, of most others that nothing is known of them.
func isDenied(err error) bool {
	var code smithy.APIError
	var final interface{ NonRetriable() } // credentials of Azure that are missing or refused
	if errors.As(err, &code) && deniedCodes[code.ErrorCode()] || errors.As(err, &final) {
		return true
	}
	var amazon *awshttp.ResponseError
	var microsoft *azcore.ResponseError
	var google *googleapi.Error
	var token *oauth2.RetrieveError // of Google's accounts
	status := 0
	switch {
	case errors.As(err, &amazon):
		status = amazon.HTTPStatusCode()
	case errors.As(err, &microsoft):
		status = microsoft.StatusCode
	case errors.As(err, &google):
		status = google.Code
	case errors.As(err, &token) && token.ErrorCode == "invalid_grant":
		return true
	case errors.As(err, &token) && token.Response != nil:
		status = token.Response.StatusCode
	}
	return status == http.StatusForbidden || status == http.StatusUnauthorized
}

// oneLine is an error's text on one line of bearable length.
func oneLine(err error) string {
	const longest = 300
	text := strings.Join(strings.Fields(err.Error()), " ")
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + " …"
	}
	return text
}
