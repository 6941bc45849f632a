package storagetest

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// google speaks Google's JSON API, and its XML API for reading.
type google struct{ memory }

func newGoogle() *google { return &google{newMemory()} }

func googleEnvironment(url string) map[string]string {
	return map[string]string{"STORAGE_EMULATOR_HOST": strings.TrimPrefix(url, "http://")}
}

func (g *google) isPart(r *http.Request) bool { return r.Header.Get("Content-Range") != "" }

const (
	googleObjects = "/storage/v1/b/" + Bucket + "/o"
	googleUploads = "/upload" + googleObjects
)

// ServeHTTP implements http.Handler.
func (g *google) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	path := r.URL.Path
	key, isObject := strings.CutPrefix(path, googleObjects+"/")
	data, isData := strings.CutPrefix(path, "/"+Bucket+"/")
	switch {
	case isData && r.Method == http.MethodGet:
		g.read(w, r, data)
	case path == googleUploads && r.URL.Query().Has("upload_id"):
		g.chunk(w, r)
	case path == googleUploads && r.URL.Query().Get("uploadType") == "resumable":
		g.begin(w, r)
	case path == googleUploads:
		g.whole(w, r)
	case path == googleObjects:
		g.list(w, r)
	case !isObject || g.objects[key] == nil:
		g.refuse(w, http.StatusNotFound)
	case r.Method == http.MethodDelete:
		delete(g.objects, key)
		w.WriteHeader(http.StatusNoContent)
	default:
		answer(w, describe(key, g.objects[key]))
	}
}

// read answers a read of the XML API.
func (g *google) read(w http.ResponseWriter, r *http.Request, key string) {
	o := g.objects[key]
	if o == nil {
		g.refuse(w, http.StatusNotFound)
		return
	}
	version := fmt.Sprint(o.version)
	if want := r.Header.Get("X-Goog-If-Generation-Match"); want != "" && want != version {
		g.refuse(w, http.StatusPreconditionFailed)
		return
	}
	h := w.Header()
	h.Set("X-Goog-Generation", version)
	h.Set("X-Goog-Metageneration", "1")
	h.Set("Last-Modified", o.changed.Format(http.TimeFormat))
	h.Set("Content-Type", "application/octet-stream")
	if !o.send(w, r.Header.Get("Range")) {
		g.refuse(w, http.StatusRequestedRangeNotSatisfiable)
	}
}

// resource is what Google says of an object.
type resource struct {
	Name        string            `json:"name"`
	Bucket      string            `json:"bucket"`
	Generation  string            `json:"generation,omitempty"`
	Size        string            `json:"size,omitempty"`
	ContentType string            `json:"contentType,omitempty"`
	MD5         string            `json:"md5Hash,omitempty"`
	CRC         string            `json:"crc32c,omitempty"`
	Etag        string            `json:"etag,omitempty"`
	Created     string            `json:"timeCreated,omitempty"`
	Updated     string            `json:"updated,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`
}

func describe(key string, o *object) resource {
	sum, when := md5.Sum(o.data), o.changed.Format(time.RFC3339Nano)
	return resource{
		Name: key, Bucket: Bucket, Generation: fmt.Sprint(o.version), Size: fmt.Sprint(len(o.data)), ContentType: o.kind,
		MD5: base64.StdEncoding.EncodeToString(sum[:]), Etag: fmt.Sprintf("e%d", o.version), Created: when, Updated: when, Metadata: o.metadata,
	}
}

func (g *google) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	keys, more := g.page(q.Get("prefix"), q.Get("pageToken"), q.Get("maxResults"))
	list := struct {
		Items []resource `json:"items"`
		Next  string     `json:"nextPageToken,omitempty"`
	}{}
	for _, key := range keys {
		list.Items = append(list.Items, describe(key, g.objects[key]))
	}
	if more {
		list.Next = keys[len(keys)-1]
	}
	answer(w, list)
}

// whole takes an object in one request of two parts: what it is to be, and its bytes.
func (g *google) whole(w http.ResponseWriter, r *http.Request) {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		g.refuse(w, http.StatusBadRequest)
		return
	}
	body := multipart.NewReader(r.Body, params["boundary"])
	var parts [2][]byte
	for i := range parts {
		part, err := body.NextPart()
		if err == nil {
			parts[i], err = io.ReadAll(part)
		}
		if err != nil {
			g.refuse(w, http.StatusBadRequest)
			return
		}
	}
	g.finish(w, r.URL.Query().Get("ifGenerationMatch") == "0", parts[0], parts[1])
}

// begin starts an upload in parts, whose description the chunks follow.
func (g *google) begin(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	var what resource
	if err != nil || json.Unmarshal(text, &what) != nil {
		g.refuse(w, http.StatusBadRequest)
		return
	}
	id := fmt.Sprint(len(g.begun), "-", g.stored)
	fresh := r.URL.Query().Get("ifGenerationMatch") == "0"
	g.begun[id] = &begun{key: what.Name, fresh: fresh, blocks: map[string][]byte{"what": text}}
	w.Header().Set("Location", "http://"+r.Host+googleUploads+"?upload_id="+id)
}

// chunk takes the next bytes of an upload; those that it has already, it takes again.
func (g *google) chunk(w http.ResponseWriter, r *http.Request) {
	b := g.begun[r.URL.Query().Get("upload_id")]
	data, err := io.ReadAll(r.Body)
	ends, total, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Content-Range"), "bytes "), "/")
	if b == nil || err != nil {
		g.refuse(w, http.StatusNotFound)
		return
	}
	if ends != "*" {
		from, err := strconv.Atoi(strings.Split(ends, "-")[0])
		if err != nil || from > len(b.whole.data) {
			g.refuse(w, http.StatusBadRequest)
			return
		}
		b.whole.data = append(b.whole.data[:from], data...)
	}
	if total == "*" {
		w.Header().Set("Range", fmt.Sprintf("bytes=0-%d", len(b.whole.data)-1))
		w.Header().Set("X-Http-Status-Code-Override", "308")
		return
	}
	delete(g.begun, r.URL.Query().Get("upload_id"))
	g.finish(w, b.fresh, b.blocks["what"], b.whole.data)
}

// finish makes the object of an upload, if it is what its sender says and may be.
func (g *google) finish(w http.ResponseWriter, fresh bool, text, data []byte) {
	var what resource
	sum := md5.Sum(data)
	crc := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	switch err := json.Unmarshal(text, &what); {
	case err != nil, what.MD5 != "" && what.MD5 != base64.StdEncoding.EncodeToString(sum[:]):
		g.refuse(w, http.StatusBadRequest)
	case what.CRC != "" && what.CRC != base64.StdEncoding.EncodeToString([]byte{byte(crc >> 24), byte(crc >> 16), byte(crc >> 8), byte(crc)}):
		g.refuse(w, http.StatusBadRequest)
	case fresh && g.objects[what.Name] != nil:
		g.refuse(w, http.StatusPreconditionFailed)
	default:
		o := g.store(what.Name, object{data: bytes.Clone(data), kind: what.ContentType, metadata: what.Metadata})
		answer(w, describe(what.Name, o))
	}
}

func answer(w http.ResponseWriter, what any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(what)
}

func (g *google) refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"code":%d,"message":"as the test wants it"}}`, status)
}
