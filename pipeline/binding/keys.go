package binding

import (
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/pseudonym"
)

// LoadKeys reads the keys of a job's pseudonyms, by column. An unusable one is an error with its
// place in the job.
func LoadKeys(j *job.Job) (map[string]*pseudonym.Key, error) {
	keys := make(map[string]*pseudonym.Key)
	for i := range j.Columns {
		c := &j.Columns[i]
		if c.Mask != job.MaskPseudonym {
			continue
		}
		read, from, at := pseudonym.ReadVariable, c.KeyEnv, "key_env"
		if c.KeyFile != "" {
			read, from, at = pseudonym.ReadFile, c.KeyFile, "key_file"
		}
		key, err := read(from)
		if err != nil {
			const hint = "give every run that is to make the same pseudonyms one key of 16 " +
				"random bytes or more, as openssl rand -hex 32 prints them, and keep it where no " +
				"release goes"
			return nil, &fault.Error{
				Class: fault.Usage,
				Hint:  hint,
				Err:   j.Located(c.Name, at, err),
			}
		}
		keys[c.Name] = key.With(c.With)
	}
	return keys, nil
}
