// Package sandbox finds adapters, checks them, and runs them where they can do
// no harm. It is the only importer of the WebAssembly engine.
//
// Modules of two versions of the contract are run, oriel/1 on the bare engine and
// extism/1 by Extism's own library; nobody outside of this package can tell which.
//
// Every adapter runs in a process of its own, a runner: a child of the same
// binary without desktop, network, files, environment or inherited descriptors.
// The engine's own cancellation is not used, because a guest can avoid it: a
// guest that is over a limit is stopped by the end of its process, which is
// certain and gives all memory back.
//
// # Host and runner
//
// They speak in frames over the runner's standard input and output. A runner
// holds two instances of its adapter, one for translate and one for invoke, so
// that a long invoke never holds up translation. A guest's call of a host
// function travels to the host and back and blocks only its own instance. The
// guest's clock stops meanwhile: what the desktop takes is not the adapter's
// fault.
//
// # What is checked where
//
// The bytes of a module are checked before anything runs. The runner links
// every function of the contract. The host checks each call: is the function
// allowed in translate, was the capability asked for, was it granted. What
// passes goes to the caller's [Services], which confine it to one window.
//
// # Failure
//
// After a trap the instance is dropped; after a limit the whole runner is. Three
// failures in a row of one function and [Sandbox.Match] gives the adapter's
// windows to the generic adapter until the file changes or the host restarts.
package sandbox
