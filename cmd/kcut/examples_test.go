package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/cmd/internal/exit"
)

// The tests of this file run the commands of examples/ with other paths. They need no cluster and
// no scheduler, and they fail when an example becomes wrong.

// place is a folder with the folders that the examples expect: /data/in with people, /data/out,
// /jobs and /spill.
type place struct{ dir string }

func newPlace(t *testing.T) place {
	t.Helper()
	p := place{t.TempDir()}
	for _, dir := range []string{"data/in", "data/out", "data/reviews", "jobs", "spill"} {
		if err := os.MkdirAll(filepath.Join(p.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	code, out := p.kcut(t, nil, "sample", "--rows", "5000", "/data/in/people-2026-01-02.parquet")
	if code != 0 {
		t.Fatal(out)
	}
	return p
}

var absolute = regexp.MustCompile(`(^|[\s"=])/(data|jobs|spill)\b`)

// local prefixes the paths in a text with the folder of the place.
func (p place) local(text string) string {
	return absolute.ReplaceAllString(text, "${1}"+p.dir+"/${2}")
}

// kcut runs the program with the arguments and the environment of an example.
func (p place) kcut(t *testing.T, env []string, args ...string) (code int, output string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "kcut")
	for _, arg := range args {
		cmd.Args = append(cmd.Args, p.local(arg))
	}
	cmd.Env = os.Environ()
	for _, variable := range env {
		cmd.Env = append(cmd.Env, p.local(variable))
	}
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

// permanent are the exit codes after which another try is useless.
func permanent() []int {
	codes := []int{}
	for class, end := range exit.Classes {
		if class != kcut.ErrTransient && class != kcut.ErrCancelled {
			codes = append(codes, end.Code)
		}
	}
	slices.Sort(codes)
	return codes
}

// The types below have the fields of Kubernetes that the example uses. A field that is misspelled
// or in the wrong place is unknown to them.
type (
	metadata struct{ Name string }

	configMap struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Metadata   metadata
		Data       map[string]string
	}

	cronJob struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Metadata   metadata
		Spec       struct {
			Schedule                string
			TimeZone                string `yaml:"timeZone"`
			ConcurrencyPolicy       string `yaml:"concurrencyPolicy"`
			StartingDeadlineSeconds int    `yaml:"startingDeadlineSeconds"`
			JobTemplate             struct {
				Spec struct {
					BackoffLimit     int `yaml:"backoffLimit"`
					PodFailurePolicy struct {
						Rules []failureRule
					} `yaml:"podFailurePolicy"`
					Template struct{ Spec podSpec }
				}
			} `yaml:"jobTemplate"`
		}
	}

	failureRule struct {
		Action          string
		OnPodConditions []struct{ Type, Status string } `yaml:"onPodConditions"`
		OnExitCodes     *struct {
			ContainerName string `yaml:"containerName"`
			Operator      string
			Values        []int
		} `yaml:"onExitCodes"`
	}

	podSpec struct {
		RestartPolicy                 string `yaml:"restartPolicy"`
		TerminationGracePeriodSeconds int    `yaml:"terminationGracePeriodSeconds"`
		AutomountServiceAccountToken  *bool  `yaml:"automountServiceAccountToken"`
		SecurityContext               struct {
			RunAsNonRoot   bool                  `yaml:"runAsNonRoot"`
			RunAsUser      int                   `yaml:"runAsUser"`
			RunAsGroup     int                   `yaml:"runAsGroup"`
			FSGroup        int                   `yaml:"fsGroup"`
			SeccompProfile struct{ Type string } `yaml:"seccompProfile"`
		} `yaml:"securityContext"`
		Containers []container
		Volumes    []struct {
			Name                  string
			ConfigMap             *metadata `yaml:"configMap"`
			PersistentVolumeClaim *struct {
				ClaimName string `yaml:"claimName"`
				ReadOnly  bool   `yaml:"readOnly"`
			} `yaml:"persistentVolumeClaim"`
			EmptyDir *struct {
				SizeLimit string `yaml:"sizeLimit"`
			} `yaml:"emptyDir"`
		}
	}

	container struct {
		Name, Image     string
		Args            []string
		Env             []struct{ Name, Value string }
		Resources       struct{ Requests, Limits map[string]string }
		SecurityContext struct {
			AllowPrivilegeEscalation *bool `yaml:"allowPrivilegeEscalation"`
			ReadOnlyRootFilesystem   bool  `yaml:"readOnlyRootFilesystem"`
			Capabilities             struct{ Drop []string }
		} `yaml:"securityContext"`
		VolumeMounts []struct {
			Name      string
			MountPath string `yaml:"mountPath"`
			ReadOnly  bool   `yaml:"readOnly"`
		} `yaml:"volumeMounts"`
	}
)

// cronJobExample returns the objects of the example.
func cronJobExample(t *testing.T) (jobs configMap, cron cronJob) {
	t.Helper()
	first, second, ok := strings.Cut(repository(t, "examples", "kubernetes", "cronjob.yaml"),
		"\n---\n")
	if !ok {
		t.Fatal("the example is not two documents")
	}
	for text, object := range map[string]any{first: &jobs, second: &cron} {
		if err := yaml.UnmarshalWithOptions([]byte(text), object, yaml.Strict()); err != nil {
			t.Fatal(err)
		}
	}
	return jobs, cron
}

func TestCronJobIsSound(t *testing.T) {
	jobs, cron := cronJobExample(t)
	job := cron.Spec.JobTemplate.Spec
	pod := job.Template.Spec
	c := pod.Containers[0]
	volumes := make(map[string]bool)
	for _, v := range pod.Volumes {
		volumes[v.Name] = v.ConfigMap != nil && v.ConfigMap.Name == jobs.Metadata.Name ||
			v.PersistentVolumeClaim != nil || v.EmptyDir != nil && v.EmptyDir.SizeLimit != ""
	}
	writable := []string{}
	for _, m := range c.VolumeMounts {
		if !volumes[m.Name] {
			t.Errorf("there is no volume %s", m.Name)
		}
		if !m.ReadOnly {
			writable = append(writable, m.MountPath)
		}
	}
	for what, ok := range map[string]bool{
		"kinds": jobs.APIVersion == "v1" && jobs.Kind == "ConfigMap" &&
			cron.APIVersion == "batch/v1" && cron.Kind == "CronJob",
		"five fields of schedule": len(strings.Fields(cron.Spec.Schedule)) == 5,
		"one at a time":           cron.Spec.ConcurrencyPolicy == "Forbid",
		"retries":                 job.BackoffLimit >= 1 && pod.RestartPolicy == "Never",
		"time to leave":           pod.TerminationGracePeriodSeconds >= 10,
		"no root": pod.SecurityContext.RunAsNonRoot &&
			pod.SecurityContext.RunAsUser > 0 && pod.SecurityContext.FSGroup > 0,
		"read-only root": c.SecurityContext.ReadOnlyRootFilesystem &&
			slices.Equal(c.SecurityContext.Capabilities.Drop, []string{"ALL"}),
		"no privileges": c.SecurityContext.AllowPrivilegeEscalation != nil &&
			!*c.SecurityContext.AllowPrivilegeEscalation,
		"no token": pod.AutomountServiceAccountToken != nil &&
			!*pod.AutomountServiceAccountToken,
		"where it writes": slices.Equal(writable, []string{"/data/out", "/spill"}),
	} {
		if !ok {
			t.Errorf("%s: %+v", what, cron.Spec)
		}
	}
	rules := job.PodFailurePolicy.Rules
	last := rules[len(rules)-1]
	if last.Action != "FailJob" || last.OnExitCodes.Operator != "In" ||
		last.OnExitCodes.ContainerName != c.Name ||
		!slices.Equal(last.OnExitCodes.Values, permanent()) {
		t.Errorf("failure rule %+v, want the codes %v", last, permanent())
	}
	if rules[0].Action != "Ignore" || rules[0].OnPodConditions[0].Type != "DisruptionTarget" {
		t.Errorf("failure rule %+v", rules[0])
	}
	memory := slices.IndexFunc(c.Env, func(e struct{ Name, Value string }) bool {
		return e.Name == "KCUT_MEMORY"
	})
	var budget, limit int
	n, err := fmt.Sscanf(c.Env[memory].Value+" "+c.Resources.Limits["memory"], "%dGiB %dGi",
		&budget, &limit)
	if n != 2 || budget+1 > limit {
		t.Errorf("a limit of %d GiB for a budget of %d GiB: %v", limit, budget, err)
	}
}

func TestCronJobRuns(t *testing.T) {
	jobs, cron := cronJobExample(t)
	p := newPlace(t)
	for name, text := range jobs.Data {
		err := os.WriteFile(filepath.Join(p.dir, "jobs", name), []byte(p.local(text)), 0o600)
		if err != nil {
			t.Fatal(err)
		}
	}
	c := cron.Spec.JobTemplate.Spec.Template.Spec.Containers[0]
	var env []string
	for _, e := range c.Env {
		env = append(env, e.Name+"="+e.Value)
	}
	for range 2 { // and the next night, when the output exists
		if code, out := p.kcut(t, env, c.Args...); code != 0 {
			t.Fatalf("exit %d\n%s", code, out)
		}
	}
	if code, out := p.kcut(t, nil, "verify", "/data/out/people.parquet"); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// pythonTasks matches the operators of the DAG.
var pythonTasks = regexp.MustCompile(
	`KcutOperator\(task_id="(\w+)", arguments=(\[[^\]]*\])\)`)

func TestDAGRuns(t *testing.T) {
	dag := strings.ReplaceAll(repository(t, "examples", "airflow", "people.py"), "{{ ds }}",
		"2026-01-02")
	jobs, _ := cronJobExample(t)
	p := newPlace(t)
	err := os.WriteFile(filepath.Join(p.dir, "jobs", "people.yaml"),
		[]byte(p.local(jobs.Data["people.yaml"])), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range exit.Classes { // the operator handles every code
		if !strings.Contains(repository(t, "cmd", "kcut", "testdata", "script", "airflow.txtar"),
			"\n"+strconv.Itoa(end.Code)+": ") {
			t.Errorf("no case for exit code %d", end.Code)
		}
	}
	tasks := pythonTasks.FindAllStringSubmatch(dag, -1)
	if len(tasks) != 4 {
		t.Fatalf("found %d tasks", len(tasks))
	}
	for _, task := range tasks {
		var args []string
		if err := json.Unmarshal([]byte(task[2]), &args); err != nil {
			t.Fatal(err)
		}
		code, out := p.kcut(t, nil, args...)
		last := out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:]
		if code != 0 || !json.Valid([]byte(last)) {
			t.Errorf("task %s: exit %d\n%s", task[1], code, out)
		}
	}
}

// TestAirflow has Airflow run the DAG for a day, and again with a job that cannot be met.
func TestAirflow(t *testing.T) {
	if os.Getenv("KCUT_AIRFLOW") == "" {
		t.Skip("make test-airflow names a folder of programs with Airflow")
	}
	p := newPlace(t)
	jobs, _ := cronJobExample(t)
	home := filepath.Join(p.dir, "airflow")
	if err := os.MkdirAll(filepath.Join(home, "dags"), 0o700); err != nil {
		t.Fatal(err)
	}
	dag := p.local(repository(t, "examples", "airflow", "people.py"))
	save(t, filepath.Join(home, "dags", "people.py"), []byte(dag))
	airflow := func(args ...string) string {
		program := filepath.Join(os.Getenv("KCUT_AIRFLOW"), "airflow")
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Env = append(os.Environ(), "AIRFLOW_HOME="+home, "AIRFLOW__CORE__LOAD_EXAMPLES=False",
			"NO_COLOR=1")
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out)
	}
	day := func(job string) string {
		save(t, filepath.Join(p.dir, "jobs", "people.yaml"), []byte(p.local(job)))
		return airflow("dags", "test", "kcut_people", "2026-01-02")
	}
	airflow("db", "migrate")
	said := day(jobs.Data["people.yaml"])
	for _, name := range []string{"out/people-2026-01-02.parquet",
		"reviews/people-2026-01-02.html"} {
		if _, err := os.Stat(filepath.Join(p.dir, "data", name)); err != nil {
			t.Errorf("%v\n%s", err, said)
		}
	}
	said = day(strings.Replace(jobs.Data["people.yaml"], "k: 20", "k: 5001", 1))
	if !strings.Contains(said, "kcut ended with 4: ") || !strings.Contains(said, "lower k") {
		t.Errorf("the plan does not say why it failed:\n%s", said)
	}
}
