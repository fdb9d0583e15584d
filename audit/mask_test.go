package audit

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// C23: secrets go wherever they are a value; labels that merely contain one
// stay as they are.
func TestC23Mask(t *testing.T) {
	const m = Masked
	for _, c := range []struct{ name, text, secret, want string }{
		{"whole", "hunter2", "hunter2", m},
		{"whole, short", "a", "a", m},
		{"quoted, short", `set "a" in a field`, "a", `set "` + m + `" in a field`},
		{"word", "typing hunter2: refused", "hunter2", "typing " + m + ": refused"},
		{"twice, touching punctuation", "hunter2,hunter2", "hunter2", m + "," + m},
		{"contained at the front", "testing", "test", "testing"},
		{"contained at the end", "latest", "test", "latest"},
		{"contained beside a mark", "tes\u0301t", "tes", "tes\u0301t"},
		{"overlapping itself", "aaaaa aaaa", "aaaa", "aaaaa " + m},
		{"short words stay", "press a key, 12 times", "a", "press a key, 12 times"},
		{"other script", "пароль: секрет!", "секрет", "пароль: " + m + "!"},
		{"escaped in JSON", `{"text":"a\"b\\c d"}`, `a"b\c d`, `{"text":"` + m + `"}`},
		{"typographic quotes", "“ab” is wrong", "ab", "“" + m + "” is wrong"},
		{"blank", "a b", " ", "a b"},
		{"empty", "a b", "", "a b"},
		{"punctuation at its ends", "(p@ss!)", "p@ss!", "(" + m + ")"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Mask(c.text, []string{c.secret}); got != c.want {
				t.Errorf("Mask(%q, %q)\n got %q\nwant %q", c.text, c.secret, got, c.want)
			}
		})
	}
	if got := Mask("is pass word one", []string{"pass", "pass word"}); got != "is "+m+" one" {
		t.Errorf("the longer of two nested secrets was not masked whole: %q", got)
	}
}

func TestC23MaskJSON(t *testing.T) {
	got := string(MaskJSON(json.RawMessage(`{"text":"hunter2","pin":1234,"n":12345678901234567890,"hunter2":["<hunter2>",true,null,"hunter22"]}`),
		[]string{"hunter2", "1234"}))
	want := `{"hunter2":["<••••••>",true,null,"hunter22"],"n":12345678901234567890,"pin":"••••••","text":"••••••"}`
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if got := string(MaskJSON(json.RawMessage(`{"text": "hunter2"`), []string{"hunter2"})); strings.Contains(got, "hunter2") {
		t.Errorf("broken JSON keeps the secret: %s", got)
	}
}

// C23 as a property: a value is gone, a word that contains it is untouched, and
// masking twice changes nothing more.
func TestC23MaskProperty(t *testing.T) {
	word := rapid.StringMatching(`[a-zA-Z0-9äßé世]{4,12}`)
	gap := rapid.SampledFrom([]string{" ", ": ", ", ", "\"", " (", ") ", "\n", "=", "/"})
	rapid.Check(t, func(t *rapid.T) {
		secret := word.Draw(t, "secret")
		var text, want strings.Builder
		for i := range rapid.IntRange(1, 8).Draw(t, "words") {
			if i > 0 {
				g := gap.Draw(t, "gap")
				text.WriteString(g)
				want.WriteString(g)
			}
			w := word.Filter(func(s string) bool { return s != secret }).Draw(t, "word")
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				text.WriteString(secret)
				want.WriteString(Masked)
				continue
			case 1:
				w += secret
			case 2:
				w = secret + w
			}
			text.WriteString(w)
			want.WriteString(w)
		}
		got := Mask(text.String(), []string{secret})
		if got != want.String() {
			t.Fatalf("Mask(%q, %q)\n got %q\nwant %q", text.String(), secret, got, want.String())
		}
		if again := Mask(got, []string{secret}); again != got {
			t.Fatalf("masking twice changed %q to %q", got, again)
		}
	})
}
