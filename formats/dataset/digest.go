package dataset

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/kcut/kcut/formats/digest"
	"github.com/kcut/kcut/formats/internal/fence"
)

// Digest returns a digest of the input that the patterns name: of all its files in their
// order (see package digest) and of their hive partitions, wherever they lie. Errors are those
// of Open.
func Digest(ctx context.Context, patterns []string, threads int) (sum digest.Sum, err error) {
	found, err := discover(ctx, patterns)
	if err != nil {
		return sum, err
	}
	sums := make([]digest.Sum, len(found))
	err = fence.Each(len(found), max(1, threads), func(i int) (err error) {
		sums[i], err = digest.File(ctx, found[i].path, max(1, threads/len(found)))
		return err
	})
	if err != nil {
		return sum, fmt.Errorf("digest input: %w", err)
	}
	hash := sha256.New()
	for i, file := range found {
		for _, p := range partitionsOf(file.hive) {
			fmt.Fprintf(hash, "%q=%q ", p.key, p.value)
		}
		fmt.Fprintln(hash, sums[i])
	}
	return digest.Sum(hash.Sum(nil)), nil
}
