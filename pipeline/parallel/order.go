package parallel

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/kcut/kcut/pipeline/fault"
)

// InOrder calls produce for 0 to n−1 on up to workers goroutines and consume with what they
// emit on one: first everything that 0 emitted, then 1, and so on. A producer that is ahead of
// its turn waits after its second result, and no more than workers of them get ahead of the
// first one, so few results exist at a time. InOrder returns the first error, after all
// goroutines have ended.
func InOrder[T any](ctx context.Context, n, workers int,
	produce func(ctx context.Context, i int, emit func(T) error) error, consume func(T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	queue, free := make(chan chan T, workers), make(chan struct{}, workers)
	group.Go(func() error {
		defer close(queue)
		for i := range n {
			results := make(chan T, 1)
			if err := send(ctx, queue, results); err != nil {
				return err
			}
			if err := send(ctx, free, struct{}{}); err != nil {
				return err
			}
			group.Go(func() error {
				defer func() { <-free }()
				err := fault.Fence(func() error {
					return produce(ctx, i, func(result T) error { return send(ctx, results, result) })
				})
				if err == nil { // else the consumer must not take silence for the end
					close(results)
				}
				return err
			})
		}
		return nil
	})
	group.Go(func() error {
		return fault.Fence(func() error { return consumeInOrder(ctx, queue, consume) })
	})
	return group.Wait()
}

func send[T any](ctx context.Context, to chan<- T, result T) error {
	select {
	case to <- result:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func consumeInOrder[T any](ctx context.Context, queue <-chan chan T, consume func(T) error) error {
	for results := range queue {
		for open := true; open; {
			var result T
			select {
			case result, open = <-results:
			case <-ctx.Done():
				return ctx.Err()
			}
			if open {
				if err := consume(result); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
