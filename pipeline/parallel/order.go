package parallel

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/kcut/kcut/pipeline/fault"
	"github.com/kcut/kcut/pipeline/hands"
)

// InOrder calls produce for 0 to n−1 on up to workers goroutines and consume with what they
// emit on one: first everything that 0 emitted, then 1, and so on. A producer that is ahead of
// its turn waits after its second result, and no more than workers of them get ahead of the
// first one, so few results exist at a time. What a producer shares by its hand is done by
// goroutines, too, for which there is nothing more to produce. InOrder returns the first error,
// after all goroutines have ended.
func InOrder[T any](ctx context.Context, n, workers int,
	produce func(ctx context.Context, hand hands.Hand, i int, emit func(T) error) error, consume func(T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	queue, free := make(chan chan T, workers), make(chan hands.Hand, workers)
	for _, hand := range hands.New(workers) {
		free <- hand
	}
	group.Go(func() error {
		defer close(queue)
		for i := range n {
			results := make(chan T, 1)
			if err := send(ctx, queue, results); err != nil {
				return err
			}
			var hand hands.Hand
			select {
			case hand = <-free:
			case <-ctx.Done():
				return ctx.Err()
			}
			group.Go(func() error {
				defer func() { free <- hand }()
				err := fault.Fence(func() error {
					return produce(ctx, hand, i, func(result T) error { return send(ctx, results, result) })
				})
				if err == nil { // else the consumer must not take silence for the end
					close(results)
				}
				return err
			})
		}
		for range workers {
			hand := <-free
			group.Go(func() error {
				hand.Lend()
				return nil
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
