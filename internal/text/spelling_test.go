package text

import "testing"

func TestDidYouMean(t *testing.T) {
	names := []string{"input", "output", "class", "algorithm"}
	for word, want := range map[string]string{
		"clas": "class", "inptu": "input", "Output": "output", "x": "", "algoritm": "algorithm",
		"": "",
	} {
		if want != "" {
			want = `did you mean "` + want + `"?`
		}
		if got := DidYouMean(word, names); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
}
