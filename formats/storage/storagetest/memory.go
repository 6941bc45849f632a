package storagetest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// memory is the objects of a store, and those on their way into it.
type memory struct {
	mu      sync.Mutex
	objects map[string]*object
	begun   map[string]*begun // by what the store calls the upload
	stored  int64             // how many objects ever were: the next one's version
}

// object is one version of an object.
type object struct {
	data     []byte
	version  int64
	changed  time.Time
	kind     string // of media
	metadata map[string]string
}

// begun is an upload in parts that has not ended.
type begun struct {
	key    string
	whole  object
	fresh  bool
	blocks map[string][]byte // Microsoft's, by their names
}

func newMemory() memory {
	return memory{objects: make(map[string]*object), begun: make(map[string]*begun)}
}

func (m *memory) put(key string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.store(key, object{data: data})
	return nil
}

// store makes an object of the next version.
func (m *memory) store(key string, o object) *object {
	m.stored++
	o.version, o.changed = m.stored, time.Now().UTC().Round(time.Millisecond)
	m.objects[key] = &o
	return &o
}

func (m *memory) get(key string) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := m.objects[key]
	if o == nil {
		return nil, false
	}
	return o.data, true
}

func (m *memory) remove(key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objects, key)
	return nil
}

func (m *memory) keys() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.objects))
}

func (m *memory) uploads() (keys []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range m.begun {
		keys = append(keys, b.key)
	}
	return keys
}

// page returns the keys that begin with a prefix and come after one, as many as are asked for,
// and whether there are more.
func (m *memory) page(prefix, after, most string) (keys []string, more bool) {
	n, err := strconv.Atoi(most)
	if err != nil {
		n = 1000
	}
	for _, key := range slices.Sorted(maps.Keys(m.objects)) {
		switch {
		case !strings.HasPrefix(key, prefix) || key <= after:
		case len(keys) == n:
			return keys, true
		default:
			keys = append(keys, key)
		}
	}
	return keys, false
}

// send answers a request for the bytes in a range of HTTP, all of them without one. It reports
// false, and has sent nothing, when there is nothing in it.
func (o *object) send(w http.ResponseWriter, header string) bool {
	if header == "" {
		_, _ = w.Write(o.data)
		return true
	}
	from, to, _ := strings.Cut(strings.TrimPrefix(header, "bytes="), "-")
	first, err := strconv.Atoi(from)
	if err != nil || first >= len(o.data) {
		return false
	}
	last := len(o.data) - 1
	if n, err := strconv.Atoi(to); err == nil {
		last = min(last, n)
	}
	w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, last, len(o.data)))
	w.WriteHeader(http.StatusPartialContent)
	_, _ = w.Write(o.data[first : last+1])
	return true
}
