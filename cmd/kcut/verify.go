package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/cmd/internal/exit"
	"github.com/kcut/kcut/internal/text"
)

func newVerify(u *ui) *cobra.Command {
	var cut, path, count, joined string
	var population []string
	cmd := &cobra.Command{
		Use:   "verify FILE...",
		Short: "Recount released files and look for leaks, from the files alone",
		Long: `Recounts every quasi-identifier set of a released file or directory, checks its labels
against the embedded cut, and looks for anything that a release must not reveal. With
--cut it checks files that another engine has masked and that have no cut. Then anything
that kcut would not have written is a finding. With --job it also holds the release to that
job: to its sets with their k, its sensitive columns, max_risk, max_unique, and its masks. It
counts the people of the job's population in every class, against k_map and the presence in
the cut and in the job.

With --joined it also counts the people of all these releases together: how many are alone
for somebody who joins the releases by a column, such as one of pseudonyms.`,
		Example: `  kcut verify release.parquet
  kcut verify stays.parquet bills.parquet --joined patient`,
		Args:              takes("at least one released file", 1, -1),
		ValidArgsFunction: endingIn("parquet"),
	}
	cmd.Flags().StringVar(&cut, "cut", "",
		"the cut that files of another engine were masked with: `FILE`")
	offerFiles(cmd, "cut", "parquet", "json")
	cmd.Flags().StringVar(&path, "job", "",
		"hold the release to this `JOB`, too, and count people in its population")
	offerFiles(cmd, "job", jobEndings...)
	cmd.Flags().StringArrayVar(&population, "population", nil,
		"take `FILE` for the job's population; may be given several times")
	cmd.Flags().StringVar(&count, "population-count", "",
		"take a row of these files for as many people as column `NAME` says")
	cmd.Flags().StringVar(&joined, "joined", "",
		"count people by all their rows in these releases: by the `COLUMN` that names them")
	addJSON(cmd, u)
	limits := addLimits(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if path == "" && len(population) > 0 || len(population) == 0 && count != "" {
			return usageError(cmd.CommandPath(), "--population needs --job, and "+
				"--population-count needs --population")
		}
		limits, err := limits()
		if err != nil {
			return err
		}
		if joined != "" && cut != "" {
			return usageError(cmd.CommandPath(),
				"--joined reads the cut in each file: leave out --cut")
		}
		keepTo(limits.Threads)
		opt := kcut.VerifyOptions{Limits: limits, Cut: cut}
		if path != "" {
			if opt.Job, err = kcut.LoadJob(path); err != nil {
				return err
			}
			opt.Population = kcut.Population{Input: population, Count: count}
		}
		verified, err := u.verify(cmd.Context(), args, opt)
		if joined != "" && err == nil {
			err = u.verifyJoined(cmd.Context(), verified, args, joined, opt)
		}
		if !u.json {
			return err
		}
		verified.Error = exit.FailureOf(cmd.Context(), err)
		return errors.Join(err, u.answer(verified))
	}
	return cmd
}

// verifications is the JSON answer of kcut verify.
type verifications struct {
	Files []*kcut.Verification `json:"files"`
	OK    bool                 `json:"ok"`

	Joined *kcut.Joined `json:"joined,omitempty"`

	Error *exit.Failure `json:"error,omitempty"`
}

// verify verifies all files, also after a failure, and returns the first error.
func (u *ui) verify(ctx context.Context, paths []string, opt kcut.VerifyOptions) (*verifications,
	error) {
	all := &verifications{Files: []*kcut.Verification{}, OK: true}
	var first error
	for _, path := range paths {
		progress := u.follow()
		opt.Events = progress.events()
		v, err := kcut.Verify(ctx, path, opt)
		progress.close()
		if v != nil {
			all.Files = append(all.Files, v)
			if !u.json {
				err = errors.Join(err, u.printVerification(v))
			}
		}
		if err != nil && first == nil {
			all.OK, first = false, err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return all, first
}

// verifyJoined counts the people of verified files that are joined by a column.
func (u *ui) verifyJoined(ctx context.Context, to *verifications, paths []string, column string,
	opt kcut.VerifyOptions) (err error) {
	progress := u.follow()
	opt.Events = progress.events()
	to.Joined, err = kcut.VerifyJoined(ctx, paths, column, opt)
	progress.close()
	if to.OK = err == nil; err == nil && !u.json {
		err = u.printf("%s", u.joinedText(to.Joined))
	}
	return err
}

// joinedText reports the classes of people in joined releases.
func (u *ui) joinedText(j *kcut.Joined) string {
	counted := ""
	if j.Part > 0 {
		counted = fmt.Sprintf(" (counted in %s of the classes, give or take %s)",
			text.Percent(j.Part), text.Percent(j.Error))
	}
	words := fmt.Sprintf("joined by %s: %s people, %s of them in several releases: "+
		"%s of the people alone on the labels of all their rows, %s in classes of fewer than %s%s",
		j.Column, text.Grouped(j.People), text.Grouped(j.Several), text.Percent(j.Unique),
		text.Percent(j.BelowK), text.Grouped(int64(j.K)), counted)
	return u.sentence(text.Printable(words, "")) + "\n"
}

func (u *ui) printVerification(v *kcut.Verification) error {
	verdict := "ok"
	switch {
	case len(v.Findings) > 0:
		verdict = "broken"
	case !v.OK:
		verdict = "not counted"
	}
	var limited []string
	for _, m := range v.Sensitive {
		limited = append(limited, m.Column)
	}
	err := u.printf("%s: %s, %s\n%s%s%s", text.Printable(v.Path, ""), verdict,
		text.Count(v.Rows, "row"), u.setTable(v.Sets), u.unionText(v.Union, v.Sets, "rows"),
		u.homogeneousText(v.Homogeneous, v.Rows, len(v.Sets), limited))
	if len(v.Asked) > 0 {
		err = errors.Join(err, u.printf("by the job:\n%s", u.setTable(v.Asked)))
	}
	if v.Entity {
		err = errors.Join(err,
			u.printf("by its cut, k counts entities; whose a row is is not released, so rows "+
				"were counted\n"))
	}
	err = errors.Join(err, u.printf("%s", registersText(v)))
	if len(v.Sensitive) > 0 {
		err = errors.Join(err, u.printf("\n%s", measureTable(v.Sensitive)))
	}
	if loss := lossText(v.Suppressed, v.Dropped); loss != "" {
		err = errors.Join(err, u.printf("by its cut, %s\n", loss))
	}
	for _, finding := range v.Findings {
		err = errors.Join(err, u.printf("%s\n",
			u.sentence("finding: "+text.Printable(finding, ""))))
	}
	return err
}

// registersText lists what a table of the population shows about the classes of every set. If there
// is none, it names the limits of the cut that nobody has counted.
func registersText(v *kcut.Verification) (words string) {
	t := registerTable("set")
	for i, r := range v.Population {
		if r != nil {
			addRegister(t, r, strconv.Itoa(i+1))
		}
	}
	if len(v.Population) > 0 {
		return "\n" + t.String()
	}
	for i, set := range v.Sets {
		if limits := populationText(set); limits != "" {
			words += fmt.Sprintf("by its cut, set %d has %s in a population; "+
				"a --job that names it counts it\n", i+1, limits)
		}
	}
	return words
}

// registerTable returns an empty table for registers, with some columns before theirs.
func registerTable(before ...string) *table {
	return newTable(append(before, "people of the population", "fewest in a class",
		"smallest presence", "largest presence")...)
}

// addRegister adds a line about a register, with some cells before its figures.
func addRegister(t *table, r *kcut.CheckedRegister, before ...string) {
	t.add(append(before, text.Grouped(r.People), text.Grouped(r.KMap), text.Percent(r.MinPresence),
		text.Percent(r.MaxPresence))...)
}

// measureTable lists the measures of sensitive columns that were asked for, in the class of every
// set where they are worst.
func measureTable(measured []kcut.Measured) string {
	var asked []int
	head := []string{"sensitive", "set"}
	for i, key := range measureKeys() {
		if slices.ContainsFunc(measured, func(m kcut.Measured) bool {
			return m.List()[i].Value != nil
		}) {
			asked, head = append(asked, i), append(head, key)
		}
	}
	t := newTable(head...)
	for _, m := range measured {
		cells, figures := []string{m.Column, strconv.Itoa(m.Set)}, m.List()
		for _, i := range asked {
			cells = append(cells, figures[i].String())
		}
		t.add(cells...)
	}
	return t.String()
}

// measureKeys returns the keys of all measures of sensitive columns.
func measureKeys() (keys []string) {
	for _, figure := range new(kcut.Measured).List() {
		keys = append(keys, figure.Key)
	}
	return keys
}
