package fence

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/kcut/kcut/formats"
)

func TestEach(t *testing.T) {
	for _, goroutines := range []int{0, 1, 2, 7, 1000} {
		for _, n := range []int{0, 1, 100} {
			var sum atomic.Int64
			if err := Each(n, goroutines, func(i int) error {
				sum.Add(int64(i))
				return nil
			}); err != nil || int(sum.Load()) != n*(n-1)/2 {
				t.Errorf("%d on %d goroutines: sum %d, %v", n, goroutines, sum.Load(), err)
			}
		}
		err := Each(100, goroutines, func(i int) error {
			if i%30 == 29 {
				return fmt.Errorf("number %d", i)
			}
			return nil
		})
		if err == nil || err.Error() != "number 29" {
			t.Errorf("on %d goroutines: got %v, want that of the first", goroutines, err)
		}
		if err := Each(3, goroutines, func(int) error {
			panic("spoiled")
		}); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("panics on %d goroutines: got %v, want ErrDamaged", goroutines, err)
		}
	}
}
