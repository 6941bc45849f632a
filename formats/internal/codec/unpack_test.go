package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

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

var allCodecs = []format.CompressionCodec{format.Snappy, format.Gzip, format.Brotli, format.Zstd, format.Lz4Raw, format.Lz4}

func TestUnpack(t *testing.T) {
	text := bytes.Repeat([]byte("four score and seven years ago "), 500)
	for _, codec := range allCodecs {
		data := packed(t, codec, text)
		got := make([]byte, len(text))
		if err := Unpack(codec, got, data); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s: %v", codec, err)
		}
		for _, size := range []int{len(text) - 1, len(text) + 1} {
			if err := Unpack(codec, make([]byte, size), data); !errors.Is(err, formats.ErrDamaged) {
				t.Errorf("%s: unpacked to %d bytes: %v, want ErrDamaged", codec, size, err)
			}
		}
		if err := Unpack(codec, got, data[:len(data)/2]); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("%s: half the data: %v, want ErrDamaged", codec, err)
		}
		if err := Unpack(codec, got, nil); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("%s: no data: %v, want ErrDamaged", codec, err)
		}
	}
	if err := Unpack(format.CompressionCodec(99), nil, nil); !errors.Is(err, formats.ErrUnsupported) {
		t.Errorf("unknown codec: %v, want ErrUnsupported", err)
	}
}

func TestUnpackGzipMembers(t *testing.T) {
	var data bytes.Buffer
	for _, part := range []string{"one ", "two"} {
		w := gzip.NewWriter(&data)
		w.Write([]byte(part))
		w.Close()
	}
	got := make([]byte, len("one two"))
	if err := Unpack(format.Gzip, got, data.Bytes()); err != nil || string(got) != "one two" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestUnpackBareLz4(t *testing.T) {
	text := bytes.Repeat([]byte("bare block "), 50)
	got := make([]byte, len(text))
	if err := Unpack(format.Lz4, got, packed(t, format.Lz4Raw, text)); err != nil || !bytes.Equal(got, text) {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestCheckSize checks that no codec's best case is taken for a lie, and lies are seen.
func TestCheckSize(t *testing.T) {
	zeros := make([]byte, 4<<20)
	for _, codec := range allCodecs {
		if err := CheckSize(codec, len(packed(t, codec, zeros)), len(zeros)); err != nil {
			t.Errorf("%s: %d zeros: %v", codec, len(zeros), err)
		}
		if err := CheckSize(codec, 1<<20, MaxPageBytes+1); !errors.Is(err, formats.ErrUnsupported) {
			t.Errorf("%s: huge page: %v, want ErrUnsupported", codec, err)
		}
		if err := CheckSize(codec, 10, MaxPageBytes); codec != format.Brotli && !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("%s: bomb: %v, want ErrDamaged", codec, err)
		}
	}
}
