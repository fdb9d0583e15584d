// Package ocr reads text from pixels with tesseract, a program of its own.
package ocr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"golang.org/x/image/draw"
)

// scale is how much a picture is enlarged first: screen text is smaller than
// what tesseract was trained on, and loses decimal points without.
const scale = 2

// Word is a word that was seen, in pixels of the picture.
type Word struct {
	Text       string
	At         image.Rectangle
	Line       int     // words of one line share it
	Confidence float64 // 0 to 1
}

// Languages lists the languages that are installed. An error says what to
// install.
func Languages(ctx context.Context) ([]string, error) {
	out, err := exec.CommandContext(ctx, "tesseract", "--list-langs").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("finding tesseract: it is not installed; install it with: apt-get install tesseract-ocr tesseract-ocr-eng")
	}
	if err != nil {
		return nil, fmt.Errorf("asking tesseract for its languages: %w", err)
	}
	var langs []string
	for line := range strings.Lines(string(out)) {
		if name := strings.TrimSpace(line); name != "osd" && !strings.Contains(name, " ") {
			langs = append(langs, name) // the heading has blanks, "osd" is no language
		}
	}
	return langs, nil
}

// Read returns the words on img in reading order. Language is tesseract's, such
// as "eng" or "eng+chi_sim".
func Read(ctx context.Context, img image.Image, language string) ([]Word, error) {
	size := img.Bounds().Size()
	if size.X == 0 || size.Y == 0 {
		return nil, nil
	}
	large := image.NewGray(image.Rect(0, 0, size.X*scale, size.Y*scale))
	draw.ApproxBiLinear.Scale(large, large.Bounds(), img, img.Bounds(), draw.Src, nil)
	var in bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.NoCompression}
	if err := encoder.Encode(&in, large); err != nil {
		return nil, fmt.Errorf("encoding a picture for tesseract: %w", err)
	}
	cmd := exec.CommandContext(ctx, "tesseract", "stdin", "stdout", "--psm", "11", "--dpi", "192", "-l", language, "tsv")
	cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
	cmd.Stdin = &in
	var errout bytes.Buffer
	cmd.Stderr = &errout
	out, err := cmd.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, errors.New("reading text from pixels: tesseract is not installed; install it with: apt-get install tesseract-ocr tesseract-ocr-eng")
	case err != nil:
		return nil, fmt.Errorf("reading text from pixels: tesseract: %w: %s", err, strings.TrimSpace(errout.String()))
	}
	return parse(string(out)), nil
}

// parse reads tesseract's table: one row a word, its level 5.
func parse(table string) []Word {
	var words []Word
	line, last := 0, ""
	for row := range strings.Lines(table) {
		c := strings.Split(strings.TrimRight(row, "\n"), "\t")
		if len(c) != 12 || c[0] != "5" || strings.TrimSpace(c[11]) == "" {
			continue
		}
		var n [4]int
		ok := true
		for i := range n {
			v, err := strconv.Atoi(c[6+i])
			n[i], ok = v/scale, ok && err == nil
		}
		confidence, err := strconv.ParseFloat(c[10], 64)
		if !ok || err != nil {
			continue
		}
		if key := strings.Join(c[1:5], " "); key != last {
			last = key
			line++
		}
		words = append(words, Word{c[11], image.Rect(n[0], n[1], n[0]+n[2], n[1]+n[3]), line, confidence / 100})
	}
	return words
}
