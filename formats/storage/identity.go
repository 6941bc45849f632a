package storage

import (
	"cmp"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/pkcs12"
)

// identity is who the program is to Microsoft Entra ID: the first of its sources that has an answer.
type identity struct {
	client  client
	mu      sync.Mutex
	sources []identitySource
	value   string
	until   time.Time // the token is used
}

// identitySource is a way to a token.
type identitySource struct {
	name  string // in AZURE_TOKEN_CREDENTIALS
	group string
	token func(ctx context.Context, c *client) (*accessToken, error)
}

// identitySources are tried in this order, which is that of Microsoft's own clients.
var identitySources = []identitySource{
	{"EnvironmentCredential", "prod", environmentToken},
	{"WorkloadIdentityCredential", "prod", workloadToken},
	{"ManagedIdentityCredential", "prod", managedToken},
	{"AzureCLICredential", "dev", commandToken("az", "account", "get-access-token", "-o", "json", "--resource", microsoftResource)},
	{"AzureDeveloperCLICredential", "dev", commandToken("azd", "auth", "token", "-o", "json", "--no-prompt", "--scope", microsoftResource+"/.default")},
}

// microsoftResource is what tokens are for.
const microsoftResource = "https://storage.azure.com"

var (
	// errNoSource is returned by a source that is not set up.
	errNoSource = errors.New("not set up")
	// errIdentity is returned when nobody says who the program is, or he is refused.
	errIdentity = errors.New("no identity")
)

// newIdentity returns the identity that the environment chooses.
func newIdentity() (*identity, error) {
	i := &identity{client: client{http: http.DefaultClient, tries: 4}, sources: identitySources}
	if chosen := os.Getenv("AZURE_TOKEN_CREDENTIALS"); chosen != "" {
		i.sources = slices.DeleteFunc(slices.Clone(i.sources), func(s identitySource) bool {
			return s.group != chosen && !strings.EqualFold(s.name, chosen)
		})
		if len(i.sources) == 0 {
			return nil, fmt.Errorf("AZURE_TOKEN_CREDENTIALS is %q, which is not known", chosen)
		}
	}
	return i, nil
}

// accessToken is an answer with a token. It says in one of several ways how long it is good.
type accessToken struct {
	Token       string
	AccessToken string      `json:"access_token"`
	CLIToken    string      `json:"accessToken"`
	ExpiresIn   json.Number `json:"expires_in"`
	ExpiresOn   json.Number `json:"expires_on"`
	CLIExpires  string      `json:"expiresOn"`
}

// until is when the token ends, or soon where that is not said.
func (t *accessToken) until() time.Time {
	if seconds, err := t.ExpiresOn.Int64(); err == nil {
		return time.Unix(seconds, 0)
	}
	if seconds, err := t.ExpiresIn.Int64(); err == nil {
		return time.Now().Add(time.Duration(seconds) * time.Second)
	}
	if when, err := time.Parse(time.RFC3339, t.CLIExpires); err == nil {
		return when
	}
	return time.Now().Add(2 * renewBefore)
}

// renewBefore is how long before its end a token is not used any more.
const renewBefore = 5 * time.Minute

// token returns a token that is good for some minutes. The source of the first one gives all.
func (i *identity) token(ctx context.Context) (string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if time.Now().Before(i.until) {
		return i.value, nil
	}
	why := make([]error, 0, len(i.sources))
	for _, s := range i.sources {
		t, err := s.token(ctx, &i.client)
		if errors.Is(err, errNoSource) {
			why = append(why, fmt.Errorf("%s: %w", s.name, err))
			continue
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", s.name, refused(err))
		}
		i.value, i.until, i.sources = cmp.Or(t.AccessToken, t.CLIToken, t.Token), t.until().Add(-renewBefore), []identitySource{s}
		return i.value, nil
	}
	return "", fmt.Errorf("%w: %w", errIdentity, errors.Join(why...))
}

// refused makes an answer of who gives tokens that another try will not change errIdentity.
func refused(err error) error {
	var r *refusal
	if errors.As(err, &r) && !mayPass(err) {
		return fmt.Errorf("%w: %w", errIdentity, err)
	}
	return err
}

// ask asks for a token.
func ask(ctx context.Context, c *client, q request) (*accessToken, error) {
	var t accessToken
	if _, err := c.take(ctx, q, &t); err != nil {
		return nil, err
	}
	if t.AccessToken == "" {
		return nil, fmt.Errorf("%w: an answer without a token", errIdentity)
	}
	return &t, nil
}

// entraURL is where a tenant's tokens are given.
func entraURL() (*url.URL, error) {
	host := cmp.Or(os.Getenv("AZURE_AUTHORITY_HOST"), "https://login.microsoftonline.com")
	u, err := url.Parse(host)
	if err != nil {
		return nil, fmt.Errorf("AZURE_AUTHORITY_HOST: %w", err)
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + "/" + os.Getenv("AZURE_TENANT_ID") + "/oauth2/v2.0/token"
	return u, nil
}

// askEntra asks with what a client knows.
func askEntra(ctx context.Context, c *client, form url.Values) (*accessToken, error) {
	u, err := entraURL()
	if err != nil {
		return nil, err
	}
	form.Set("client_id", os.Getenv("AZURE_CLIENT_ID"))
	form.Set("scope", microsoftResource+"/.default")
	if form.Get("grant_type") == "" {
		form.Set("grant_type", "client_credentials")
	}
	if form.Get("client_assertion") != "" {
		form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
	}
	return ask(ctx, c, postForm(*u, form, nil))
}

func postForm(u url.URL, form url.Values, header map[string]string) request {
	all := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	for name, value := range header {
		all[name] = value
	}
	return request{method: http.MethodPost, url: u, header: all, body: []byte(form.Encode())}
}

// environmentToken is that of a client with a secret or a certificate, or of a user with a password.
func environmentToken(ctx context.Context, c *client) (*accessToken, error) {
	secret, certificate, user := os.Getenv("AZURE_CLIENT_SECRET"), os.Getenv("AZURE_CLIENT_CERTIFICATE_PATH"), os.Getenv("AZURE_USERNAME")
	switch {
	case os.Getenv("AZURE_TENANT_ID") == "" || os.Getenv("AZURE_CLIENT_ID") == "":
		return nil, fmt.Errorf("%w: AZURE_TENANT_ID and AZURE_CLIENT_ID", errNoSource)
	case secret != "":
		return askEntra(ctx, c, url.Values{"client_secret": {secret}})
	case certificate != "":
		assertion, err := assert(certificate)
		if err != nil {
			return nil, fmt.Errorf("%w: AZURE_CLIENT_CERTIFICATE_PATH: %w", errIdentity, err)
		}
		return askEntra(ctx, c, url.Values{"client_assertion": {assertion}})
	case user != "":
		return askEntra(ctx, c, url.Values{"grant_type": {"password"}, "username": {user}, "password": {os.Getenv("AZURE_PASSWORD")}})
	}
	return nil, fmt.Errorf("%w: no secret, certificate or user", errNoSource)
}

// workloadToken is that of a pod, whose own token is in a file.
func workloadToken(ctx context.Context, c *client) (*accessToken, error) {
	file := os.Getenv("AZURE_FEDERATED_TOKEN_FILE")
	if file == "" {
		return nil, fmt.Errorf("%w: AZURE_FEDERATED_TOKEN_FILE", errNoSource)
	}
	assertion, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w: AZURE_FEDERATED_TOKEN_FILE: %w", errIdentity, err)
	}
	return askEntra(ctx, c, url.Values{"client_assertion": {strings.TrimSpace(string(assertion))}})
}

// assert signs that the program is the client of a certificate, which is in a file of PEM or PKCS #12 with its key.
func assert(file string) (string, error) {
	blocks, err := readPEM(file)
	if err != nil {
		return "", err
	}
	var key *rsa.PrivateKey
	var chain [][]byte
	for _, block := range blocks {
		if strings.HasSuffix(block.Type, "CERTIFICATE") {
			chain = append(chain, block.Bytes)
		} else if parsed, err := parseKey(block.Bytes); err == nil {
			key, _ = parsed.(*rsa.PrivateKey)
		}
	}
	if key == nil || len(chain) == 0 {
		return "", errors.New("no RSA key with its certificate")
	}
	audience, err := entraURL()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(chain[0])
	header := map[string]any{"alg": "PS256", "typ": "JWT", "x5t#S256": base64.RawURLEncoding.EncodeToString(sum[:])}
	if send := strings.ToLower(os.Getenv("AZURE_CLIENT_SEND_CERTIFICATE_CHAIN")); send == "1" || send == "true" {
		header["x5c"] = chain // bytes are base64 in JSON
	}
	now, client := time.Now(), os.Getenv("AZURE_CLIENT_ID")
	text := ""
	for _, part := range []map[string]any{header, {
		"aud": audience.String(), "iss": client, "sub": client, "jti": rand.Text(), "nbf": now.Unix(), "exp": now.Add(10 * time.Minute).Unix(),
	}} {
		encoded, err := json.Marshal(part)
		if err != nil {
			return "", err
		}
		text += base64.RawURLEncoding.EncodeToString(encoded) + "."
	}
	text = strings.TrimSuffix(text, ".")
	sum = sha256.Sum256([]byte(text))
	signature, err := rsa.SignPSS(rand.Reader, key, crypto.SHA256, sum[:], &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash})
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), err
}

// readPEM returns the blocks of a file.
func readPEM(file string) (blocks []*pem.Block, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		blocks = append(blocks, block)
	}
	if len(blocks) == 0 {
		return pkcs12.ToPEM(data, os.Getenv("AZURE_CLIENT_CERTIFICATE_PASSWORD"))
	}
	return blocks, nil
}

func parseKey(der []byte) (any, error) {
	if key, err := x509.ParsePKCS1PrivateKey(der); err == nil {
		return key, nil
	}
	return x509.ParsePKCS8PrivateKey(der)
}

// metadataHost answers machines in Azure, and nobody else.
const metadataHost = "http://169.254.169.254"

// metadataWait is how long it may take to answer: elsewhere there is nobody.
const metadataWait = time.Second

// managedToken is that of a machine, an app or a notebook in Azure, or of one that Azure Arc manages.
func managedToken(ctx context.Context, c *client) (*accessToken, error) {
	endpoint, header, legacy, secret := os.Getenv("IDENTITY_ENDPOINT"), os.Getenv("IDENTITY_HEADER"), os.Getenv("MSI_ENDPOINT"), os.Getenv("MSI_SECRET")
	client := os.Getenv("AZURE_CLIENT_ID")
	metadata := map[string]string{"Metadata": "true"}
	switch {
	case endpoint != "" && header != "":
		return askManaged(ctx, c, endpoint, "2019-08-01", "client_id", client, map[string]string{"X-Identity-Header": header})
	case legacy != "" && secret != "":
		client = cmp.Or(client, os.Getenv("DEFAULT_IDENTITY_CLIENT_ID"))
		return askManaged(ctx, c, legacy, "2017-09-01", "clientid", client, map[string]string{"Secret": secret})
	case legacy != "":
		u, err := url.Parse(legacy)
		if err != nil {
			return nil, fmt.Errorf("MSI_ENDPOINT: %w", err)
		}
		return ask(ctx, c, postForm(*u, url.Values{"resource": {microsoftResource}}, metadata))
	case endpoint != "" && os.Getenv("IMDS_ENDPOINT") != "":
		return arcToken(ctx, c, endpoint)
	}
	if _, err := os.Stat(arcAgent); err == nil {
		return arcToken(ctx, c, "http://127.0.0.1:40342/metadata/identity/oauth2/token")
	}
	return machineToken(ctx, c, client, metadata)
}

// machineToken is that of a machine, from its service of metadata, if there is one.
func machineToken(ctx context.Context, c *client, client string, metadata map[string]string) (*accessToken, error) {
	host := cmp.Or(os.Getenv("AZURE_POD_IDENTITY_AUTHORITY_HOST"), metadataHost)
	probing, cancel := context.WithTimeout(ctx, metadataWait)
	defer cancel()
	r, err := http.NewRequestWithContext(probing, http.MethodGet, host+"/metadata/identity/oauth2/token", nil)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, errors.Join(ctx.Err(), fmt.Errorf("%w: no service of metadata", errNoSource))
	}
	answer.Body.Close()
	t, err := askManaged(ctx, c, host+"/metadata/identity/oauth2/token", "2018-02-01", "client_id", client, metadata)
	var why *refusal
	if errors.As(err, &why) && why.status == http.StatusBadRequest && client == "" {
		return nil, fmt.Errorf("%w: the machine has no identity", errNoSource)
	}
	return t, err
}

func askManaged(ctx context.Context, c *client, endpoint, version, name, client string, header map[string]string) (*accessToken, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, fmt.Errorf("endpoint of the identity: %w", err)
	}
	query := u.Query()
	query.Set("api-version", version)
	query.Set("resource", microsoftResource)
	if client != "" {
		query.Set(name, client)
	}
	u.RawQuery = query.Encode()
	return ask(ctx, c, request{method: http.MethodGet, url: *u, header: header})
}

// arcAgent is there on machines that Azure Arc manages; arcTokens is where it leaves secrets for those who may read them.
var arcAgent, arcTokens = "/opt/azcmagent/bin/himds", "/var/opt/azcmagent/tokens"

// arcToken answers with what is in the file that the agent names.
func arcToken(ctx context.Context, c *client, endpoint string) (*accessToken, error) {
	header := map[string]string{"Metadata": "true"}
	_, err := askManaged(ctx, c, endpoint, "2020-06-01", "", "", header)
	var why *refusal
	if !errors.As(err, &why) || why.status != http.StatusUnauthorized {
		return nil, fmt.Errorf("%w: Azure Arc does not ask for its secret: %w", errIdentity, err)
	}
	_, file, _ := strings.Cut(why.challenge, "=")
	if filepath.Dir(file) != arcTokens || filepath.Ext(file) != ".key" {
		return nil, fmt.Errorf("%w: Azure Arc names a file elsewhere", errIdentity)
	}
	secret, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w: the secret of Azure Arc: %w", errIdentity, err)
	}
	header["Authorization"] = "Basic " + string(secret)
	return askManaged(ctx, c, endpoint, "2020-06-01", "", "", header)
}

// commandToken is that of who has logged in with a command.
func commandToken(name string, args ...string) func(context.Context, *client) (*accessToken, error) {
	const wait = 10 * time.Second
	return func(ctx context.Context, _ *client) (*accessToken, error) {
		path, err := exec.LookPath(name)
		if err != nil {
			return nil, fmt.Errorf("%w: no %s", errNoSource, name)
		}
		ctx, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		if tenant := os.Getenv("AZURE_TENANT_ID"); tenant != "" && name == "az" {
			args = append(slices.Clone(args), "--tenant", tenant)
		}
		out, err := exec.CommandContext(ctx, path, args...).Output()
		var t accessToken
		if err == nil {
			err = json.Unmarshal(out, &t)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", errNoSource, name, err)
		}
		return &t, nil
	}
}
