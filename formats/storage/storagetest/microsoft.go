package storagetest

import (
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"net/http"
	"strings"
)

const microsoftAccount = "account"

// microsoft is the REST API of Azure's blobs.
var microsoft = dialect{
	environment: func(url string) map[string]string {
		return map[string]string{
			"AZURE_STORAGE_ACCOUNT":   microsoftAccount,
			"AZURE_STORAGE_KEY":       base64.StdEncoding.EncodeToString([]byte("key")),
			"AZURE_STORAGE_DOMAIN":    strings.TrimPrefix(url, "http://"),
			"AZURE_STORAGE_PROTOCOL":  "http",
			"AZURE_STORAGE_SAS_TOKEN": "", "AZURE_STORAGE_CONNECTION_STRING": "",
			"AZURE_STORAGEBLOB_CONNECTIONSTRING": "",
		}
	},
	codes: map[int]string{
		http.StatusForbidden:          "AuthorizationPermissionMismatch",
		http.StatusServiceUnavailable: "ServerBusy",
		http.StatusNotFound:           "BlobNotFound", http.StatusConflict: "BlobAlreadyExists",
		http.StatusBadRequest: "InvalidHeaderValue",
	},
	isPart: func(r *http.Request) bool { return r.URL.Query().Get("comp") == "block" },
	serve:  serveMicrosoft,
}

func serveMicrosoft(s *Server, w http.ResponseWriter, r *http.Request) int {
	container, query := "/"+microsoftAccount+"/"+Bucket, r.URL.Query()
	key, inContainer := strings.CutPrefix(r.URL.Path, container+"/")
	switch o := s.object(key); {
	case !signed(r):
		return http.StatusForbidden
	case r.URL.Path != container && !inContainer:
		return http.StatusNotFound
	case query.Get("comp") == "list":
		s.listMicrosoft(w, r)
	case r.Method == http.MethodPut:
		return s.takeMicrosoft(w, r, key)
	case o == nil:
		return http.StatusNotFound
	case r.Header.Get("Accept-Encoding") == "gzip": // Azure would decompress some blobs
		return http.StatusBadRequest
	case r.Method == http.MethodDelete:
		s.remove(key)
		w.WriteHeader(http.StatusAccepted)
	default:
		for name, value := range o.metadata {
			w.Header().Set(name, value)
		}
		w.Header().Set("X-Ms-Blob-Type", "BlockBlob")
		w.Header().Set("X-Ms-Creation-Time", o.changed.Format(http.TimeFormat))
		// of 412, the only refusal that send answers
		w.Header().Set("X-Ms-Error-Code", "ConditionNotMet")
		r.Header.Set("Range", r.Header.Get("X-Ms-Range"))
		o.send(w, r)
	}
	return 0
}

func (s *Server) listMicrosoft(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	objects, next := s.list(query.Get("prefix"), query.Get("marker"), query.Get("maxresults"))
	w.Header().Set("Content-Type", "application/xml")
	fmt.Fprint(w, "<EnumerationResults><Blobs>")
	for _, o := range objects {
		fmt.Fprintf(w,
			"<Blob><Name>%s</Name><Properties><Last-Modified>%s</Last-Modified>"+
				"<Content-Length>%d</Content-Length><BlobType>BlockBlob</BlobType></Properties>"+
				"</Blob>",
			html.EscapeString(o.key), o.changed.Format(http.TimeFormat), len(o.data))
	}
	fmt.Fprintf(w, "</Blobs><NextMarker>%s</NextMarker></EnumerationResults>",
		html.EscapeString(next))
}

// takeMicrosoft receives a blob, a block of one, or the list of its blocks.
func (s *Server) takeMicrosoft(w http.ResponseWriter, r *http.Request, key string) int {
	data, ok := checkedBody(r)
	if !ok {
		return http.StatusBadRequest
	}
	switch query := r.URL.Query(); {
	case query.Get("comp") == "block":
		s.begun[key+" "+query.Get("blockid")] = &upload{data: data}
		w.WriteHeader(http.StatusCreated)
		return 0
	case query.Get("comp") == "blocklist":
		var list struct{ Latest []string }
		if xml.Unmarshal(data, &list) != nil {
			return http.StatusBadRequest
		}
		data = nil
		for _, id := range list.Latest {
			block := s.begun[key+" "+id]
			if block == nil {
				return http.StatusBadRequest
			}
			data = append(data, block.data...)
		}
	case r.Header.Get("X-Ms-Blob-Type") != "BlockBlob":
		return http.StatusBadRequest
	}
	metadata := make(map[string]string)
	for name, values := range r.Header {
		if strings.HasPrefix(name, "X-Ms-Meta-") {
			metadata[name] = values[0]
		}
	}
	if s.put(key, data, metadata, r.Header.Get("If-None-Match") == "*") != nil {
		return http.StatusConflict
	}
	w.WriteHeader(http.StatusCreated)
	return 0
}

// checkedBody returns the body of a request, if it has a checksum and matches it. Lists of blocks
// have none.
func checkedBody(r *http.Request) ([]byte, bool) {
	data, err := io.ReadAll(r.Body)
	sum := r.Header.Get("Content-Md5")
	return data, err == nil && (sum == md5Text(data) || r.URL.Query().Get("comp") == "blocklist" &&
		sum == "")
}

// signed reports whether a request has a signature, or a shared access token.
func signed(r *http.Request) bool {
	return r.URL.Query().Has("sig") != strings.HasPrefix(r.Header.Get("Authorization"),
		"SharedKey "+microsoftAccount+":")
}
