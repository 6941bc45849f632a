package publish

import "errors"

// Replace puts a file with a text in its place in one step, whether there is one or not.
func Replace(target string, text []byte) error {
	p, err := File(target)
	if err != nil {
		return err
	}
	if _, err = p.File().Write(text); err == nil {
		err = p.Publish()
	}
	if err != nil {
		return errors.Join(err, p.Discard())
	}
	return nil
}
