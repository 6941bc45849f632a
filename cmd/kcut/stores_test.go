package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/formats/storage"
)

// storeServer is a server that people run instead of a cloud, as a program of its own.
type storeServer struct {
	name        string
	scheme      string
	program     string // below the folder of make test-stores
	args        func(address, dir string) []string
	environment func(address string) map[string]string // points clients to the server
}

// azuriteKey is the public key of Azurite's only account.
const azuriteKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6" +
	"tq/K1SZFPTOtr/KBHBeksoGMGw=="

var storeServers = []storeServer{
	{
		"Azurite", "azblob", "node_modules/.bin/azurite-blob",
		func(address, dir string) []string {
			host, port, _ := net.SplitHostPort(address)
			return []string{"--blobHost", host, "--blobPort", port, "--location", dir, "--silent",
				"--disableTelemetry"}
		},
		func(address string) map[string]string {
			return map[string]string{
				"AZURE_STORAGE_ACCOUNT": "devstoreaccount1", "AZURE_STORAGE_KEY": azuriteKey,
				"AZURE_STORAGE_DOMAIN": address, "AZURE_STORAGE_PROTOCOL": "http",
				"AZURE_STORAGE_SAS_TOKEN": "", "AZURE_STORAGE_CONNECTION_STRING": "",
				"AZURE_STORAGEBLOB_CONNECTIONSTRING": "",
			}
		},
	},
	{
		"fake-gcs-server", "gs", "bin/fake-gcs-server",
		func(address, dir string) []string {
			host, port, _ := net.SplitHostPort(address)
			url := "http://" + address
			return []string{"-scheme", "http", "-host", host, "-port", port, "-public-host",
				address, "-external-url", url, "-filesystem-root", dir, "-log-level", "error"}
		},
		func(address string) map[string]string {
			return map[string]string{"STORAGE_EMULATOR_HOST": "http://" + address}
		},
	},
	{
		"versitygw", "s3", "bin/versitygw",
		func(address, dir string) []string {
			return []string{"--port", address, "--access", "user", "--secret", "password",
				"--quiet", "posix", "--sidecar", filepath.Join(filepath.Dir(dir), "about"), dir}
		},
		amazonEnvironment,
	},
	{
		"MinIO", "s3", "bin/minio",
		func(address, dir string) []string {
			return []string{"server", "--quiet", "--address", address, dir}
		},
		amazonEnvironment,
	},
}

func amazonEnvironment(address string) map[string]string {
	return map[string]string{
		"AWS_ENDPOINT_URL":  "http://" + address,
		"AWS_ACCESS_KEY_ID": "user", "AWS_SECRET_ACCESS_KEY": "password",
		"AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "us-east-1",
		"AWS_ENDPOINT_URL_S3": "", "AWS_SESSION_TOKEN": "", "AWS_PROFILE": "",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
		"MINIO_ROOT_USER": "user", "MINIO_ROOT_PASSWORD": "password",
	}
}

// remoteStore is a running server with a bucket, and the client of the test.
type remoteStore struct {
	storeServer
	python string
	client string // the program of the client
}

const storeBucket = "kcut-bucket"

// start runs the server until the test ends, and points the test's environment to it.
func (s storeServer) start(t *testing.T, folder string) *remoteStore {
	t.Helper()
	program := filepath.Join(folder, s.program)
	if _, err := os.Stat(program); err != nil {
		t.Skip("it could not be installed:", err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address, dir := free.Addr().String(), filepath.Join(t.TempDir(), "store")
	err = errors.Join(free.Close(), os.Mkdir(dir, 0o700),
		os.Mkdir(filepath.Join(filepath.Dir(dir), "about"), 0o700))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range s.environment(address) {
		if t.Setenv(name, value); value == "" {
			_ = os.Unsetenv(name)
		}
	}
	server := start(t, exec.Command(program, s.args(address, dir)...))
	server.until(t, "it listened", func() bool {
		c, err := net.Dial("tcp", address)
		return err == nil && c.Close() == nil
	})
	t.Setenv("XDG_CACHE_HOME", filepath.Join(t.TempDir(), "cache"))
	client, err := filepath.Abs(filepath.Join("testdata", "stores", "client.py"))
	if err != nil {
		t.Fatal(err)
	}
	r := &remoteStore{s, filepath.Join(folder, "bin", "python"), client}
	r.do(t, "make")
	return r
}

// do runs an action of the client of the cloud, and returns its output.
func (r *remoteStore) do(t *testing.T, action string, args ...string) string {
	t.Helper()
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), r.python,
		append([]string{r.client, r.scheme, action, storeBucket}, args...)...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", action, args, err, said.Bytes())
	}
	return strings.TrimSpace(string(out))
}

func (r *remoteStore) url(key string) string { return r.scheme + "://" + storeBucket + "/" + key }

// released returns the objects of an output as the client of the cloud reads them, by the rest of
// their names.
func (r *remoteStore) released(t *testing.T, output string) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	r.do(t, "get", output, dir)
	return filesBelow(t, dir)
}

// filesBelow returns the contents of a file, under the name ".", or of the files of a folder.
func filesBelow(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[name] = content
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestStores runs jobs with input and output on servers of other projects that have the interfaces
// of clouds. The clients of the clouds read the objects.
func TestStores(t *testing.T) {
	folder := os.Getenv("KCUT_STORES")
	if folder == "" {
		t.Skip("make test-stores names a folder with servers")
	}
	for _, server := range storeServers {
		t.Run(server.name, func(t *testing.T) {
			store := server.start(t, folder)
			dir := t.TempDir()
			b := bucketTable(130_000)
			if err := b.prepare(dir); err != nil {
				t.Fatal(err)
			}
			binary, err := exec.LookPath("kcut")
			if err != nil {
				t.Fatal(err)
			}
			run := &spillingRun{dir: dir, scratch: filepath.Join(dir, "scratch"), binary: binary}
			store.do(t, "put", "in/table.parquet", filepath.Join(dir, "in.parquet"))
			for _, output := range []string{"out.parquet", "out/", "outs/"} {
				if output == "outs/" {
					change(t, filepath.Join(dir, "job.yaml"), "output: out.parquet",
						"output: {path: out.parquet, partition_by: [age]}")
				}
				t.Run(output, func(t *testing.T) { testStore(t, store, run, output) })
			}
			t.Run("conditions", func(t *testing.T) { testConditions(t, store) })
			if server.scheme == "azblob" {
				t.Run("credentials", func(t *testing.T) { testAzureCredentials(t, store) })
			}
		})
	}
}

// testStore: an output in the store is the same as on a disk, also if it replaces another output,
// and if earlier runs were killed.
func testStore(t *testing.T, store *remoteStore, run *spillingRun, output string) {
	job, local := filepath.Join(run.dir, "job.yaml"), t.TempDir()
	if err := os.Mkdir(filepath.Join(local, "night"), 0o700); err != nil {
		t.Fatal(err)
	}
	kcutMust(t, "run", job, "--quiet", "--output", local+"/night/"+output)
	want := filesBelow(t, local)
	// Without the record of the run.
	maps.DeleteFunc(want, func(name string, _ []byte) bool {
		return strings.HasPrefix(name, "night/.")
	})
	args := []string{"run", job, "--quiet", "--input", store.url("in/"), "--output",
		store.url("night/" + output)}
	check := func(when string) {
		t.Helper()
		if got := store.released(t, "night/out"); !maps.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("%s: %v, want %v, or other bytes", when, slices.Sorted(maps.Keys(got)),
				slices.Sorted(maps.Keys(want)))
		}
	}
	defer store.do(t, "empty", "night/")
	kcutMust(t, args...)
	check("first run")
	if said := kcutMust(t, append(args, "--json")...); !bytes.Contains(said, []byte(`"already_done":true`)) {
		t.Errorf("run again: %s", said)
	}
	other := append(slices.Clone(args), "--k", "500")
	if code := execute(t.Context(), other, newUI(io.Discard, io.Discard, false)); code != 5 {
		t.Errorf("another job ended with %d", code)
	}
	check("another job")
	kcutMust(t, append(other, "--overwrite")...)
	if got := store.released(t, "night/out"); maps.EqualFunc(got, want, bytes.Equal) {
		t.Error("it was not replaced")
	}
	kcutMust(t, append(args, "--overwrite")...)
	check("replaced")
	kcutMust(t, "verify", store.url("night/"+output))
	for _, command := range [][]string{{"show", "--json"}, {"verify", "--json"}} {
		there, here := kcutMust(t, append(command, store.url("night/"+output))...),
			kcutMust(t, append(command, local+"/night/"+output)...)
		here = bytes.ReplaceAll(here, []byte(local+"/night/"+output),
			[]byte(store.url("night/"+output)))
		if !bytes.Equal(there, here) {
			t.Errorf("kcut %s: %s, want %s", command[0], there, here)
		}
	}
	command := func(flags ...string) *exec.Cmd {
		return run.command(append(append(args[3:len(args):len(args)], "--memory", "1GiB"),
			flags...)...)
	}
	testKilled(t, store, command, check)
	if states := run.states(); len(states) > 0 {
		t.Errorf("%v is left", states)
	}
}

// testKilled: a run that was killed while it masked, recounted or published leaves the whole
// release, or no files that look like a release. The next run makes the release.
func testKilled(t *testing.T, store *remoteStore, command func(flags ...string) *exec.Cmd,
	check func(when string)) {
	for _, tt := range []struct {
		stage kcut.Stage
		later time.Duration
	}{{kcut.StageMask, 0}, {kcut.StageVerify, 0}, {kcut.StagePublish, 0},
		{kcut.StagePublish, 40 * time.Millisecond}, {kcut.StagePublish, 120 * time.Millisecond}} {
		at := fmt.Sprintf("killed %v after the begin of %s", tt.later, tt.stage)
		store.do(t, "empty", "night/")
		cmd := command("--quiet=false", "--checkpoint", "1ns")
		watch := &stageWatch{stage: tt.stage, began: func() {
			time.Sleep(tt.later)
			_ = cmd.Process.Kill()
		}}
		cmd.Stderr = watch
		if _ = cmd.Run(); !watch.seen {
			t.Fatalf("stage %s did not begin: %s", tt.stage, &watch.text)
		}
		left := store.released(t, "night/out")
		t.Logf("%s: %d objects", at, len(left))
		if left["night/out.parquet"] != nil || left["night/out/_SUCCESS"] != nil ||
			left["night/outs/_SUCCESS"] != nil {
			check(at)
		}
		if text, err := command().CombinedOutput(); err != nil {
			t.Errorf("%s: the next run: %v: %s", at, err, text)
		}
		check(at + ", run again")
	}
}

// testConditions: an upload does not replace an object, a read fails if the object has changed
// since it was opened, and a missing object is an error.
func testConditions(t *testing.T, store *remoteStore) {
	text := func(letter string, size int) []byte { return []byte(strings.Repeat(letter, size)) }
	for _, size := range []int{1000, 12 << 20} {
		key := fmt.Sprintf("some/%d ä+b&c=%%5Bd'(e)#?f\"%%.txt", size)
		name := store.url(key)
		first, second := text("a", size), text("b", size)
		if err := storage.UploadText(t.Context(), first, name, true); err != nil {
			t.Fatal(err)
		}
		err := storage.UploadText(t.Context(), second, name, true)
		if !errors.Is(err, storage.ErrExists) {
			t.Errorf("made where one is: %v", err)
		}
		if keys := store.do(t, "list", "some/"); keys != key {
			t.Errorf("the cloud's client calls %s %s", key, keys)
		}
		f, err := storage.Open(t.Context(), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, size)
		if _, err := f.ReadAt(got, 0); err != nil || !bytes.Equal(got, first) {
			t.Errorf("read: %v, or other bytes", err)
		}
		time.Sleep(time.Second) // some servers have times in seconds
		if err := storage.UploadText(t.Context(), second, name, false); err != nil {
			t.Errorf("replaced: %v", err)
		}
		if _, err := f.ReadAt(make([]byte, size/2), 0); size > 1<<20 &&
			!errors.Is(err, storage.ErrChanged) {
			t.Errorf("read when it had been replaced: %v", err)
		}
		_ = f.Close()
		entries, err := storage.List(t.Context(), store.url("some/"))
		if err != nil ||
			!slices.Contains(entries, storage.Entry{Location: name, Size: int64(size)}) {
			t.Errorf("list: %v, %v", entries, err)
		}
		err = errors.Join(storage.Remove(t.Context(), name), storage.Remove(t.Context(), name))
		if err != nil {
			t.Errorf("remove: %v", err)
		}
		if _, err := storage.Open(t.Context(), name, nil); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("open what is gone: %v", err)
		}
	}
	_, err := storage.List(t.Context(), store.scheme+"://no-bucket/x")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("list a bucket that is not there: %v", err)
	}
}

// testAzureCredentials: a token of shared access and connection strings open the objects that the
// key opens, and no other key does.
func testAzureCredentials(t *testing.T, store *remoteStore) {
	token, address := store.do(t, "sas"), os.Getenv("AZURE_STORAGE_DOMAIN")
	endpoint := "BlobEndpoint=http://" + address + "/devstoreaccount1"
	for _, tt := range []struct {
		name, key, token, connection string
		denied                       bool
	}{
		{name: "token", token: token},
		{name: "connection with key",
			connection: "AccountName=devstoreaccount1;AccountKey=" + azuriteKey + ";" + endpoint},
		{name: "connection with token", connection: endpoint + ";SharedAccessSignature=" + token},
		{name: "other key", key: strings.Replace(azuriteKey, "Eby8", "Eby9", 1), denied: true},
		{name: "other token", token: strings.Replace(token, "sig=", "sig=A", 1), denied: true},
	} {
		t.Setenv("AZURE_STORAGE_KEY", tt.key)
		t.Setenv("AZURE_STORAGE_SAS_TOKEN", tt.token)
		t.Setenv("AZURE_STORAGE_CONNECTION_STRING", tt.connection)
		entries, err := storage.List(t.Context(), store.url("in/"))
		if errors.Is(err, storage.ErrDenied) != tt.denied || !tt.denied && len(entries) != 1 {
			t.Errorf("%s: %v, %v", tt.name, entries, err)
		}
	}
}
