package storagetest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const microsoftAccount = "account"

// microsoft is the REST API of Azure's blobs.
var microsoft = dialect{
	environment: func(url string) map[string]string {
		return map[string]string{
			"AZURE_STORAGE_ACCOUNT": microsoftAccount, "AZURE_STORAGE_KEY": base64.StdEncoding.EncodeToString([]byte("key")),
			"AZURE_STORAGE_DOMAIN": strings.TrimPrefix(url, "http://"), "AZURE_STORAGE_PROTOCOL": "http",
			"AZURE_STORAGE_SAS_TOKEN": "", "AZURE_STORAGE_CONNECTION_STRING": "", "AZURE_STORAGEBLOB_CONNECTIONSTRING": "",
		}
	},
	codes: map[int]string{
		http.StatusForbidden: "AuthorizationPermissionMismatch", http.StatusServiceUnavailable: "ServerBusy",
		http.StatusNotFound: "BlobNotFound", http.StatusConflict: "BlobAlreadyExists", http.StatusBadRequest: "InvalidHeaderValue",
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
	case r.Method == http.MethodDelete:
		s.remove(key)
		w.WriteHeader(http.StatusAccepted)
	default:
		for name, value := range o.metadata {
			w.Header().Set(name, value)
		}
		w.Header().Set("X-Ms-Blob-Type", "BlockBlob")
		w.Header().Set("X-Ms-Creation-Time", o.changed.Format(http.TimeFormat))
		w.Header().Set("X-Ms-Error-Code", "ConditionNotMet") // of 412, the one refusal that send knows
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
		fmt.Fprintf(w, "<Blob><Name>%s</Name><Properties><Last-Modified>%s</Last-Modified><Content-Length>%d</Content-Length>"+
			"<BlobType>BlockBlob</BlobType></Properties></Blob>", html.EscapeString(o.key), o.changed.Format(http.TimeFormat), len(o.data))
	}
	fmt.Fprintf(w, "</Blobs><NextMarker>%s</NextMarker></EnumerationResults>", html.EscapeString(next))
}

// takeMicrosoft takes a blob, a block of one, or the list of its blocks.
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

// checkedBody returns the body of a request, if it is what its checksum says.
func checkedBody(r *http.Request) ([]byte, bool) {
	data, err := io.ReadAll(r.Body)
	return data, err == nil && r.Header.Get("Content-Md5") == md5Text(data)
}

// signed reports whether a request has the signature that what arrived of it takes, by
// https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key, or a token of shared access.
func signed(r *http.Request) bool {
	if query := r.URL.Query(); query.Has("sig") {
		return r.Header.Get("Authorization") == ""
	}
	var own []string
	for name, values := range r.Header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-ms-") {
			own = append(own, name+":"+strings.Join(values, ",")+"\n")
		}
	}
	slices.Sort(own)
	path, query, _ := strings.Cut(r.RequestURI, "?")
	resource := "/" + microsoftAccount + path
	parameters := strings.Split(query, "&")
	slices.Sort(parameters)
	for _, p := range parameters {
		name, value, _ := strings.Cut(p, "=")
		if text, err := url.QueryUnescape(value); err == nil && name != "" {
			resource += "\n" + strings.ToLower(name) + ":" + text
		}
	}
	length := ""
	if r.ContentLength > 0 {
		length = strconv.FormatInt(r.ContentLength, 10)
	}
	text := r.Method + "\n" + r.Header.Get("Content-Encoding") + "\n" + r.Header.Get("Content-Language") + "\n" + length + "\n" +
		r.Header.Get("Content-Md5") + "\n" + r.Header.Get("Content-Type") + "\n" + r.Header.Get("Date") + "\n" +
		r.Header.Get("If-Modified-Since") + "\n" + r.Header.Get("If-Match") + "\n" + r.Header.Get("If-None-Match") + "\n" +
		r.Header.Get("If-Unmodified-Since") + "\n" + r.Header.Get("Range") + "\n" + strings.Join(own, "") + resource
	sum := hmac.New(sha256.New, []byte("key"))
	sum.Write([]byte(text))
	_, recent := http.ParseTime(r.Header.Get("X-Ms-Date"))
	return recent == nil && r.Header.Get("Authorization") == "SharedKey "+microsoftAccount+":"+base64.StdEncoding.EncodeToString(sum.Sum(nil))
}
