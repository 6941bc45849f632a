package draft_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/draft"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// A draft leaves the finest column that a release has of several with areas within each other, and
// the coarsest, also with some mistakes, but no zip codes. Codes of diseases stay next to
// descriptions; a word for ranges of a number stays next to it, unless it is called like it or says
// them in digits.
func TestDraftLeavesOneAreaAndOneDescription(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("age,sex,city,county,region,state,lat,lon,law_code,law_desc,diag_code," +
		"diag_desc,spend,member,spend_tier,tier,zip\n")
	rng := rand.New(rand.NewPCG(8, 3))
	for range 3000 {
		place, law, ill, spend := rng.IntN(400), rng.IntN(40), rng.IntN(40), rng.IntN(900)
		region := place / 40
		if rng.IntN(200) == 0 {
			region = 3
		}
		fmt.Fprintf(&out, "%d,%d,city%c%c,co%c%c,r%c,s%c,%.4f,%.4f,%d,law %c,%d,ill %c,%d,"+
			"%s,%s,%d-%d,%d\n", 20+rng.IntN(50), rng.IntN(2), 'a'+place%20, 'a'+place/20,
			'a'+place/8%20, 'a'+place/160, 'a'+region, 'a'+place/80,
			float64(place/80)*5+3*rng.Float64(), 100-float64(place/80)*4-4*rng.Float64(),
			100+law, 'a'+law/3, 100+ill, 'a'+ill/3, spend,
			[]string{"basic", "plus", "all"}[spend/300],
			[]string{"v", "w", "x", "y", "z"}[spend/200], spend/225*225, spend/225*225+224,
			12005+place*7)
	}
	write(t, "people.csv", out.String())
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"people.csv"}}, sees(0, 1))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"city": "drop", "county": "suppress",
		"zip": "drop", "region": "drop", "state": "suppress",
		"lat": "drop", "lon": "drop",
		"diag_code": "{mask:",
		"spend":     "{mask:", "member": "suppress", "spend_tier": "drop", "tier": "drop"} {
		if got := roleOfText(text, name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// The coarser one of two nested areas or units stays alone, unless a release has the finer one.
// Texts stay rather than more codes for them, and of heights the number of most values.
func TestDraftLeavesOneColumnOfAFact(t *testing.T) {
	at := func(n int, text string) func(i int) string {
		return func(i int) string { return fmt.Sprintf(text, 'a'+i*7%900/n) }
	}
	text := tableOf(t, 900, map[string]func(i int) string{
		"city":       func(i int) string { return fmt.Sprint("town ", i*7%900/3) },
		"department": at(18, "dept %c"), "college": at(90, "college %c"),
		"agency":  func(i int) string { return fmt.Sprint("agency ", i*7%900/15) },
		"country": at(60, "land %c"), "region": at(300, "part %c"), "zone": at(450, "zone %c"),
		"road_type": func(i int) string { return fmt.Sprint(i * 11 % 8) },
		"road_type_desc": func(i int) string {
			return []string{"lane", "way", "path"}[i*11%8%3]
		},
		"height_in_inches": func(i int) string { return fmt.Sprint(60 + i%20) },
		"height_feet":      func(i int) string { return fmt.Sprint(5 + i%20/12) },
	})
	for name, want := range map[string]string{"city": "drop", "department": "drop",
		"agency":  "drop",
		"college": "suppress",
		"country": "suppress", "region": "suppress", "zone": "suppress", "road_type": "drop",
		"road_type_desc":   "suppress",
		"height_in_inches": "discretize", "height_feet": "drop"} {
		if got := roleOfText(text, name); got != want {
			t.Errorf("%s: %s, want %s\n%s", name, got, want, text)
		}
	}
	if strings.Count(text, "# college has larger ones") != 3 {
		t.Errorf("city, department and agency are within colleges:\n%s", text)
	}
}

// Areas go next to larger ones, which are cut first then, and known, whatever their name, if few
// rows keep one value of either.
func TestDraftDropsBlurredAreas(t *testing.T) {
	for single, want := range map[[2]float64]string{{0.4, 0.3}: "drop, first: [sex, zone]",
		{0.6, 0.3}: "suppress, first: [sex]", {0.4, 0.6}: "suppress, first: [sex]"} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString("age,sex,zone,state\n")
		for i := range 1200 {
			area := i * 7 % 60
			fmt.Fprintf(&out, "%d,%c,b%c,p%c\n", 20+i*11%61, "mf"[i/60%2], 'A'+area/2, 'A'+area)
		}
		write(t, "stops.csv", out.String())
		opt := draft.Options{Input: []string{"stops.csv"}, For: draft.ForCount}
		text, err := draft.Job(t.Context(), opt, func(ctx context.Context, in *dataset.Dataset,
			j *job.Job, budget *spill.Budget) (*forecast.Trial, error) {
			of, err := sees(0, 1)(ctx, in, j, budget)
			of.Single = map[string]float64{"sex": 1, "state": single[0], "zone": single[1]}
			return of, err
		})
		role, first, _ := strings.Cut(want, ",")
		if err != nil || !strings.HasPrefix(roleOfText(text, "state"), role) ||
			!strings.Contains(text, first) || roleOfText(text, "zone") != "suppress" ||
			slices.Contains(doubted(text), "zone") {
			t.Errorf("%v: %v, want %s:\n%s", single, err, want, text)
		}
	}
}
