//go:build unix && !linux

package formats

import "errors"

func exchange(string, string) error { return errors.ErrUnsupported }
