// Package bridge keeps the state that agents read and carries out what they ask.
//
// It watches a desktop, has each window translated by its adapter, decides which
// windows are operable, gives versions, and publishes an immutable [Snapshot].
// Every act passes [Bridge.Act], which checks it against a fresh look inside the
// one serial section of desktop/guard.
package bridge
