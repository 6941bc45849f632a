package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strings"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	"golang.org/x/oauth2"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
)

var (
	// ErrDenied is returned when a store refuses what was asked of it: the credentials are
	// wrong, out of date, or not allowed to.
	ErrDenied = fault.New(fault.Input, "look at the credentials in the environment and what they may do", "access denied")
	// ErrUnavailable is returned when a store or the way to it fails, also after some tries.
	ErrUnavailable = fault.New(fault.Transient, "", "object store unavailable")
	// ErrChanged is returned when an object is not the one any more that was opened.
	ErrChanged = fault.Errorf(fault.Input, "run again when nobody writes to the input", "file changed while it was in use: %w", formats.ErrDamaged)
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
	switch status, code := statusOf(err); {
	case isDenied(err):
		kind = ErrDenied
	case status == http.StatusNotFound, isNoAccount(err):
		kind = fs.ErrNotExist
	case status == http.StatusPreconditionFailed, code == "BlobAlreadyExists":
		kind = ErrChanged
	case status == http.StatusNotImplemented, status == http.StatusBadRequest && !passingCodes[code], status == http.StatusMovedPermanently:
		kind = formats.ErrUnsupported
	}
	return fmt.Errorf("%w: %s", kind, oneLine(err))
}

// statusOf returns the status and the word with which a service has refused what was asked of it.
func statusOf(err error) (status int, code string) {
	var own *refusal
	var amazon *awshttp.ResponseError // of credentials
	var token *oauth2.RetrieveError   // of Google's accounts
	switch {
	case errors.As(err, &own):
		return own.status, own.Code
	case errors.As(err, &amazon):
		return amazon.HTTPStatusCode(), ""
	case errors.As(err, &token) && token.Response != nil:
		return token.Response.StatusCode, token.ErrorCode
	}
	return 0, ""
}

// isNoAccount reports whether there is no host of a name of Azure's accounts.
func isNoAccount(err error) bool {
	var lookup *net.DNSError
	return errors.As(err, &lookup) && lookup.IsNotFound && strings.HasSuffix(lookup.Name, microsoftDomain)
}

// deniedCodes are refusals that have another status than others: S3's, and Google's of its accounts.
var deniedCodes = map[string]bool{
	"InvalidAccessKeyId": true, "SignatureDoesNotMatch": true, "ExpiredToken": true, "InvalidToken": true, "TokenRefreshRequired": true,
	"AccountProblem": true, "AllAccessDisabled": true, "invalid_grant": true,
}

// isDenied reports whether an error is a refusal of the user, and not of what was asked.
func isDenied(err error) bool {
	var amazon smithy.APIError // of a service that gives credentials
	status, code := statusOf(err)
	return errors.Is(err, errIdentity) || errors.As(err, &amazon) && deniedCodes[amazon.ErrorCode()] || deniedCodes[code] ||
		status == http.StatusForbidden || status == http.StatusUnauthorized
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
