// Package mcp serves the bridge's state and acts to agents over the Model
// Context Protocol.
//
//	clients ── HTTP ─────────┐
//	clients ── stdio, relay ─┤─> one Server ──> Bridge
//	                         │      ^              │
//	             outbox <────┘      └── notifier <─┘ Notify
//
// A client sees the host through a [Face]: everything (/mcp), the bridge alone
// (/mcp/bridge), or one application as if it had a server of its own
// (/mcp/app/{app}), each with the tools that its URL asks for. Each face in use has
// a server of the SDK, which all its sessions share. Over stdio a first line,
// [Greet], chooses the face.
//
// A face offers the resource app://windows, a tool {winId}__{action} (or
// {app}__{action}) for every action that can be called now, and the fixed tools
// desktop_read and desktop_act for clients that cannot follow a changing list. All
// of them read the same published snapshot and act through the same [Bridge.Act].
// On the faces of the desktop, desktop_launch starts applications.
//
// # Order
//
// Calls of one client run at the same time; the bridge puts acts in order. A
// notification is sent only when what it speaks of can be read, and the tool
// list that a client reads is never older than the state it reads. What several
// changes in a short time are worth is one notification. Each session has a
// bounded outbox of its own, so that one which does not read holds up nobody.
//
// # A known exception
//
// Over stdio in revision 2026-07-28, when a client ends one of several
// subscriptions/listen of a connection, the SDK (1.8.0) forgets the others' wish to
// hear of the tool list. A client with one listen, and every client over HTTP, is
// not affected.
package mcp
