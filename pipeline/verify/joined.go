package verify

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// Joined says how well people hide from somebody who joins releases by a column, such as one of
// pseudonyms. A person is a value of the column; rows with null are nobody's. People are in one
// class if their rows have, in each of the releases, the same combinations of labels of all masked
// columns; how many rows have them does not matter.
type Joined struct {
	Column  string   `json:"column"` // or several, by a comma and a space between them
	Paths   []string `json:"paths"`
	People  int64    `json:"people"`
	Several int64    `json:"in_several"` // people with rows in more than one of the releases
	K       int      `json:"k"`          // the smallest k of all cuts
	risk.Union
}

// Linked is a release, and the column by which somebody joins it with others.
type Linked struct{ Path, Column string }

// Join counts the people of joined releases. It only reads labels and the columns by which they are
// joined, and compares nothing with the cuts: see Release. It keeps to the limits as Release does,
// and reads the releases again for people who do not fit.
func Join(
	ctx context.Context, releases []Linked, limits job.Limits, events resources.Events,
) (j *Joined, err error) {
	memory := cmp.Or(limits.Memory, spill.DefaultLimit())
	budget := spill.NewBudget(memory)
	defer func() { err = budget.Advise(fileset.Advise(err)) }()
	all := make([]*linked, len(releases))
	for i, r := range releases {
		if all[i], err = openLinked(ctx, r.Path, r.Column); err != nil {
			return nil, err
		}
	}
	defer spill.LimitHeap(memory)()
	threads := cmp.Or(limits.Threads, runtime.GOMAXPROCS(0))
	_, err = events.Stage(ctx, resources.StageVerify, func() error {
		j, err = join(ctx, all, threads, budget, events)
		return err
	})
	if err != nil {
		return nil, err
	}
	j.Column = columnsOf(releases)
	return j, nil
}

// columnsOf returns the names of the columns by which releases are joined.
func columnsOf(releases []Linked) string {
	var columns []string
	for _, r := range releases {
		if !slices.Contains(columns, r.Column) {
			columns = append(columns, r.Column)
		}
	}
	return strings.Join(columns, ", ")
}

// JoinPairs counts the people of releases that are not written yet: for each, the pairs of a person
// and a class of labels, hashed, and each pair once. The smallest k of all releases is k.
func JoinPairs(
	releases []Linked, pairs [][][2]uint64, k int, budget *spill.Budget,
) (*Joined, error) {
	size, n := 0, uint64(len(pairs))
	for _, of := range pairs {
		size += len(of)
	}
	bytes := int64(size) * risk.OwnerBytes
	if err := budget.Draw("people of tables", bytes); err != nil {
		return nil, err
	}
	defer budget.Return(bytes)
	all := make([][2]uint64, 0, size)
	for number, of := range pairs {
		for _, pair := range of {
			all = append(all, [2]uint64{pair[0], numbered(pair[1], uint64(number), n)})
		}
	}
	j := &Joined{K: k, Column: columnsOf(releases)}
	return j, j.count(budget, func(classes *risk.Counter) error {
		j.add(all, n, classes)
		return nil
	})
}

// count counts people by the function that adds their classes.
func (j *Joined) count(budget *spill.Budget, add func(classes *risk.Counter) error) error {
	classes := risk.NewSum(risk.UnionHashes, budget)
	defer classes.Close()
	counter := classes.Counter(budget)
	if err := add(counter); err != nil {
		return err
	}
	if err := classes.Join(counter); err != nil {
		return err
	}
	j.Union = *classes.Figures(j.People, j.K).Union()
	return nil
}

// join counts the people of releases.
func join(
	ctx context.Context, all []*linked, threads int, budget *spill.Budget,
	events resources.Events,
) (*Joined, error) {
	memory := budget.Grant(&spill.Recount)
	memory = max(memory-risk.SumBytes, memory/2)
	shares := newShareRange(memory / 3 * 2) // the rest is for pairs that are sorted
	counters := make([]*linkCounter, threads)
	for i := range counters {
		counters[i] = newLinkCounter(shares, len(all))
	}
	j := &Joined{K: all[0].cut.SmallestK()}
	rows := int64(0)
	for _, l := range all {
		j.Paths, j.K = append(j.Paths, l.path), min(j.K, l.cut.SmallestK())
		rows += l.cut.Rows
	}
	return j, j.count(budget, func(classes *risk.Counter) error {
		for more := true; more; more = shares.next() {
			var done atomic.Int64
			for i, l := range all {
				err := l.read(ctx, i, counters, func(read int64) {
					events.Advanced(resources.StageVerify,
						resources.Progress{Done: done.Add(read), Total: rows})
				})
				if err != nil {
					return err
				}
			}
			pairs, err := allPairs(counters)
			if err != nil {
				return err
			}
			j.add(pairs, uint64(len(all)), classes)
		}
		return nil
	})
}

// add adds the people of some pairs of a person and a class in one of the releases.
func (j *Joined) add(pairs [][2]uint64, releases uint64, classes *risk.Counter) {
	slices.SortFunc(pairs, func(a, b [2]uint64) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	for len(pairs) > 0 {
		first, class, several, n := pairs[0], [1]uint64{}, false, 0
		for n < len(pairs) && pairs[n][0] == first[0] {
			several = several || pairs[n][1]%releases != first[1]%releases
			class[0] = risk.Scatter(risk.Join(class[0], pairs[n][1]))
			n++
		}
		pairs = pairs[n:]
		classes.Add(class[:])
		if j.People++; several {
			j.Several++
		}
	}
}

// linked is a release that is joined with others.
type linked struct {
	*rules
	path   string
	parts  []string
	column release.Kept
	key    labelKey // of all masked columns
}

// openLinked opens a release that has the column. It refuses a masked one: people share labels.
func openLinked(ctx context.Context, path, column string) (l *linked, err error) {
	l = &linked{}
	if l.path, err = fileset.Resolve(path); err != nil {
		return nil, err
	}
	cut, err := cutfile.Read(ctx, l.path)
	if err != nil {
		return nil, err
	}
	if l.parts, err = fileset.Parts(ctx, l.path); err != nil {
		return nil, err
	}
	l.rules = rulesOf(cut, nil, nil)
	var masked []int
	for i := range l.checks[:len(l.checks)-len(cut.Pseudonyms)] {
		masked = append(masked, i)
	}
	l.key = l.rules.key(masked)
	l.column = release.Kept{Name: column, Null: nullHash,
		Hash: func(values *formats.Values, i int) uint64 { return valueHash(values.Text(i)) }}
	file, err := release.Open(ctx, l.parts[0])
	if err != nil {
		return nil, fmt.Errorf("join %s: %w", path, err)
	}
	defer file.Close() // it was only read
	const hint = "name a column of pseudonyms, or another kept column, that every release has"
	isMasked := func(c columnCheck) bool { return c.name == column && !c.pseudonyms }
	switch {
	case slices.ContainsFunc(l.checks, isMasked):
		return nil, fault.Errorf(fault.Usage, hint, "join %s: column %s is masked", path, column)
	case !slices.Contains(file.Flat(), column):
		return nil, fault.Errorf(fault.Usage, hint, "join %s: it has no column %s, or a nested one",
			path, column)
	}
	return l, nil
}

// read counts the pairs of a person and a class of the release, on as many workers as there are
// counters. The release has a number among all.
func (l *linked) read(
	ctx context.Context, number int, counters []*linkCounter, progress func(rows int64),
) error {
	masked := l.masked()[:len(l.key.columns)]
	scanners := release.NewScanners(masked, []release.Kept{l.column}, len(counters))
	return workers.Each(len(l.parts), len(counters), func(w workers.Worker, i int) error {
		file, err := release.Open(ctx, l.parts[i])
		if err != nil {
			return fmt.Errorf("join %s: %w", l.parts[i], err)
		}
		defer file.Close() // it was only read
		l.readFolders(l.parts[i], file)
		return w.Each(file.RowGroups(), func(w workers.Worker, g int) error {
			scanner := scanners[w.Number]
			scanner.Share(w.Share)
			_, err := scanner.Rows(ctx, file, g,
				func(worker, rows int, numbers []release.Numbers, kept []release.Hashes) error {
					return counters[worker].count(&l.key, uint64(number), rows, numbers, &kept[0])
				})
			if err != nil {
				return fmt.Errorf("join %s: %w", l.parts[i], err)
			}
			progress(file.RowGroupRows(g))
			return nil
		})
	})
}

// linkCounter counts pairs of a person and a class, for one goroutine.
type linkCounter struct {
	releases uint64
	pairs    *table
	keys     []uint64 // scratch: keys of a block, one after the other
}

func newLinkCounter(shares *shareRange, releases int) *linkCounter {
	c := &linkCounter{releases: uint64(releases), pairs: newTable(2, shares)}
	c.pairs.class = 1 // all pairs of a person are counted in one pass
	return c
}

// count counts the pairs of a block of rows of a release. A class is a hash of the labels whose
// remainder is the number of the release.
func (c *linkCounter) count(
	key *labelKey, number uint64, rows int, numbers []release.Numbers, people *release.Hashes,
) error {
	c.keys = slices.Grow(c.keys[:0], rows*key.size)[:rows*key.size]
	for word := range key.size {
		key.pack(word, c.keys, numbers)
	}
	last := [2]uint64{nullHash}
	for row := range rows {
		at := people.One
		if !people.Same {
			at = people.Every[row]
		}
		person := people.List[at]
		if person == nullHash {
			continue
		}
		class := numbered(hashOf(c.keys[row*key.size:][:key.size]), number, c.releases)
		// Rows of a person often follow each other.
		if pair := [2]uint64{person, class}; pair != last {
			if err := c.pairs.add(pair[:], 1); err != nil {
				return err
			}
			last = pair
		}
	}
	return nil
}

// numbered returns the hash of a class whose remainder is the number of a release.
func numbered(class, number, releases uint64) uint64 {
	class >>= 1 // there is room for the number
	return class + number - class%releases
}

// allPairs takes the pairs of all counters.
func allPairs(counters []*linkCounter) ([][2]uint64, error) {
	sum := counters[0].pairs
	for _, c := range counters[1:] {
		for pair := range c.pairs.all() {
			if err := sum.add(pair, 1); err != nil {
				return nil, err
			}
		}
		c.pairs.clear()
	}
	pairs := make([][2]uint64, 0, sum.used)
	for pair := range sum.all() {
		pairs = append(pairs, [2]uint64(pair))
	}
	sum.clear()
	return pairs, nil
}
