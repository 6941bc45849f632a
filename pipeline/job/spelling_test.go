package job

import "testing"

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
