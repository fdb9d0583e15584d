package ocr

import (
	"image"
	"reflect"
	"testing"
)

func TestParse(t *testing.T) {
	table := "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n" +
		"4\t1\t1\t1\t1\t0\t0\t0\t9\t9\t-1\t\n" +
		"5\t1\t1\t1\t1\t1\t20\t40\t60\t10\t96.5\thello\n" +
		"5\t1\t1\t1\t1\t2\t90\t40\t60\t10\t50\tworld\n" +
		"5\t1\t1\t1\t2\t1\t20\t80\t60\t10\t91\tagain\n" +
		"5\t1\t1\t1\t2\t1\tx\t80\t60\t10\t91\tbroken\n" +
		"5\t1\t1\t1\t2\t2\t1\t1\t1\t1\t91\t \n"
	want := []Word{
		{"hello", image.Rect(10, 20, 40, 25), 1, 0.965},
		{"world", image.Rect(45, 20, 75, 25), 1, 0.5},
		{"again", image.Rect(10, 40, 40, 45), 2, 0.91},
	}
	if got := parse(table); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}
