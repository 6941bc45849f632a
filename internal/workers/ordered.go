package workers

import (
	"context"
	"sync"
)

// Ordered calls produce for 0 to n−1 on up to so many workers, and consume, on one goroutine,
// with what they emit: first everything that 0 emitted, then 1, and so on. A producer that is
// ahead of its turn waits after its second result, and no more than workers of them get ahead of
// the first one, so few results exist at a time. Ordered returns the error that came first.
func Ordered[T any](ctx context.Context, n, workers int,
	produce func(ctx context.Context, w Worker, i int, emit func(T) error) error, consume func(T) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	q := newQueue[T](n, workers)
	fenced := func(f func() error) error {
		err := Fence(f)
		if err != nil {
			stop(err)
		}
		return err
	}
	consumed := make(chan error, 1)
	go func() { consumed <- fenced(func() error { return q.consume(ctx, consume) }) }()
	produced := Each(n, workers, func(w Worker, i int) error {
		return fenced(func() error {
			return q.produce(ctx, i, func(emit func(T) error) error { return produce(ctx, w, i, emit) })
		})
	})
	if err := <-consumed; err != nil || produced != nil {
		return context.Cause(ctx)
	}
	return nil
}

// queue holds the results of the producers that have begun and are not consumed.
type queue[T any] struct {
	n       int
	results []chan T // of producer i at i modulo their number

	mu       sync.Mutex
	moved    sync.Cond // consumed has, or nobody waits any more
	consumed int       // producers all of whose results are
}

// newQueue returns a queue in which so many producers may be ahead of the one that is consumed.
func newQueue[T any](n, ahead int) *queue[T] {
	q := &queue[T]{n: n, results: make([]chan T, max(1, ahead)+1)}
	q.moved.L = &q.mu
	for i := range q.results {
		q.results[i] = make(chan T, 1)
	}
	return q
}

func (q *queue[T]) of(i int) *chan T { return &q.results[i%len(q.results)] }

// begin waits until a producer may begin, and returns where its results go.
func (q *queue[T]) begin(ctx context.Context, i int) (chan T, error) {
	stop := context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.moved.Broadcast()
	})
	defer stop()
	q.mu.Lock()
	defer q.mu.Unlock()
	for i >= q.consumed+len(q.results) && ctx.Err() == nil {
		q.moved.Wait()
	}
	return *q.of(i), ctx.Err()
}

// end makes room for the next producer.
func (q *queue[T]) end(i int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	*q.of(i), q.consumed = make(chan T, 1), i+1
	q.moved.Broadcast()
}

func (q *queue[T]) produce(ctx context.Context, i int, produce func(emit func(T) error) error) error {
	results, err := q.begin(ctx, i)
	if err != nil {
		return err
	}
	err = produce(func(result T) error {
		select {
		case results <- result:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	if err == nil { // else the consumer must not take silence for the end
		close(results)
	}
	return err
}

func (q *queue[T]) consume(ctx context.Context, consume func(T) error) error {
	for i := range q.n {
		if err := consumeAll(ctx, *q.of(i), consume); err != nil {
			return err
		}
		q.end(i)
	}
	return nil
}

// consumeAll consumes the results of one producer.
func consumeAll[T any](ctx context.Context, results <-chan T, consume func(T) error) error {
	for {
		select {
		case result, open := <-results:
			if !open {
				return nil
			}
			if err := consume(result); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
