package classify

import "context"

// counts are what every column says of the class by itself.
type counts struct {
	codes   [][]uint64 // by column: the records of every code, then class
	classes []uint64   // the records of every class
}

// count counts the data's records. What the counts take is drawn twice: for what is made of
// them, too.
func count(ctx context.Context, d Data) (*counts, error) {
	c := &counts{codes: make([][]uint64, len(d.Columns)), classes: make([]uint64, d.Classes)}
	for i, column := range d.Columns {
		n := column.Domain * d.Classes
		if err := d.hold("counts by class", 2*n); err != nil {
			return nil, err
		}
		c.codes[i] = make([]uint64, n)
	}
	return c, d.each(ctx, func(tuple []uint32, class, count uint32) {
		for i, code := range tuple {
			c.codes[i][int(code)*d.Classes+int(class)] += uint64(count)
		}
		c.classes[class] += uint64(count)
	})
}
