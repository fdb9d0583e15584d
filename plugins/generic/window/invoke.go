package window

import (
	"time"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// SettleTime is how long an act waits for its own effect to be seen: GTK4
// carries out a click 250 ms after it was asked to.
const SettleTime = 900 * time.Millisecond

// Invoke carries out one of the actions that [Window.Actions] offers.
func (w *Window) Invoke(c *pluginsdk.Call) (*hostabi.Outcome, error) {
	switch c.Action {
	case SetField:
		return w.doSetField(c.Args)
	case Press:
		return w.doPress(c.Args)
	case Choose:
		return w.doChoose(c.Args)
	case Toggle:
		return w.doToggle(c.Args)
	case CheckItem:
		return w.doCheckItem(c.Args)
	case OpenItem:
		return w.doOpenItem(c.Args)
	case ReadMenu:
		return w.doReadMenu(c.Args)
	case ChooseMenu:
		return w.doChooseMenu(c.Args)
	case ReadText:
		return w.doReadText(c.Args)
	case LoadRows:
		return w.doLoadRows(c.Args)
	case ReadLive:
		return w.doReadLive()
	case ScrollTo:
		return w.doScrollTo(c.Args)
	case ScrollBy:
		return w.doScroll(c.Args)
	case TypeLine:
		return w.doTypeLine(c.Args)
	case Close:
		return CloseNow()
	}
	return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "this window has no action "+c.Action+"; read it again")
}

// CloseNow asks the window to close.
func CloseNow() (*hostabi.Outcome, error) {
	if err := pluginsdk.CloseWindow(); err != nil {
		return nil, err
	}
	return &hostabi.Outcome{Message: "Asked the window to close."}, nil
}

// unknown is the fault of a label that the window does not have.
func unknown(arg, word, kind string, labels []string) error {
	why := "there is no " + kind + " “" + Cut(Clean(word), maxLabel) + "”"
	if len(labels) == 0 {
		return pluginsdk.Invalid(arg, why+" in this window now")
	}
	why += "; there are: "
	for i, l := range labels {
		if i == maxEnum {
			why += ", …"
			break
		}
		if i > 0 {
			why += ", "
		}
		why += l
	}
	return pluginsdk.Invalid(arg, why)
}

// field finds the field that an argument names and that can be set.
func (w *Window) field(args hostabi.Value, arg string, fits func(*Field) bool) (*Field, error) {
	word := args.Get(arg).Str()
	f := w.Field(word)
	if f == nil || f.Kind == Shown || !fits(f) {
		var labels []string
		for i := range w.Fields {
			if f := &w.Fields[i]; f.Enabled && f.Kind != Shown && fits(f) {
				labels = append(labels, f.Label)
			}
		}
		return nil, unknown(arg, word, "field", labels)
	}
	if !f.Enabled {
		return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "the field “"+f.Label+"” is read-only or disabled now")
	}
	return f, nil
}

func (w *Window) doSetField(args hostabi.Value) (*hostabi.Outcome, error) {
	f, err := w.field(args, "field", func(*Field) bool { return true })
	if err != nil {
		return nil, err
	}
	v := args.Get("value")
	switch f.Kind {
	case Check:
		on, err := wantBool(v)
		if err != nil {
			return nil, err
		}
		return w.setCheck(f, on)
	case Number:
		return w.setNumber(f, v)
	case Choice:
		return w.chooseOption(f, ScalarText(v.Scalar()), "value")
	}
	return w.setText(f, ScalarText(v.Scalar()))
}

// wantBool reads true or false, also from models that write them as text.
func wantBool(v hostabi.Value) (bool, error) {
	switch t := v.Str(); {
	case v.Kind() == hostabi.KindBool:
		return v.Bool(), nil
	case t == "true", t == "on", t == "yes":
		return true, nil
	case t == "false", t == "off", t == "no":
		return false, nil
	}
	return false, pluginsdk.Invalid("value", "this field takes true or false, got "+Cut(v.Raw(), 40))
}

// same finds a field of an earlier observation: the same element, else the same
// label.
func (w *Window) same(f *Field) *Field {
	for i := range w.Fields {
		if g := &w.Fields[i]; g.Node.ID() == f.Node.ID() && g.Kind == f.Kind && g.Radio == f.Radio {
			return g
		}
	}
	g := w.Field(f.Label)
	if g == nil || g.Kind != f.Kind {
		return nil
	}
	return g
}

// until waits until the field satisfies ok, at most for the settle time, and
// returns what it was last seen as.
func until(f *Field, ok func(*Field) bool) (last *Field, done bool) {
	_, err := pluginsdk.WaitUntil(SettleTime, func(r *tree.Reader) bool {
		last = Read(r).same(f)
		return last != nil && ok(last)
	})
	return last, err == nil
}

// did is the outcome of an act whose effect was looked for.
func did(message string, seen bool) *hostabi.Outcome {
	o := &hostabi.Outcome{Message: message, Effect: hostabi.Confirmed}
	if !seen {
		// That the window changed in some way proves nothing.
		o.Effect = hostabi.Unconfirmed
		o.Message += " This was not seen to take effect; read the window again."
	}
	return o
}

// resulting gives an outcome its result: one value, null if it is not known.
func resulting(o *hostabi.Outcome, name string, v hostabi.Scalar) *hostabi.Outcome {
	o.Result = new(Object).Set(name, v).JSON()
	return o
}

// valueOf is what a field shows, nil if it is gone or secret.
func valueOf(f *Field) hostabi.Scalar {
	if f == nil || f.Sensitive {
		return nil
	}
	if t, ok := f.Value.(string); ok {
		return Cut(t, maxValue)
	}
	return f.Value
}

func unchanged(message string) *hostabi.Outcome {
	return &hostabi.Outcome{Message: message, Effect: hostabi.Unchanged}
}

// Activate does what a click on the element does: by its own action, else with
// the mouse.
func Activate(c tree.Cursor) error {
	if n := clickable(c); n >= 0 {
		return pluginsdk.DoAction(c.ID(), n)
	}
	return click(c, 1)
}

// click clicks in the middle of an element with the mouse.
func click(c tree.Cursor, count int) error {
	if !c.HasBounds() || c.Bounds().Empty() {
		return pluginsdk.Refuse(hostabi.CodeUnsupported, "the element offers no action and cannot be seen, so it cannot be clicked; scroll it into view")
	}
	x, y := c.WindowBounds().Center()
	// GTK4 takes no click after a popup has closed over a pointer that rests.
	if err := pluginsdk.Move(x-1, y); err != nil {
		return err
	}
	return pluginsdk.ClickWith(hostabi.ClickRequest{X: x, Y: y, Count: count})
}

func (w *Window) doPress(args hostabi.Value) (*hostabi.Outcome, error) {
	word := args.Get("button").Str()
	b := w.Button(word)
	if b == nil {
		var labels []string
		for i := range w.Buttons {
			if w.Buttons[i].Enabled {
				labels = append(labels, w.Buttons[i].Label)
			}
		}
		return nil, unknown("button", word, "button", labels)
	}
	if !b.Enabled {
		return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "the button “"+b.Label+"” is disabled now")
	}
	if err := w.Press(b.Node); err != nil {
		return nil, err
	}
	return &hostabi.Outcome{Message: "Pressed “" + b.Label + "”."}, nil
}

func (w *Window) doToggle(args hostabi.Value) (*hostabi.Outcome, error) {
	f, err := w.field(args, "field", func(f *Field) bool { return f.Kind == Check })
	if err != nil {
		return nil, err
	}
	return w.setCheck(f, f.Value != true)
}

// setCheck brings a field to on or off.
func (w *Window) setCheck(f *Field, on bool) (*hostabi.Outcome, error) {
	if f.Value == on {
		return resulting(unchanged("“"+f.Label+"” is "+stateWord(on)+" already."), "value", on), nil
	}
	if err := Activate(f.Node); err != nil {
		return nil, err
	}
	last, done := until(f, func(g *Field) bool { return g.Value == on })
	return resulting(did("Turned “"+f.Label+"” "+stateWord(on)+".", done), "value", valueOf(last)), nil
}

func stateWord(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// setNumber sets a slider or spin button.
func (w *Window) setNumber(f *Field, v hostabi.Value) (*hostabi.Outcome, error) {
	n, ok := number(v)
	if !ok {
		return nil, pluginsdk.Invalid("value", "this field takes a number, got "+Cut(v.Raw(), 40))
	}
	if f.Max > f.Min && (n < f.Min || n > f.Max) {
		return nil, pluginsdk.Invalid("value", "must be from "+ftoa(f.Min)+" to "+ftoa(f.Max))
	}
	want := scalar(n)
	if f.Value == want {
		return resulting(unchanged("“"+f.Label+"” is "+ftoa(n)+" already."), "value", want), nil
	}
	if err := pluginsdk.SetValue(f.Node.ID(), n); err != nil {
		return nil, err
	}
	last, done := until(f, func(g *Field) bool { return g.Value == want })
	if !done && last != nil && last.Value != f.Value {
		o := &hostabi.Outcome{Message: "Set “" + f.Label + "” to " + ftoa(n) + "; it shows " + ScalarText(last.Value) + ".", Effect: hostabi.Unconfirmed}
		return resulting(o, "value", last.Value), nil
	}
	return resulting(did("Set “"+f.Label+"” to "+ftoa(n)+".", done), "value", valueOf(last)), nil
}

func number(v hostabi.Value) (float64, bool) {
	if v.Kind() == hostabi.KindNumber {
		return v.Float(), true
	}
	return parseFloat(v.Str())
}
