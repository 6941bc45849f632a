package choose

import "testing"

// A candidate that was dropped in the last round, behind the best one, is chosen before the trusted
// one only where chance does not explain that it is as good. A trusted candidate that is dropped is
// no longer trusted.
func TestTrust(t *testing.T) {
	const trusted = 1
	judged := func(in bool) *Verdict {
		v := &Verdict{Estimates: []Estimate{{Rounds: 1, Loss: 0.12},
			{Rounds: 1, Loss: 0.13, Trusted: true}, {Rounds: 1, Loss: 0.1, Chance: 1}}}
		c := newContest(v.Estimates, 100)
		for i, wrong := range []uint64{12, 13, 10} {
			c.sums[i] = score{tested: 100, wrong: wrong}
		}
		c.in[0], c.in[trusted] = false, in
		c.apart = [][]uint64{{0, 25, 0}, {25, 0, 9}, {0, 9, 0}}
		c.trust(trusted)
		v.choose()
		return v
	}
	if v := judged(true); v.Chosen != trusted || v.Estimates[0].Chance != 0.05 ||
		v.Estimates[2].Chance != 0.03 {
		t.Errorf("chosen of %+v is %d", v.Estimates, v.Chosen)
	}
	if v := judged(false); v.Chosen != 2 || v.Estimates[trusted].Trusted {
		t.Errorf("chosen of %+v is %d", v.Estimates, v.Chosen)
	}
}
