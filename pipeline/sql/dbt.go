package sql

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/kcut/kcut/internal/fault"
)

// dbtJob is the macro that prints a job. It needs no cut.
const dbtJob = `{#- Prints the job that is written in the meta of a model or source, and of its columns:
    dbt --quiet run-operation PACKAGE.job --args '{name: people}' > people.yaml -#}
{% macro job(name) %}
  {%- for node in graph.nodes.values() | list + graph.sources.values() | list
      if node.name == name and node.resource_type != 'test' -%}
    {%- set job = dict((node.config.meta or node.meta).kcut) -%}
    {%- set columns = {} -%}
    {%- for column in node.columns.values() if 'kcut' in column.meta -%}
      {%- do columns.update({column.name: column.meta.kcut}) -%}
    {%- endfor -%}
    {%- do job.update({'columns': columns}) -%}
    {%- do print(toyaml(job)) -%}
  {%- else -%}
    {%- do exceptions.raise_compiler_error('no model or source is called ' ~ name) -%}
  {%- endfor -%}
{% endmacro %}
`

// packageName matches names of packages of dbt.
var packageName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// DBT writes a package of dbt by the names of its files: a macro that prints the job of a node's
// meta; if there are groupings, one that counts a relation; and unless m is nil one that masks a
// relation, and a test that recounts a masked one.
func DBT(d *Dialect, name string, groupings [][]string, count string, m *Masked) (map[string]string,
	error) {
	if !packageName.MatchString(name) {
		return nil, fault.Errorf(fault.Usage, "name it with small letters, digits and _",
			"write a package of dbt: %q is no name of one", name)
	}
	project := "name: %s\nversion: 1.0.0\nconfig-version: 2\nmacro-paths: [macros]\n"
	files := map[string]string{
		"dbt_project.yml": fmt.Sprintf(project, name),
		"macros/job.sql":  strings.ReplaceAll(dbtJob, "PACKAGE", name),
	}
	if groupings != nil {
		counts, err := counting(d, relation, together(groupings), count)
		if err != nil {
			return nil, err
		}
		files["macros/counts.sql"] = dbtMacro("macro", "counts", "relation", counts+"\n")
	}
	if m == nil {
		return files, nil
	}
	masked := *m
	masked.From, masked.Into = relation, nil
	rows, err := Mask(d, &masked)
	if err != nil {
		return nil, err
	}
	v, err := recount(d, m.Cut.File, relation)
	if err != nil {
		return nil, err
	}
	files["macros/mask.sql"] = dbtMacro("macro", "mask", "relation", rows)
	files["macros/holds.sql"] = dbtMacro("test", "holds", "model", v.failures())
	return files, nil
}

// dbtMacro writes a macro, or a test, whose argument is the relation of a statement. In the
// statement no brace starts an expression of Jinja.
func dbtMacro(kind, name, argument, statement string) string {
	statement = strings.ReplaceAll(statement, "{", "{{ '{' }}")
	statement = strings.ReplaceAll(statement, relation[0], "{{ "+argument+" }}")
	return fmt.Sprintf("{%% %s %s(%s) %%}\n%s{%% end%[1]s %%}\n", kind, name, argument, statement)
}
