// Package conformance checks a server of the GUI Bridge Protocol from the
// outside, whoever wrote it.
//
// # What it does
//
// [Run] connects as an MCP client, in the revision 2025-11-25 and, where the
// server offers it, in 2026-07-28, and judges what it sees by the requirements
// B01 to B33 of the protocol. Each gets one verdict: passed, failed, broken
// advice (the protocol says "should"), or not tested and why, with the JSON that
// decided it.
//
// Without [Options.Act] nothing is done to the application. Calls are made all
// the same, since much of the protocol is about refusals, but only such as no
// server can carry out: of windows and actions that do not exist, and without a
// required argument. With it the checker also calls actions that say they are
// read-only, and sets a field to the value it has.
//
// A desktop changes while it is looked at. A snapshot is judged by itself; what
// compares two answers is judged only if nothing changed between them, and tried
// again if something did. So a failure is one, and what would not hold still is
// "not tested".
//
// # Limits
//
// What only a fault inside the application or a race could show is out of reach
// from the outside: B24, B25, B28, and the part of B15 that is about logs. A
// server that each connection starts anew (a command) has nothing to compare
// between connections, so B05 and B06 need a URL, or [Options.Shared].
//
// By default windows may have fields beyond the protocol's and tools may exist
// that belong to no window, as on a server for a whole desktop, where the rules
// for application modals hold for the windows with the same "app". With
// [Options.Strict] the server is one application and every letter counts.
package conformance
