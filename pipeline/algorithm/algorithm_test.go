package algorithm

import (
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine/topdown"
	"github.com/kcut/kcut/pipeline/job"
)

// An algorithm that is not in the list, as in a cut of another version, has an engine and no other
// properties.
func TestUnlisted(t *testing.T) {
	if TakesAway("later") || Unites("later") {
		t.Error("something is known of an algorithm that is not in the list")
	}
	if e := Engine(&job.Job{Algorithm: job.Algorithm{Name: "later"}}); !reflect.DeepEqual(e,
		topdown.Engine{}) {
		t.Errorf("its engine is %T", e)
	}
}
