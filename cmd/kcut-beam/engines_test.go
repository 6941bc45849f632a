package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// jarsEnv names a folder with the jars of Flink in flink, and of Spark in spark; "make
// test-engines" gets them.
const jarsEnv = "KCUT_BEAM_JARS"

// engine is an engine that runs jobs in processes of its own.
type engine struct {
	t         *testing.T
	dir       string // configuration and logs
	jars      string
	processes []*exec.Cmd
	address   string // of its job server
}

// javaPackages are the packages of Java itself that Flink and Spark access by reflection.
var javaPackages = []string{"lang", "lang.invoke", "lang.reflect", "io", "net", "nio", "time",
	"util", "util.concurrent", "util.concurrent.atomic"}

// java starts a main class of the jars.
func (e *engine) java(name string, memory string, args ...string) *exec.Cmd {
	e.t.Helper()
	all := []string{"-Xmx" + memory, "-Djava.io.tmpdir=" + e.dir, "-cp", filepath.Join(e.jars, "*")}
	for _, p := range javaPackages {
		all = append(all, "--add-opens=java.base/java."+p+"=ALL-UNNAMED")
	}
	all = append(all, "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
		"--add-opens=java.base/sun.security.action=ALL-UNNAMED")
	logs, err := os.Create(filepath.Join(e.dir, fmt.Sprintf("%s-%d.log", name, len(e.processes))))
	must(e.t, err)
	cmd := exec.Command("java", append(all, args...)...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = logs, logs, e.dir
	must(e.t, cmd.Start())
	must(e.t, logs.Close())
	e.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	e.processes = append(e.processes, cmd)
	return cmd
}

// freePort returns a port without a listener.
func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "localhost:0")
	must(t, err)
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// patience is the time that an engine may take to start on a busy machine.
const patience = 10 * time.Minute

// until waits until a condition holds.
func (e *engine) until(what string, holds func() bool) {
	e.t.Helper()
	for began := time.Now(); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > patience {
			e.t.Fatalf("%s: not within %v%s", what, patience, e.lastWords())
		}
	}
}

// lastWords returns the ends of the logs. Their folder is removed with the test.
func (e *engine) lastWords() (text string) {
	logs, err := filepath.Glob(filepath.Join(e.dir, "*.log"))
	must(e.t, err)
	for _, file := range logs {
		log, err := os.ReadFile(file)
		must(e.t, err)
		text += fmt.Sprintf("\n%s:\n%s", filepath.Base(file), log[max(0, len(log)-2000):])
	}
	return text
}

// serve starts the job server of one of Beam's runners.
func (e *engine) serve(driver string, args ...string) {
	e.t.Helper()
	port := freePort(e.t)
	e.address = fmt.Sprintf("localhost:%d", port)
	e.java("jobserver", "1g",
		append([]string{driver, "--job-port", strconv.Itoa(port), "--artifact-port",
			strconv.Itoa(freePort(e.t)),
			"--expansion-port", strconv.Itoa(freePort(e.t)), "--artifacts-dir",
			filepath.Join(e.dir, "artifacts")}, args...)...)
	e.until("start of the job server", func() bool {
		c, err := net.Dial("tcp", e.address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
}

// flinkConfig is the configuration of a session cluster on this machine. A task manager has room
// for a whole job, so that one suffices after the other was killed.
const flinkConfig = `
jobmanager: {rpc: {address: localhost, port: %d}, bind-host: localhost}
rest: {address: localhost, bind-address: localhost, port: %d}
taskmanager:
  host: localhost
  bind-host: localhost
  numberOfTaskSlots: 2
  cpu: {cores: 2}
  memory:
    framework: {heap.size: 128m, off-heap.size: 128m}
    task: {heap.size: 768m, off-heap.size: 128m}
    network: {min: 128m, max: 128m}
    managed.size: 256m
    jvm-metaspace.size: 256m
    jvm-overhead: {min: 128m, max: 128m}
parallelism: {default: 2}
cluster: {evenly-spread-out-slots: true}
classloader: {resolve-order: parent-first}
io: {tmp.dirs: %s}
heartbeat: {timeout: 10000, interval: 2000}
restart-strategy: {type: fixed-delay, fixed-delay: {attempts: 3, delay: 1 s}}
`

// startFlink starts a session cluster with two task managers, and Beam's job server before it.
func startFlink(t *testing.T, jars string) (e *engine, managers []*exec.Cmd) {
	t.Helper()
	e = &engine{t: t, dir: t.TempDir(), jars: filepath.Join(jars, "flink")}
	rest := freePort(t)
	must(t, os.WriteFile(filepath.Join(e.dir, "config.yaml"),
		fmt.Appendf(nil, flinkConfig, freePort(t), rest, e.dir), 0o600))
	e.java("jobmanager", "768m",
		"org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint", "--configDir",
		e.dir)
	for range 2 {
		managers = append(managers,
			e.java("taskmanager", "1g", "org.apache.flink.runtime.taskexecutor.TaskManagerRunner",
				"--configDir", e.dir))
	}
	e.until("start of two task managers", func() bool {
		answer, err := http.Get(fmt.Sprintf("http://localhost:%d/overview", rest))
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		return err == nil && bytes.Contains(text, []byte(`"taskmanagers":2`))
	})
	e.serve("org.apache.beam.runners.flink.FlinkJobServerDriver", "--flink-master",
		fmt.Sprintf("localhost:%d", rest), "--flink-conf-dir", e.dir)
	return e, managers
}

// startSpark starts Beam's job server with Spark in it.
func startSpark(t *testing.T, jars string) *engine {
	t.Helper()
	e := &engine{t: t, dir: t.TempDir(), jars: filepath.Join(jars, "spark")}
	e.serve("org.apache.beam.runners.spark.SparkJobServerDriver", "--spark-master-url", "local[2]")
	return e
}

// stat returns the fields of proc(5) of a process, from the third field on.
func stat(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
}

// seconds returns the processor time of the engine's processes and of their ended children.
func (e *engine) seconds() (sum float64) {
	for _, cmd := range e.processes {
		fields := stat(cmd.Process.Pid)
		for i := 11; i < 15 && len(fields) > 15; i++ { // utime, stime, cutime, cstime
			ticks, err := strconv.ParseFloat(fields[i], 64)
			must(e.t, err)
			sum += ticks / 100
		}
	}
	return sum
}

// people is the job of the demo, and its table of the given number of rows.
type people struct {
	dir  string
	rows int
}

func newPeople(t *testing.T, rows int) *people {
	t.Helper()
	p := &people{t.TempDir(), rows}
	for _, name := range []string{"people.yaml", "taxonomies.yaml"} {
		text, err := os.ReadFile(filepath.Join("../../docs/demo", name))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(p.dir, name), text, 0o600))
	}
	p.finish(t, exec.Command("../../bin/kcut", "sample", "--rows", strconv.Itoa(rows),
		filepath.Join(p.dir, "people.parquet")))
	return p
}

// finish runs a command that must succeed.
func (p *people) finish(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

// run runs the job. It logs the wall time, and the processor time of kcut and of the engine, in
// seconds.
func (p *people) run(t *testing.T, what string, e *engine, cmd *exec.Cmd) {
	t.Helper()
	before, start := 0.0, time.Now()
	if e != nil {
		before = e.seconds()
	}
	p.finish(t, cmd)
	wall, engines := time.Since(start).Seconds(), 0.0
	if e != nil {
		engines = e.seconds() - before
	}
	t.Logf("| %s | %d | %.1f | %.1f | %.1f |", what, p.rows, wall,
		(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), engines)
}

// command returns the command of a run by the engine, whose workers are children of the engine.
// Without an engine they are children of this process.
func (p *people) command(out, runner string, e *engine, halts bool) (cmd *exec.Cmd, file string) {
	if halts {
		file = filepath.Join(p.dir, out+".halted")
	}
	environment, _ := json.Marshal(map[string]any{
		"command": os.Args[0], "env": map[string]string{roleEnv: "program", haltEnv: file},
	})
	args := []string{"run", filepath.Join(p.dir, "people.yaml"), "--input",
		filepath.Join(p.dir, "people.parquet"),
		"--output", filepath.Join(p.dir, out) + "/", "--runner", runner}
	if e != nil {
		args = append(args, "--endpoint", e.address, "--parallelism", "2", "--environment_type",
			"PROCESS", "--environment_config", string(environment))
	}
	cmd = exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleEnv+"=program", haltEnv+"=")
	return cmd, file
}

// kill kills the task manager that a worker belongs to, and the worker.
func kill(t *testing.T, worker int, managers []*exec.Cmd) {
	t.Helper()
	for pid := worker; pid > 1; {
		parent := 0
		if fields := stat(pid); len(fields) > 1 {
			parent, _ = strconv.Atoi(fields[1])
		}
		must(t, syscall.Kill(pid, syscall.SIGKILL))
		if slices.ContainsFunc(managers, func(m *exec.Cmd) bool { return m.Process.Pid == pid }) {
			return
		}
		pid = parent
	}
	t.Fatalf("worker %d is no task manager's", worker)
}

// Processes of Flink and Spark make the same bytes as kcut run, also if a task manager is killed
// while it masks.
func TestEngines(t *testing.T) {
	jars := os.Getenv(jarsEnv)
	if jars == "" {
		t.Skip("takes Java, and jars of Flink and Spark: make test-engines gets them")
	}
	for _, rows := range []int{1_000_000, 10_000_000} {
		t.Run(strconv.Itoa(rows), func(t *testing.T) {
			p := newPeople(t, rows)
			alone := exec.Command("../../bin/kcut", "run", filepath.Join(p.dir, "people.yaml"),
				"--input", filepath.Join(p.dir, "people.parquet"), "--output",
				filepath.Join(p.dir, "alone")+"/")
			p.run(t, "kcut run", nil, alone)
			t.Run("Prism", func(t *testing.T) {
				cmd, _ := p.command("prism", "prism", nil, false)
				p.run(t, "Prism", nil, cmd)
				same(t, p.dir, "prism", "alone")
			})
			t.Run("Spark", func(t *testing.T) {
				spark := startSpark(t, jars)
				cmd, _ := p.command("spark", "spark", spark, false)
				p.run(t, "Spark", spark, cmd)
				same(t, p.dir, "spark", "alone")
			})
			t.Run("Flink", func(t *testing.T) {
				flink, _ := startFlink(t, jars)
				cmd, _ := p.command("flink", "flink", flink, false)
				p.run(t, "Flink", flink, cmd)
				same(t, p.dir, "flink", "alone")
			})
		})
	}
}

// The kill of a task manager of Flink while it masks changes no byte of the release.
func TestKilledTaskManagers(t *testing.T) {
	jars := os.Getenv(jarsEnv)
	if jars == "" {
		t.Skip("takes Java, and jars of Flink: make test-engines gets them")
	}
	p := newPeople(t, 1_000_000)
	p.finish(t, exec.Command("../../bin/kcut", "run", filepath.Join(p.dir, "people.yaml"),
		"--input", filepath.Join(p.dir, "people.parquet"), "--output",
		filepath.Join(p.dir, "alone")+"/"))
	flink, managers := startFlink(t, jars)
	cmd, file := p.command("killed", "flink", flink, true)
	var said bytes.Buffer
	cmd.Stderr = &said
	must(t, cmd.Start())
	kill(t, awaitHalt(t, file, &said), managers)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("a task manager was killed: %v\n%s", err, said.String())
	}
	same(t, p.dir, "killed", "alone")
}
