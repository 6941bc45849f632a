//go:build unix && !linux

package publish

import "errors"

func exchange(string, string) error { return errors.ErrUnsupported }
