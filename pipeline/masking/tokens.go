package masking

import (
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/pseudonym"
	"github.com/kcut/kcut/spill"
)

// tokens are the pseudonyms of one column's values, for one goroutine.
type tokens struct {
	maker  *pseudonym.Maker
	of     *formats.Values // whose pseudonyms are known
	made   *formats.Values
	column formats.Column
	ledger *spill.Account
}

// usualTokens are how many bytes tokens take that count as overhead.
const usualTokens = 1 << 20

func newTokens(c *column, budget *spill.Budget) *tokens {
	return &tokens{maker: c.key.NewMaker(), ledger: spill.NewAccount(budget, "the pseudonyms of column "+c.output.Field.Name)}
}

// replace returns a coded column with pseudonyms in the place of its values, until the next call.
func (t *tokens) replace(c *formats.Column) (*formats.Column, error) {
	if t.of != c.Values {
		t.of, t.made = c.Values, &formats.Values{Type: formats.Type{Kind: formats.String}}
	}
	t.maker.AppendTokens(t.made, t.of, t.made.Len())
	if bytes := int64(cap(t.made.Data)) + 4*int64(cap(t.made.Ends)); bytes > usualTokens {
		if err := t.ledger.Draw(bytes); err != nil {
			return nil, err
		}
	}
	t.column = *c
	t.column.Values = t.made
	return &t.column, nil
}

// close forgets the pseudonyms, and gives back what they took.
func (t *tokens) close() {
	t.of, t.made = nil, nil
	t.ledger.Close()
}
