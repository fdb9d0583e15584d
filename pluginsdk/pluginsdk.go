// Package pluginsdk is what an adapter written in Go links.
//
// An adapter is a main package that registers itself and is built as a reactor:
//
//	func init() { pluginsdk.Register(pluginsdk.Adapter{Translate: translate, Invoke: invoke}) }
//	func main() {}
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags='-s -w' -o my.wasm .
//
// Translate makes a view of one observation. Invoke carries out one action; the
// functions of this package, grouped by capability, are for it. Their errors are
// *[hostabi.Fault]; returning one unchanged from Invoke is right. Which ones an
// adapter calls decides what its manifest must ask for.
//
// Natively the same functions go to a scripted host: see package plugintest.
package pluginsdk

import (
	"errors"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// Adapter is what an adapter's author writes.
type Adapter struct {
	// Translate is pure: the same observation gives the same view. Nothing may
	// be kept from one call to the next, and the Reader's strings are valid
	// only until it returns.
	Translate func(*tree.Reader) (*hostabi.View, error)
	// Invoke carries out an action. It is nil if the adapter offers none.
	Invoke func(*Call) (*hostabi.Outcome, error)
}

// Call asks for one action.
type Call struct {
	Action string
	// Args are the arguments, an object that is valid by the action's schema.
	Args hostabi.Value
	// Window is the fresh observation that the action was checked against.
	Window *tree.Reader
}

// registered is set by init functions only.
var registered Adapter

// Register names the module's adapter. It is called from an init function,
// once.
func Register(a Adapter) { registered = a }

// Registered returns the module's adapter.
func Registered() Adapter { return registered }

// Translate runs an adapter on an encoded observation and appends what the
// module would return. The exports and plugintest share it.
func Translate(dst []byte, a Adapter, observation []byte) []byte {
	view, err := translate(a, observation)
	if err != nil {
		return hostabi.AppendOutcome(dst, &hostabi.Outcome{Fault: asFault(err)})
	}
	return hostabi.AppendView(dst, view)
}

func translate(a Adapter, observation []byte) (*hostabi.View, error) {
	if a.Translate == nil {
		return nil, errors.New("the module registers no adapter: call pluginsdk.Register in an init function")
	}
	r, err := tree.NewReader(observation)
	if err != nil {
		return nil, err
	}
	view, err := a.Translate(r)
	if err == nil && view == nil {
		err = errors.New("Translate returned neither a view nor an error")
	}
	return view, err
}

// Invoke runs an adapter on an encoded call and appends what the module would
// return.
func Invoke(dst []byte, a Adapter, call []byte) []byte {
	outcome, err := invoke(a, call)
	if err != nil {
		outcome = &hostabi.Outcome{Fault: asFault(err)}
	}
	return hostabi.AppendOutcome(dst, outcome)
}

func invoke(a Adapter, input []byte) (*hostabi.Outcome, error) {
	in, err := hostabi.ParseCall(input)
	if err != nil {
		return nil, err
	}
	if a.Invoke == nil {
		return nil, Refuse(hostabi.CodeUnavailable, "this adapter has no actions; read the window again")
	}
	call := Call{Action: in.Action}
	if in.Args != "" {
		if call.Args, err = hostabi.Parse(in.Args); err != nil {
			return nil, err
		}
	}
	if call.Window, err = tree.NewReader(in.Observation); err != nil {
		return nil, err
	}
	outcome, err := a.Invoke(&call)
	if err == nil && outcome == nil {
		err = errors.New("Invoke returned neither an outcome nor an error")
	}
	return outcome, err
}

// Refuse returns a fault. The message says what to do next.
func Refuse(code hostabi.Code, message string) error {
	return &hostabi.Fault{Code: code, Message: message}
}

// Invalid returns the fault of one wrong argument.
func Invalid(field, why string) error {
	return &hostabi.Fault{
		Code: hostabi.CodeInvalid, Message: "the argument " + field + " is wrong: " + why,
		Fields: []hostabi.FieldFault{{Field: field, Error: why}},
	}
}

// asFault keeps a fault and makes one of any other error.
func asFault(err error) *hostabi.Fault {
	if f, ok := errors.AsType[*hostabi.Fault](err); ok {
		return f
	}
	return &hostabi.Fault{Code: hostabi.CodeInternal, Message: err.Error()}
}
