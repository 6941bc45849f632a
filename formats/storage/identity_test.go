package storage

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tokenServer gives tokens to those who ask as they should.
type tokenServer struct {
	*httptest.Server
	asked int
	good  func(r *http.Request) bool // of the request for a token
	life  int                        // seconds
}

func newTokenServer(t *testing.T) *tokenServer {
	s := &tokenServer{life: 3600}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	arcAgent, arcTokens = filepath.Join(t.TempDir(), "himds"), t.TempDir()
	for _, name := range []string{
		"TENANT_ID", "CLIENT_ID", "CLIENT_SECRET", "CLIENT_CERTIFICATE_PATH", "CLIENT_CERTIFICATE_PASSWORD", "CLIENT_SEND_CERTIFICATE_CHAIN",
		"USERNAME", "PASSWORD", "FEDERATED_TOKEN_FILE", "TOKEN_CREDENTIALS", "AUTHORITY_HOST",
	} {
		t.Setenv("AZURE_"+name, "")
	}
	for _, name := range []string{"IDENTITY_ENDPOINT", "IDENTITY_HEADER", "IMDS_ENDPOINT", "MSI_ENDPOINT", "MSI_SECRET", "DEFAULT_IDENTITY_CLIENT_ID"} {
		t.Setenv(name, "")
	}
	t.Setenv("AZURE_POD_IDENTITY_AUTHORITY_HOST", "http://127.0.0.1:1")
	t.Setenv("PATH", t.TempDir())
	return s
}

func (s *tokenServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/metadata/identity/oauth2/token" && len(r.URL.Query()) == 0: // somebody asks whether there is one
		w.WriteHeader(http.StatusBadRequest)
	case r.URL.Path == "/arc" && r.Header.Get("Authorization") == "":
		w.Header().Set("Www-Authenticate", "Basic realm="+filepath.Join(arcTokens, "1.key"))
		w.WriteHeader(http.StatusUnauthorized)
	case !s.good(r):
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error": "invalid_request", "error_description": "as the test wants it"}`)
	default:
		s.asked++
		fmt.Fprintf(w, `{"access_token": "token %d", "expires_in": "%d"}`, s.asked, s.life)
	}
}

// TestIdentities: a token from every source, in the words of the service that it comes from.
func TestIdentities(t *testing.T) {
	entra := func(want map[string]string) func(r *http.Request) bool {
		return func(r *http.Request) bool {
			right := r.URL.Path == "/tenant/oauth2/v2.0/token" && r.PostFormValue("client_id") == "client" && r.PostFormValue("scope") == "https://storage.azure.com/.default"
			for name, value := range want {
				right = right && r.PostFormValue(name) == value
			}
			return right
		}
	}
	managed := func(path, header, value string, query map[string]string) func(r *http.Request) bool {
		return func(r *http.Request) bool {
			right := r.URL.Path == path && r.Header.Get(header) == value && r.FormValue("resource") == "https://storage.azure.com"
			for name, value := range query {
				right = right && r.FormValue(name) == value
			}
			return right
		}
	}
	files := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(files, name)
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	certificate, verify := clientCertificate(t)
	for name, c := range map[string]struct {
		env  map[string]string
		good func(r *http.Request) bool
	}{
		"secret": {map[string]string{"AZURE_CLIENT_SECRET": "s"}, entra(map[string]string{"grant_type": "client_credentials", "client_secret": "s"})},
		"user": {
			map[string]string{"AZURE_USERNAME": "u", "AZURE_PASSWORD": "p"},
			entra(map[string]string{"grant_type": "password", "username": "u", "password": "p"}),
		},
		"certificate": {map[string]string{"AZURE_CLIENT_CERTIFICATE_PATH": file("c.pem", certificate)}, func(r *http.Request) bool {
			return entra(nil)(r) && verify(r.PostFormValue("client_assertion"), "http://"+r.Host+r.URL.Path)
		}},
		"workload": {
			map[string]string{"AZURE_FEDERATED_TOKEN_FILE": file("token", "pod\n"), "AZURE_TOKEN_CREDENTIALS": "workloadidentitycredential"},
			entra(map[string]string{"client_assertion": "pod", "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}),
		},
		"app": {
			map[string]string{"IDENTITY_ENDPOINT": "/app", "IDENTITY_HEADER": "h"},
			managed("/app", "X-Identity-Header", "h", map[string]string{"api-version": "2019-08-01", "client_id": "client"}),
		},
		"notebook": {
			map[string]string{"MSI_ENDPOINT": "/ml", "MSI_SECRET": "s"},
			managed("/ml", "Secret", "s", map[string]string{"api-version": "2017-09-01", "clientid": "client"}),
		},
		"shell": {map[string]string{"MSI_ENDPOINT": "/shell"}, managed("/shell", "Metadata", "true", nil)},
		"arc": {
			map[string]string{"IDENTITY_ENDPOINT": "/arc", "IMDS_ENDPOINT": "/"},
			managed("/arc", "Authorization", "Basic secret", map[string]string{"api-version": "2020-06-01"}),
		},
		"machine": {
			map[string]string{"AZURE_POD_IDENTITY_AUTHORITY_HOST": ""},
			managed("/metadata/identity/oauth2/token", "Metadata", "true", map[string]string{"api-version": "2018-02-01", "client_id": "client"}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTokenServer(t)
			s.good = c.good
			t.Setenv("AZURE_AUTHORITY_HOST", s.URL)
			t.Setenv("AZURE_TENANT_ID", "tenant")
			t.Setenv("AZURE_CLIENT_ID", "client")
			for name, value := range c.env {
				if strings.HasSuffix(name, "_ENDPOINT") || strings.HasSuffix(name, "_HOST") {
					value = s.URL + value
				}
				t.Setenv(name, value)
			}
			if err := os.WriteFile(filepath.Join(arcTokens, "1.key"), []byte("secret"), 0o600); err != nil {
				t.Fatal(err)
			}
			i, err := newIdentity()
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // asked for once
				if got, err := i.token(t.Context()); got != "token 1" || err != nil {
					t.Fatalf("%q, %v", got, err)
				}
			}
			i.until = time.Now()
			if got, err := i.token(t.Context()); got != "token 2" || err != nil {
				t.Errorf("at its end: %q, %v", got, err)
			}
			s.good = func(*http.Request) bool { return false }
			i.until = time.Now()
			if _, err := i.token(t.Context()); !errors.Is(explain(t.Context(), err), ErrDenied) || !strings.Contains(err.Error(), "as the test wants it") {
				t.Errorf("refused: %v", err)
			}
		})
	}
}

// clientCertificate returns a certificate with its key, and what tells whether they have signed an assertion for an audience.
func clientCertificate(t *testing.T) (text string, verify func(assertion, audience string) bool) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "kcut"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text = string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})) +
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return text, func(assertion, audience string) bool {
		parts := strings.Split(assertion, ".")
		if len(parts) != 3 {
			return false
		}
		signature, err := base64.RawURLEncoding.DecodeString(parts[2])
		sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
		if err != nil || rsa.VerifyPSS(&key.PublicKey, crypto.SHA256, sum[:], signature, nil) != nil {
			return false
		}
		var said struct {
			X5t string `json:"x5t#S256"`
			Aud string
			Iss string
			Exp int64
		}
		for _, part := range parts[:2] {
			decoded, err := base64.RawURLEncoding.DecodeString(part)
			if err != nil || json.Unmarshal(decoded, &said) != nil {
				return false
			}
		}
		sum = sha256.Sum256(der)
		return said.X5t == base64.RawURLEncoding.EncodeToString(sum[:]) && said.Aud == audience && said.Iss == "client" && said.Exp > time.Now().Unix()
	}
}

// TestIdentityOfCommands: who has logged in with a command is asked for his token where nothing else is set up.
func TestIdentityOfCommands(t *testing.T) {
	for name, answer := range map[string]string{
		"az":  `{"accessToken": "of az", "expires_on": 4102444800}`,
		"azd": `{"token": "of azd", "expiresOn": "2100-01-01T00:00:00Z"}`,
	} {
		newTokenServer(t)
		path := filepath.Join(os.Getenv("PATH"), name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho '"+answer+"'\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		i, err := newIdentity()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := i.token(t.Context()); got != "of "+name || err != nil || i.until.Year() != 2099 {
			t.Errorf("%q until %v, %v", got, i.until, err)
		}
	}
}

// TestNoIdentity: where nobody says who the program is, or the one that is to say it is not there, access is denied.
func TestNoIdentity(t *testing.T) {
	for _, chosen := range []string{"", "prod", "EnvironmentCredential"} {
		newTokenServer(t)
		t.Setenv("AZURE_TOKEN_CREDENTIALS", chosen)
		i, err := newIdentity()
		if err == nil {
			_, err = i.token(t.Context())
		}
		if !errors.Is(explain(t.Context(), err), ErrDenied) || !strings.Contains(err.Error(), "AZURE_TENANT_ID") ||
			strings.Contains(err.Error(), "AzureCLI") != (chosen == "") {
			t.Errorf("%q: %v", chosen, err)
		}
	}
	t.Setenv("AZURE_TOKEN_CREDENTIALS", "other")
	if _, err := newIdentity(); err == nil {
		t.Error("an unknown source is accepted")
	}
}

// TestMicrosoftAccounts: where an account is, and with what it is opened.
func TestMicrosoftAccounts(t *testing.T) {
	for _, c := range []struct{ connection, account, key, token, domain, want string }{
		{"", "a", "aaaa", "", "", "https://a.blob.core.windows.net aaaa"},
		{"", "a", "", "?sig=1", "", "https://a.blob.core.windows.net?sig=1 "},
		{"", "a", "", "", "", "https://a.blob.core.windows.net "},
		{"", "a", "aaaa", "", "localhost:10000", "https://localhost:10000/a aaaa"},
		{"AccountName=b;AccountKey=ab==;DefaultEndpointsProtocol=http;EndpointSuffix=core.example", "", "", "", "", "http://b.blob.core.example ab=="},
		{"AccountName=b;AccountKey=abcd;BlobEndpoint=http://h:1/b", "", "", "", "", "http://h:1/b abcd"},
		{"BlobEndpoint=http://h:1/b;SharedAccessSignature=sv=1&sig=2", "", "", "", "", "http://h:1/b?sv=1&sig=2 "},
		{"AccountName=b;AccountKey=abcd", "a", "olds", "", "", "https://a.blob.core.windows.net olds"},
		{"", "", "k", "", "", ""},
	} {
		for name, value := range map[string]string{
			"ACCOUNT": c.account, "KEY": c.key, "SAS_TOKEN": c.token, "DOMAIN": c.domain, "CONNECTION_STRING": c.connection, "PROTOCOL": "",
		} {
			t.Setenv("AZURE_STORAGE_"+name, value)
		}
		t.Setenv("AZURE_STORAGEBLOB_CONNECTIONSTRING", "")
		got := ""
		if u, _, key, err := microsoftAccount(); err == nil {
			got = u.String() + " " + key
			m, err := openMicrosoft("c")
			if err != nil {
				t.Fatal(err)
			}
			path, token, _ := strings.Cut(u.RequestURI(), "?")
			want := strings.Replace(strings.TrimSuffix(path, "/")+"/c/k%2Fx?"+token+"&comp=x", "?&", "?", 1)
			q := m.(*microsoft).request(http.MethodGet, "k/x", url.Values{"comp": {"x"}}, nil)
			if got := q.url.RequestURI(); got != want {
				t.Errorf("%+v: asks for %q, not %q", c, got, want)
			}
		}
		if got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
