package masking

import (
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/pseudonym"
	"github.com/kcut/kcut/spill"
)

// pseudonyms are the pseudonyms of one column's values, for one goroutine.
type pseudonyms struct {
	maker   *pseudonym.Maker
	column  formats.Column
	account *spill.Account
}

// usualPseudonyms is the size in bytes up to which pseudonyms count as overhead.
const usualPseudonyms = 1 << 20

func newPseudonyms(c *releaseColumn, budget *spill.Budget) *pseudonyms {
	return &pseudonyms{maker: c.key.NewMaker(),
		account: spill.NewAccount(budget, "the pseudonyms of column "+c.output.Field.Name)}
}

// replace returns a coded column with pseudonyms in place of its values. It is valid until the next
// call.
func (t *pseudonyms) replace(c *formats.Column) (*formats.Column, error) {
	made := t.maker.Pseudonyms(c.Values)
	if bytes := int64(cap(made.Data)) + 4*int64(cap(made.Ends)); bytes > usualPseudonyms {
		if err := t.account.Draw(bytes); err != nil {
			return nil, err
		}
	}
	t.column = *c
	t.column.Values = made
	return &t.column, nil
}

// close returns the drawn bytes. No more pseudonyms can be made.
func (t *pseudonyms) close() {
	t.maker = nil
	t.account.Close()
}
