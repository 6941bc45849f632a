package storagetest

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"hash/crc64"
	"io"
	"net/http"
	"strings"
)

// microsoft speaks the REST API of Azure's blobs.
type microsoft struct{ memory }

func newMicrosoft() *microsoft { return &microsoft{newMemory()} }

const microsoftAccount = "account"

func microsoftEnvironment(url string) map[string]string {
	return map[string]string{
		"AZURE_STORAGE_ACCOUNT": microsoftAccount, "AZURE_STORAGE_KEY": base64.StdEncoding.EncodeToString([]byte("key")),
		"AZURE_STORAGE_DOMAIN": strings.TrimPrefix(url, "http://"), "AZURE_STORAGE_PROTOCOL": "http",
		"AZURE_STORAGE_SAS_TOKEN": "", "AZURE_STORAGE_CONNECTION_STRING": "", "AZURE_STORAGEBLOB_CONNECTIONSTRING": "",
	}
}

func (m *microsoft) isPart(r *http.Request) bool { return r.URL.Query().Get("comp") == "block" }

// ServeHTTP implements http.Handler.
func (m *microsoft) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	container := "/" + microsoftAccount + "/" + Bucket
	key, _ := strings.CutPrefix(r.URL.Path, container+"/")
	comp := r.URL.Query().Get("comp")
	switch {
	case !strings.HasPrefix(r.Header.Get("Authorization"), "SharedKey "+microsoftAccount+":") && !r.URL.Query().Has("sig"):
		m.refuseAs(w, http.StatusForbidden, "AuthenticationFailed")
	case r.URL.Path != container && key == r.URL.Path:
		m.refuseAs(w, http.StatusNotFound, "ContainerNotFound")
	case comp == "list":
		m.list(w, r)
	case comp == "block":
		m.block(w, r, key)
	case comp == "blocklist":
		m.blocks(w, r, key)
	case r.Method == http.MethodPut:
		m.write(w, r, key)
	case m.objects[key] == nil:
		m.refuseAs(w, http.StatusNotFound, "BlobNotFound")
	case r.Method == http.MethodDelete:
		delete(m.objects, key)
		w.WriteHeader(http.StatusAccepted)
	default:
		m.read(w, r, m.objects[key])
	}
}

// read answers a read of the bytes, and of what is known of them.
func (m *microsoft) read(w http.ResponseWriter, r *http.Request, o *object) {
	h := w.Header()
	etag := fmt.Sprintf("%q", fmt.Sprintf("0x%X", o.version))
	if match := r.Header.Get("If-Match"); match != "" && match != etag {
		m.refuseAs(w, http.StatusPreconditionFailed, "ConditionNotMet")
		return
	}
	h.Set("Etag", etag)
	h.Set("Last-Modified", o.changed.Format(http.TimeFormat))
	h.Set("X-Ms-Creation-Time", o.changed.Format(http.TimeFormat))
	h.Set("X-Ms-Blob-Type", "BlockBlob")
	for name, value := range o.metadata {
		h.Set(name, value)
	}
	if r.Method == http.MethodHead {
		h.Set("Content-Length", fmt.Sprint(len(o.data)))
		return
	}
	if !o.send(w, r.Header.Get("X-Ms-Range")) {
		m.refuseAs(w, http.StatusRequestedRangeNotSatisfiable, "InvalidRange")
	}
}

func (m *microsoft) list(w http.ResponseWriter, r *http.Request) {
	type blob struct {
		Name       string
		Properties struct {
			LastModified  string `xml:"Last-Modified"`
			ContentLength int    `xml:"Content-Length"`
			BlobType      string
		}
	}
	list := struct {
		XMLName    xml.Name `xml:"EnumerationResults"`
		Blobs      []blob   `xml:"Blobs>Blob"`
		NextMarker string   `xml:",omitempty"`
	}{}
	q := r.URL.Query()
	keys, more := m.page(q.Get("prefix"), q.Get("marker"), q.Get("maxresults"))
	for _, key := range keys {
		b := blob{Name: key}
		b.Properties.LastModified = m.objects[key].changed.Format(http.TimeFormat)
		b.Properties.ContentLength, b.Properties.BlobType = len(m.objects[key].data), "BlockBlob"
		list.Blobs = append(list.Blobs, b)
	}
	if more {
		list.NextMarker = keys[len(keys)-1]
	}
	w.Header().Set("Content-Type", "application/xml")
	_ = xml.NewEncoder(w).Encode(list)
}

// block takes one block of a blob that is committed later.
func (m *microsoft) block(w http.ResponseWriter, r *http.Request, key string) {
	data, ok := checked(r)
	if !ok {
		m.refuseAs(w, http.StatusBadRequest, "Crc64Mismatch")
		return
	}
	b := m.begun[key]
	if b == nil {
		b = &begun{key: key, blocks: make(map[string][]byte)}
		m.begun[key] = b
	}
	b.blocks[r.URL.Query().Get("blockid")] = data
	w.WriteHeader(http.StatusCreated)
}

// blocks makes a blob of blocks.
func (m *microsoft) blocks(w http.ResponseWriter, r *http.Request, key string) {
	text, err := io.ReadAll(r.Body)
	var list struct{ Latest []string }
	if err != nil || xml.Unmarshal(text, &list) != nil {
		m.refuseAs(w, http.StatusBadRequest, "InvalidXmlDocument")
		return
	}
	var whole []byte
	for _, id := range list.Latest {
		b := m.begun[key]
		if b == nil || b.blocks[id] == nil {
			m.refuseAs(w, http.StatusBadRequest, "InvalidBlockList")
			return
		}
		whole = append(whole, b.blocks[id]...)
	}
	m.commit(w, r, key, whole)
}

// write makes a blob of the bytes of one request.
func (m *microsoft) write(w http.ResponseWriter, r *http.Request, key string) {
	data, ok := checked(r)
	if !ok || r.Header.Get("X-Ms-Blob-Type") != "BlockBlob" {
		m.refuseAs(w, http.StatusBadRequest, "InvalidHeaderValue")
		return
	}
	m.commit(w, r, key, data)
}

func (m *microsoft) commit(w http.ResponseWriter, r *http.Request, key string, data []byte) {
	if r.Header.Get("If-None-Match") == "*" && m.objects[key] != nil {
		m.refuseAs(w, http.StatusConflict, "BlobAlreadyExists")
		return
	}
	o := object{data: data, metadata: make(map[string]string)}
	for name, values := range r.Header {
		if strings.HasPrefix(name, "X-Ms-Meta-") {
			o.metadata[name] = values[0]
		}
	}
	delete(m.begun, key)
	m.store(key, o)
	w.WriteHeader(http.StatusCreated)
}

// microsoftPolynomial is that of the checksums of Azure's storage.
const microsoftPolynomial = 0x9A6C9329AC4BC9B5

// checked returns the body of a request, if it is what its checksum says.
func checked(r *http.Request) ([]byte, bool) {
	data, err := io.ReadAll(r.Body)
	if sum := r.Header.Get("X-Ms-Content-Crc64"); sum != "" {
		want, err := base64.StdEncoding.DecodeString(sum)
		got := binary.LittleEndian.AppendUint64(nil, crc64.Checksum(data, crc64.MakeTable(microsoftPolynomial)))
		if err != nil || !bytes.Equal(got, want) {
			return nil, false
		}
	}
	return data, err == nil
}

func (m *microsoft) refuse(w http.ResponseWriter, status int) {
	code := map[int]string{
		http.StatusForbidden: "AuthorizationPermissionMismatch", http.StatusServiceUnavailable: "ServerBusy",
	}[status]
	if code == "" {
		code = "InternalError"
	}
	m.refuseAs(w, status, code)
}

func (m *microsoft) refuseAs(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("X-Ms-Error-Code", code)
	w.Header().Set("X-Ms-Retry-After-Ms", "1") // no test waits for what it knows
	w.WriteHeader(status)
	fmt.Fprintf(w, `<?xml version="1.0" encoding="utf-8"?><Error><Code>%s</Code><Message>as the test wants it</Message></Error>`, code)
}
