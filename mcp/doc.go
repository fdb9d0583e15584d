// Package mcp serves the bridge's state and acts to agents over the Model
// Context Protocol.
//
//	clients ── HTTP ─────────┐
//	clients ── stdio, relay ─┤─> one Server ──> Bridge
//	                         │      ^              │
//	             outbox <────┘      └── notifier <─┘ Notify
//
// A [Server] offers the resource app://windows, a tool {winId}__{action} for
// every action that can be called now, and the fixed tools desktop_read and
// desktop_act for clients that cannot follow a changing list. All of them read
// the same published snapshot and act through the same [Bridge.Act].
//
// # Order
//
// Calls of one client run at the same time; the bridge puts acts in order. A
// notification is sent only when what it speaks of can be read, and the tool
// list that a client reads is never older than the state it reads. What several
// changes in a short time are worth is one notification. Each session has a
// bounded outbox of its own, so that one which does not read holds up nobody.
package mcp
