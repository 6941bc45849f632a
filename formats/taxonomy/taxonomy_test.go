package taxonomy

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/yaml"
	"github.com/kcut/kcut/internal/seedtest"
)

// outline renders a tree on one line: a(b c(d)).
func outline(n *Node) string {
	if n.Leaf() {
		return n.Name
	}
	children := make([]string, len(n.Children))
	for i := range n.Children {
		children[i] = outline(&n.Children[i])
	}
	return n.Name + "(" + strings.Join(children, " ") + ")"
}

// parseText parses a text as the kind of taxonomy file that name stands for.
func parseText(name, text string) (*Node, yaml.Problems) {
	if name == "csv" {
		return parseHierarchy([]byte(text))
	}
	return parseTree([]byte(text))
}

func TestTaxonomy(t *testing.T) {
	tests := []struct{ name, kind, text, want string }{
		{"maps", "yaml", "ANY: {A: {}, B: {C: {}, D: }}", "ANY(A B(C D))"},
		{"leaf forms", "yaml", "ANY:\n  A: {}\n  B: null\n  C:\n  D: ~\n  E: []\n  F: [G, H]\n",
			"ANY(A B C D E F(G H))"},
		{"items with trees", "yaml", "ANY:\n- A\n- B: [C, D]\n- E: {}\n  F: [G]\n",
			"ANY(A B(C D) E F(G))"},
		{"names keep their text", "yaml",
			"ANY:\n  1: [01, 0x1F, 1.50, 1e3, true, 2020-01-01, 1_000]\n  \"null\": [ 'x ' ]\n",
			"ANY(1(01 0x1F 1.50 1e3 true 2020-01-01 1_000) null(x ))"},
		{"byte order mark, CRLF, comments", "yaml",
			"\ufeff# c\r\nANY:  # top\r\n  A: {}\r\n  B: {}\r\n", "ANY(A B)"},
		{"education", "csv",
			"Bachelors;Undergraduate;Higher education;*\nSome-college;Undergraduate;Higher " +
				"education;*\n11th;High School;Secondary education;*\nMasters;Graduate;Higher " +
				"education;*\n",
			"*(Higher education(Undergraduate(Bachelors Some-college) Graduate(Masters)) " +
				"Secondary education(High School(11th)))"},
		{"age", "csv", "17;0-19;0-39;*\n18;0-19;0-39;*\n45;40-59;40-79;*\n",
			"*(0-39(0-19(17 18)) 40-79(40-59(45)))"},
		{"sex", "csv", "Male;*\nFemale;*\n", "*(Male Female)"},
		{"commas and quotes", "csv", "\"a;1\",\"say \"\"x\"\"\",*\n\"b\n2\",\"say \"\"x\"\"\",*\n",
			"*(say \"x\"(a;1 b\n2))"},
		{"repeated labels are one node", "csv", "Other;Other;*;*\nA;B;C;*\nD;D;C;*\n",
			"*(Other C(B(A) D))"},
		{"levels of different depth", "csv", "A;A;A;*\nB;C;C;*\n", "*(A C(B))"},
		{"CRLF, no last newline", "csv", "\ufeffA;X;*\r\nB;X;*", "*(X(A B))"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree, problems := parseText(tt.kind, tt.text)
			if len(problems) > 0 {
				t.Fatalf("problems:\n%s", problems)
			}
			if got := outline(tree); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestTaxonomyProblems(t *testing.T) {
	tests := []struct {
		name, kind, text string
		want             []string // line:column: start of the message
	}{
		{"two roots", "yaml", "A: [B]\nC: [D]\n", []string{"2:1: a second root"}},
		{"no root", "yaml", "[A, B]", []string{"1:1: not a tree"}},
		{"empty file", "yaml", "# nothing\n", []string{"1:1: no tree"}},
		{"only a root", "yaml", "A: {}\n", []string{"1:1: a root without children"}},
		{"names twice", "yaml", "A:\n  B: [C, D]\n  E: [C, A]\n",
			[]string{"3:7: name used twice in one tree, first on line 2",
				"3:10: name used twice in one tree, first on line 1"}},
		{"duplicate key", "yaml", "A:\n  B: {}\n  B: {}\n",
			[]string{"3:3: duplicate key, first on line 2"}},
		{"empty names", "yaml", "A:\n  \"\": [B]\n  C: [null, D]\n  E:\n  - \n  - F\n",
			[]string{"2:3: empty name", "3:7: a null is no name", "5:4: empty name"}},
		{"text as children", "yaml", "A:\n  B: C\n", []string{"2:6: a node's value must be"}},
		{"nested lists", "yaml", "A: [[B, C], D]\n", []string{"1:5: a list inside a list"}},
		{"anchors, aliases, merge keys, tags", "yaml",
			"A:\n  B: &b [C]\n  D: *b\n  <<: {E: {}}\n  F: !!set {}\n",
			[]string{"2:6: anchors", "3:6: aliases", "4:3: merge keys", "5:6: tags"}},
		{"two documents", "yaml", "A: [B]\n---\nC: [D]\n", []string{"3:1: a second document"}},
		{"directive", "yaml", "%YAML 1.2\n---\nA: [B]\n", []string{"1:1: directives"}},
		{"syntax", "yaml", "A: [B\n", []string{"1:4: not valid YAML"}},
		{"not UTF-8", "yaml", "A: [B,\n ü\xff]\n", []string{"2:3: not UTF-8"}},
		{"complex key", "yaml", "? [a, b]\n: {}\n", []string{"2:1: not valid YAML"}},
		{"two roots", "csv", "A;X;*\nB;Y;ANY\n", []string{"2:5: a second root"}},
		{"ragged", "csv", "A;X;*\nB;*\n\nC;X;Y;*\n",
			[]string{"2:1: fields of this row: 2, of the first row: 3",
				"4:1: fields of this row: 4, of the first row: 3"}},
		{"empty field", "csv", "A;;*\nB;X;*\n;X;*\n", []string{"1:3: empty name"}},
		{"two parents", "csv", "A;X;*\nB;Y;*\nA;Y;*\n",
			[]string{"3:1: name used twice in one tree, first on line 1"}},
		{"cycle", "csv", "A;B;*\nB;A;*\n",
			[]string{"2:1: name used twice in one tree, first on line 1",
				"2:3: name used twice in one tree, first on line 1"}},
		{"root below itself", "csv", "A;*;X;*\n",
			[]string{"1:3: name used twice in one tree, first on line 1"}},
		{"leaf twice", "csv", "A;X;*\nA;X;*\n",
			[]string{"2:1: a second row for the leaf of line 1"}},
		{"leaf and parent", "csv", "Other;Other;*\nA;Other;*\n",
			[]string{"1:1: the leaf of this row is also the parent of the node on line 2"}},
		{"empty file", "csv", "\n\n", []string{"1:1: no tree"}},
		{"only a root", "csv", "*;*\n", []string{"1:3: a root without children"}},
		{"one column", "csv", "A\nB\n", []string{"2:1: a second root"}},
		{"quotes", "csv", "A;X;*\nB\"b;X;*\n", []string{"2:"}},
		{"not UTF-8", "csv", "A;X;*\n\xff;X;*\n", []string{"2:1: not UTF-8"}},
	}
	for _, tt := range tests {
		t.Run(tt.kind+" "+tt.name, func(t *testing.T) {
			tree, problems := parseText(tt.kind, tt.text)
			if tree != nil || len(problems) != len(tt.want) {
				t.Fatalf("tree %v, %d problems, want %d:\n%s", tree, len(problems), len(tt.want),
					problems)
			}
			for i, p := range problems {
				got := fmt.Sprintf("%d:%d: %s", p.Line, p.Column, p.Message)
				if !strings.HasPrefix(got, tt.want[i]) {
					t.Errorf("problem %d is %q, want %q", i, got, tt.want[i])
				}
			}
		})
	}
}

// The names of a taxonomy are values of the data, and people share messages.
func TestTaxonomyProblemsHideNames(t *testing.T) {
	const secret = "Secret"
	texts := map[string][]string{
		"yaml": {"A: [Secret, Secret]", "Secret: {}", "A:\n  Secret: Secret\n",
			"Secret: [A]\nA: {}", "A: {Secret: [B, &x C]}", "A: {Secret: {}, Secret: {}}",
			"A: [Secret, @Secret]", "Secret: \"\\S\""},
		"csv": {"Secret;X;*\nSecret;Y;*\n", "Secret;X;*\nSecret;X;*\n", "Secret\nA\n",
			"Secret;Secret;*\nA;Secret;*\n", "A;*\nSecret;\"x\"y\n"},
	}
	for kind, list := range texts {
		for _, text := range list {
			_, problems := parseText(kind, text)
			if len(problems) == 0 || strings.Contains(problems.Error(), secret) {
				t.Errorf("%s %q: %q", kind, text, problems)
			}
		}
	}
}

func TestReadTaxonomies(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	trees, err := ReadAll(write("good.yaml", "sex: {ANY: [F, M]}\n1: {ANY: [F, M]}\n"))
	if err != nil || len(trees) != 2 || outline(trees["sex"]) != "ANY(F M)" ||
		outline(trees["1"]) != "ANY(F M)" {
		t.Errorf("got %v, %v", trees, err)
	}
	var te yaml.Problems
	_, err = ReadAll(write("bad.yaml", "a:\nb: {X: [C, C]}\nc: {X: [C], Y: [D]}\n"))
	if !errors.As(err, &te) || len(te) != 3 {
		t.Fatalf("got %v", err)
	}
	if want := filepath.Join(dir, "bad.yaml") + ":1:"; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %q, want it to start with %q", err, want)
	}
	if _, err = ReadAll(write("list.yaml", "- a\n")); !errors.As(err, &te) {
		t.Errorf("a list: got %v", err)
	}
	tree, err := Read(write("sex.csv", "M,*\nF,*\n"))
	if err != nil || outline(tree) != "*(M F)" {
		t.Errorf("got %v, %v", tree, err)
	}
	if _, err = Read(filepath.Join(dir, "none.csv")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: got %v", err)
	}
}

// A random tree stays the same if it is written in each form and read again.
func TestTaxonomyRoundTrip(t *testing.T) {
	seed := seedtest.Seed(t)
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	for range 200 {
		root, rows := randomTree(rnd)
		want := outline(root)
		fromCSV, problems := parseHierarchy([]byte(strings.Join(rows, "\n")))
		if len(problems) > 0 || outline(fromCSV) != want {
			t.Fatalf("csv: want %s, problems %v", want, problems)
		}
		fromYAML, problems := parseTree([]byte("{" + flowYAML(root) + "}"))
		if len(problems) > 0 || outline(fromYAML) != want {
			t.Fatalf("yaml: want %s, problems %v", want, problems)
		}
	}
}

// randomTree makes a tree and its rows. Rows of short paths repeat a label.
func randomTree(rnd *rand.Rand) (*Node, []string) {
	names, depth := 0, 1+rnd.IntN(5)
	var rows []string
	var grow func(path []string) Node
	grow = func(path []string) Node {
		n := Node{Name: fmt.Sprintf("n %d", names)}
		names++
		path = append(slices.Clone(path), n.Name)
		if len(path) > 1 && (len(path) > depth || rnd.IntN(3) == 0) {
			for len(path) <= depth {
				at := rnd.IntN(len(path))
				path = slices.Insert(path, at, path[at])
			}
			slices.Reverse(path)
			rows = append(rows, strings.Join(path, ";"))
			return n
		}
		for range 1 + rnd.IntN(4) {
			n.Children = append(n.Children, grow(path))
		}
		return n
	}
	root := grow(nil)
	return &root, rows
}

// flowYAML writes a tree as YAML in flow style.
func flowYAML(n *Node) string {
	children := make([]string, len(n.Children))
	for i := range n.Children {
		children[i] = flowYAML(&n.Children[i])
	}
	return fmt.Sprintf("%q: {%s}", n.Name, strings.Join(children, ", "))
}

func FuzzTaxonomy(f *testing.F) {
	f.Add("ANY: {A: {}, B: [C, D]}")
	f.Add("A;B;*\nC;B;*\n")
	f.Add(",0") // the empty text is a leaf
	f.Add("? - - {a: [b\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range []string{"yaml", "csv"} {
			tree, problems := parseText(kind, text)
			if (tree == nil) == (len(problems) == 0) {
				t.Fatalf("%s: tree %v with %d problems", kind, tree, len(problems))
			}
			if tree != nil {
				checkTree(t, tree, make(map[string]bool))
			}
		}
		_, _ = parseTrees([]byte(text))
	})
}

// checkTree fails if a tree uses a name twice, or has a node with an empty name that is no leaf.
func checkTree(t *testing.T, n *Node, seen map[string]bool) {
	if n.Name == "" && len(n.Children) > 0 || seen[n.Name] {
		t.Fatalf("bad name %q", n.Name)
	}
	seen[n.Name] = true
	for i := range n.Children {
		checkTree(t, &n.Children[i], seen)
	}
}
