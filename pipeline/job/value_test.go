package job

import "testing"

func TestParseSize(t *testing.T) {
	good := map[string]int64{
		"1048576": 1 << 20, "1GiB": 1 << 30, "1.5 GiB": 3 << 29, "2GB": 2e9, "512MiB": 512 << 20, "3T": 3e12, "1kB": 1000, "7KiB": 7 << 10, "5 B": 5,
	}
	for text, want := range good {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "GiB", "-1GiB", "1 gig", "1e9", "0x10", "1,5GiB", "99999999TiB", "1GiB\n", "1..2GB"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q: got %d", text, got)
		}
	}
}

func TestSizeText(t *testing.T) {
	for bytes, want := range map[int64]string{1 << 30: "1GiB", 3 << 29: "1536MiB", 2e9: "2GB", 1<<20 + 1: "1048577", 5e12: "5TB"} {
		if got := sizeText(bytes); got != want {
			t.Errorf("%d: got %s, want %s", bytes, got, want)
		}
		if back, err := parseSize(want); err != nil || back != bytes {
			t.Errorf("%s: got %d, %v", want, back, err)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	tests := []struct{ word, want string }{
		{"clas", "class"}, {"inptu", "input"}, {"Output", "output"}, {"x", ""}, {"algoritm", "algorithm"}, {"", ""},
	}
	names := []string{"input", "output", "class", "algorithm"}
	for _, tt := range tests {
		want := ""
		if tt.want != "" {
			want = `did you mean "` + tt.want + `"?`
		}
		if got := didYouMean(tt.word, names); got != want {
			t.Errorf("%s: got %q, want %q", tt.word, got, want)
		}
	}
}
