package workers

import (
	"context"
	"sync"
)

// Ordered calls produce for 0 to n−1 on at most workers workers, and consume, on one goroutine,
// with their results: first everything from 0, then from 1, and so on. A producer that is ahead of
// its turn waits after its second result, and no more than workers of them get ahead of the first
// one, so few results exist at a time. Ordered returns the first error.
func Ordered[T any](ctx context.Context, n, workers int,
	produce func(ctx context.Context, w Worker, i int, emit func(T) error) error,
	consume func(T) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	fenced := func(f func() error) error {
		err := Fence(f)
		if err != nil {
			stop(err)
		}
		return err
	}
	q := &queue[T]{waiting: make(chan chan T, max(1, workers))}
	consumed := make(chan error, 1)
	go func() { consumed <- fenced(func() error { return q.consume(ctx, n, consume) }) }()
	produced := Each(n, workers, func(w Worker, _ int) error {
		return fenced(func() error {
			i, results, err := q.begin(ctx)
			if err == nil {
				err = produce(ctx, w, i, func(result T) error { return send(ctx, results, result) })
			}
			if err == nil { // otherwise the consumer would take silence for the end
				close(results)
			}
			return err
		})
	})
	if err := <-consumed; err != nil || produced != nil {
		return context.Cause(ctx)
	}
	return nil
}

// queue holds the results of the producers that have begun and whose turn has not come.
type queue[T any] struct {
	mu      sync.Mutex
	begun   int
	waiting chan chan T // in the order of their numbers
}

// begin waits until another producer may begin, and returns its number and the channel for its
// results.
func (q *queue[T]) begin(ctx context.Context) (i int, results chan T, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	results = make(chan T, 1)
	if err := send(ctx, q.waiting, results); err != nil {
		return 0, nil, err
	}
	q.begun++
	return q.begun - 1, results, nil
}

// consume consumes the results of n producers.
func (q *queue[T]) consume(ctx context.Context, n int, consume func(T) error) error {
	for range n {
		results, _, err := receive(ctx, q.waiting)
		for err == nil {
			result, open, failed := receive(ctx, results)
			if err = failed; !open {
				break
			}
			err = consume(result)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func send[T any](ctx context.Context, to chan<- T, value T) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	select {
	case to <- value:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func receive[T any](ctx context.Context, from <-chan T) (value T, open bool, err error) {
	select {
	case value, open = <-from:
		return value, open, nil
	case <-ctx.Done():
		return value, false, ctx.Err()
	}
}
