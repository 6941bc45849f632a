package workers

import "context"

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

// queue holds the results of the producers that have begun.
type queue[T any] struct {
	results []chan T        // by producer
	begin   []chan struct{} // by producer: closed when it may begin
	ahead   int             // producers that may have begun behind the one whose results are consumed
}

func newQueue[T any](n, ahead int) *queue[T] {
	q := &queue[T]{results: make([]chan T, n), begin: make([]chan struct{}, n), ahead: ahead}
	for i := range n {
		q.results[i], q.begin[i] = make(chan T, 1), make(chan struct{})
		if i <= ahead {
			close(q.begin[i])
		}
	}
	return q
}

func (q *queue[T]) produce(ctx context.Context, i int, produce func(emit func(T) error) error) error {
	select {
	case <-q.begin[i]:
	case <-ctx.Done():
		return ctx.Err()
	}
	err := produce(func(result T) error {
		select {
		case q.results[i] <- result:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	if err == nil { // else the consumer must not take silence for the end
		close(q.results[i])
	}
	return err
}

func (q *queue[T]) consume(ctx context.Context, consume func(T) error) error {
	for i := range q.results {
		if err := q.consumeOne(ctx, i, consume); err != nil {
			return err
		}
		if next := i + 1 + q.ahead; next < len(q.begin) {
			close(q.begin[next])
		}
	}
	return nil
}

// consumeOne consumes all results of one producer.
func (q *queue[T]) consumeOne(ctx context.Context, i int, consume func(T) error) error {
	for {
		select {
		case result, open := <-q.results[i]:
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
