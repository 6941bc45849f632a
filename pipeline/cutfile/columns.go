package cutfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// Columns is a JSON object from column names to cuts that keeps its order.
type Columns []Column

// position returns where the column of a name is, -1 if it is nowhere.
func (c Columns) position(name string) int {
	return slices.IndexFunc(c, func(column Column) bool { return column.Name == name })
}

// MarshalJSON writes the columns in their order.
func (c Columns) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i := range c {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := Marshal(c[i].Name)
		if err != nil {
			return nil, err
		}
		column, err := Marshal(c[i])
		if err != nil {
			return nil, err
		}
		out.Write(append(append(name, ':'), column...))
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// UnmarshalJSON reads the columns in their order.
func (c *Columns) UnmarshalJSON(data []byte) error {
	in := json.NewDecoder(bytes.NewReader(data))
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return errors.New("columns is no JSON object")
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return err
		}
		column := Column{}
		if err := in.Decode(&column); err != nil {
			return err
		}
		column.Name = name.(string)
		*c = append(*c, column)
	}
	return nil
}
