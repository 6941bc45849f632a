package pipeline

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// structs are the columns that are released as structs, with the type of their ends.
type structs map[string]formats.Type

// structsOf returns the structs of a cut whose input had some fields.
func structsOf(cut *cutfile.File, fields []formats.Field) structs {
	of := structs{}
	for _, c := range cut.Columns {
		if c.Render != job.RenderInterval {
			continue
		}
		of[c.Name] = formats.Type{} // ends are bytes then
		if at := slices.IndexFunc(fields, func(f formats.Field) bool {
			return f.Name == c.Name
		}); at >= 0 {
			of[c.Name] = typeOfEnds(fields[at].Type, &c)
		}
	}
	return of
}

// typeOfEnds returns the released type of a column's ends.
func typeOfEnds(of formats.Type, c *cutfile.Column) formats.Type {
	of.Wide = of.Wide && of.Kind == formats.Decimal
	if of.Unit == formats.Nano && !hasNanoseconds(c) {
		of.Unit = formats.Micro
	}
	return of
}

// readReleased reads a release, with each field of a struct as a column.
func readReleased(tb testing.TB, path string, source ...formats.Field) *grid {
	tb.Helper()
	return readGrid(tb, &job.Job{Input: []string{path}}, structsOf(readCut(tb, path), source))
}

// structParts are the fields of structs.
var structParts = []string{"lower", "upper", "closed"}

// split replaces structs by columns of their fields.
func (s structs) split(fields []formats.Field) (of []formats.Field) {
	for _, f := range fields {
		ends, ok := s[f.Name]
		if !ok {
			of = append(of, f)
			continue
		}
		for _, part := range structParts {
			t := ends
			if part == "closed" {
				t = textType
			}
			of = append(of, formats.Field{Name: f.Name + "." + part, Type: t, Nullable: true})
		}
	}
	return of
}

// appendLeaf adds the rows of a field of structs, whose values are PLAIN bytes.
func (c *textColumn) appendLeaf(tb testing.TB, l *formats.Leaf, of formats.Type) {
	tb.Helper()
	c.code("", true)
	if l.Repetition != nil {
		tb.Fatal("a field of an interval repeats")
	}
	at := 0
	for i := range l.Entries {
		if l.Definition[i] < 2 {
			c.codes = append(c.codes, 0)
			continue
		}
		c.codes = append(c.codes, c.code(plainText(of, l.Values.Bytes(at)), false))
		at++
	}
}

// plainText returns the text of a value that is PLAIN bytes.
func plainText(of formats.Type, raw []byte) string {
	little := func() uint64 {
		var all [8]byte
		copy(all[:], raw)
		if len(raw) == 4 && raw[3] >= 0x80 {
			binary.LittleEndian.PutUint32(all[4:], math.MaxUint32)
		}
		return binary.LittleEndian.Uint64(all[:])
	}
	v := &formats.Values{Type: of}
	switch {
	case of == formats.Type{}:
		return hex.EncodeToString(raw)
	case of.Kind == formats.String:
		return string(raw)
	case of.Wide:
		flipped := slices.Clone(raw)
		flipped[0] ^= 0x80
		v.AppendBytes(flipped)
	case of.Kind == formats.Float && of.Bits == 16:
		v.Words = []uint64{formats.FloatWord(formats.WidenFloat16(binary.LittleEndian.Uint16(raw)))}
	case of.Kind == formats.Float && of.Bits == 32:
		v.Words = []uint64{formats.FloatWord(formats.WidenFloat32(uint32(little())))}
	case of.Kind == formats.Float:
		v.Words = []uint64{formats.FloatWord(little())}
	case of.Kind == formats.Uint:
		v.Words = []uint64{little()}
	default:
		v.Words = []uint64{formats.IntWord(int64(little()))}
	}
	return v.Text(0)
}
