package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"github.com/kcut/kcut/formats"
)

// packed compresses text with a codec.
func packed(t *testing.T, codec format.CompressionCodec, text []byte) []byte {
	t.Helper()
	if codec == format.Lz4 {
		return hadoopFrames(t, text)
	}
	out, err := parquet.LookupCompressionCodec(codec).Encode(nil, text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// hadoopFrames compresses text in two frames, as Hadoop does.
func hadoopFrames(t *testing.T, text []byte) []byte {
	t.Helper()
	var out []byte
	for _, part := range [][]byte{text[:len(text)/3], text[len(text)/3:]} {
		block := make([]byte, lz4.CompressBlockBound(len(part)))
		n, err := lz4.CompressBlock(part, block, nil)
		if err != nil {
			t.Fatal(err)
		}
		out = binary.BigEndian.AppendUint32(out, uint32(len(part)))
		out = binary.BigEndian.AppendUint32(out, uint32(n))
		out = append(out, block[:n]...)
	}
	return out
}

// exactCodecs are those for which Unpack can decide that nothing is skipped.
var exactCodecs = []format.CompressionCodec{format.Snappy, format.Gzip, format.Zstd}

var allCodecs = []format.CompressionCodec{format.Snappy, format.Gzip, format.Brotli, format.Zstd,
	format.Lz4Raw, format.Lz4}

func TestUnpack(t *testing.T) {
	text := bytes.Repeat([]byte("four score and seven years ago "), 500)
	for _, codec := range allCodecs {
		data := packed(t, codec, text)
		got := make([]byte, len(text))
		if exact, err := Unpack(codec, got, data); err != nil ||
			exact != slices.Contains(exactCodecs, codec) || !bytes.Equal(got, text) {
			t.Errorf("%s: exact %v, %v", codec, exact, err)
		}
		for _, size := range []int{len(text) - 1, len(text) + 1} {
			if _, err := Unpack(codec, make([]byte, size), data); !errors.Is(err,
				formats.ErrDamaged) {
				t.Errorf("%s: unpacked to %d bytes: %v, want ErrDamaged", codec, size, err)
			}
		}
		if _, err := Unpack(codec, got, data[:len(data)/2]); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("%s: half the data: %v, want ErrDamaged", codec, err)
		}
		if _, err := Unpack(codec, got, nil); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("%s: no data: %v, want ErrDamaged", codec, err)
		}
	}
	if _, err := Unpack(format.CompressionCodec(99), nil, nil); !errors.Is(err,
		formats.ErrUnsupported) {
		t.Errorf("unknown codec: %v, want ErrUnsupported", err)
	}
}

func TestUnpackGzipMembers(t *testing.T) {
	var data bytes.Buffer
	for _, part := range []string{"one ", "two"} {
		data.Write(packed(t, format.Gzip, []byte(part)))
	}
	got := make([]byte, len("one two"))
	if exact, err := Unpack(format.Gzip, got, data.Bytes()); err != nil || exact ||
		string(got) != "one two" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestUnpackBareLz4(t *testing.T) {
	text := bytes.Repeat([]byte("bare block "), 50)
	got := make([]byte, len(text))
	if _, err := Unpack(format.Lz4, got, packed(t, format.Lz4Raw, text)); err != nil ||
		!bytes.Equal(got, text) {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestUnpackInexact hides bytes where unpacking skips them: Unpack reports that, or fails.
func TestUnpackInexact(t *testing.T) {
	const hidden = "Ada Lovelace"
	text := bytes.Repeat([]byte("four score and seven years ago "), 500)
	member, frame, block := packed(t, format.Gzip, text), packed(t, format.Zstd, text),
		packed(t, format.Snappy, text)
	named := func(change func(*gzip.Writer)) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		change(w)
		_, err := w.Write(text)
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	empty := named(func(w *gzip.Writer) { w.Name = hidden; text = nil })
	text = bytes.Repeat([]byte("four score and seven years ago "), 500)
	skipped := append(binary.LittleEndian.AppendUint32([]byte("\x50\x2a\x4d\x18"),
		uint32(len(hidden))), hidden...)
	for name, tt := range map[string]struct {
		codec  format.CompressionCodec
		packed []byte
	}{
		"gzip name":    {format.Gzip, named(func(w *gzip.Writer) { w.Name = hidden })},
		"gzip comment": {format.Gzip, named(func(w *gzip.Writer) { w.Comment = hidden })},
		"gzip extra": {format.Gzip, named(func(w *gzip.Writer) {
			w.Extra = []byte(hidden)
		})},
		"gzip time": {format.Gzip, named(func(w *gzip.Writer) {
			w.ModTime = time.Unix(1815, 0)
		})},
		"gzip member before":  {format.Gzip, slices.Concat(empty, member)},
		"gzip member behind":  {format.Gzip, slices.Concat(member, empty)},
		"gzip bytes behind":   {format.Gzip, append(slices.Clone(member), hidden...)},
		"zstd frame before":   {format.Zstd, slices.Concat(skipped, frame)},
		"zstd frame behind":   {format.Zstd, slices.Concat(frame, skipped)},
		"zstd bytes behind":   {format.Zstd, append(slices.Clone(frame), hidden...)},
		"snappy bytes behind": {format.Snappy, append(slices.Clone(block), hidden...)},
		// a literal
		"snappy value behind": {format.Snappy, append(slices.Clone(block), byte(len(hidden)-1)<<2)},
	} {
		if exact, err := Unpack(tt.codec, make([]byte, len(text)), tt.packed); err == nil && exact {
			t.Errorf("%s: exact", name)
		}
	}
	// a run, uncompressed blocks, several blocks, a checksum
	for _, size := range []int{0, 1, 1 << 20} {
		for name, text := range map[string][]byte{"zeros": make([]byte, size),
			"noise": noise(size)} {
			for _, c := range []string{"zstd", "gzip", "snappy"} {
				compressor, err := NewCompressor(c, 0)
				if err != nil {
					t.Fatal(err)
				}
				data, err := compressor.Compress(nil, text)
				if err != nil {
					t.Fatal(err)
				}
				for _, data := range [][]byte{data, packed(t, compressor.Codec, text)} {
					if exact, err := Unpack(compressor.Codec, make([]byte, size), data); !exact ||
						err != nil {
						t.Errorf("%s of %d bytes of %s: exact %v, %v", c, size, name, exact, err)
					}
				}
			}
		}
	}
}

func noise(size int) []byte {
	b := make([]byte, size)
	rand.NewChaCha8([32]byte{}).Read(b)
	return b
}

// TestCheckSize: the best ratio of every codec is accepted, and impossible ones are refused.
func TestCheckSize(t *testing.T) {
	zeros := make([]byte, 4<<20)
	for _, codec := range allCodecs {
		if err := CheckSize(codec, len(packed(t, codec, zeros)), len(zeros)); err != nil {
			t.Errorf("%s: %d zeros: %v", codec, len(zeros), err)
		}
		if err := CheckSize(codec, 1<<20, MaxPageBytes+1); !errors.Is(err, formats.ErrUnsupported) {
			t.Errorf("%s: huge page: %v, want ErrUnsupported", codec, err)
		}
		if err := CheckSize(codec, 10, MaxPageBytes); codec != format.Brotli &&
			!errors.Is(err, formats.ErrDamaged) {
			t.Errorf("%s: bomb: %v, want ErrDamaged", codec, err)
		}
	}
}
