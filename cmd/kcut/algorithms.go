package main

import (
	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
)

func newAlgorithms(u *ui) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "algorithms",
		Short: "List the algorithms that a job can name",
		Long: `Lists the algorithms that a job can name, what each needs besides the quasi-identifiers,
and when to use it. docs/algorithms.md describes them.`,
		Example: `  kcut algorithms
  kcut run people.yaml --algorithm mondrian`,
		Args: takes("no arguments", 0, 0),
	}
	addJSON(cmd, u)
	cmd.RunE = func(*cobra.Command, []string) error {
		return u.tell(map[string][]kcut.AlgorithmInfo{"algorithms": kcut.Algorithms()}, algorithmTable())
	}
	return cmd
}

func algorithmTable() string {
	t := newTable("algorithm", "needs", "when to use it")
	for _, a := range kcut.Algorithms() {
		t.add(a.Name, a.Needs, a.Use)
	}
	return t.String()
}
