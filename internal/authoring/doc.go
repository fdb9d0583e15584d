// Package authoring is what an author of adapters works with, beside the desktop:
// it scaffolds an adapter from a recorded window, runs the built module in the
// same runner as the host does, compares its views with golden files, replays
// recorded actions, measures, and follows a folder's changes.
//
// The folder of an adapter holds its adapter.toml and its sources, and in
// testdata
//
//	NAME.ort           an observation, recorded or written by hand
//	NAME.png           its pixels, if they were recorded
//	NAME.view.json     the golden view of NAME.ort, as plugintest writes it
//	NAME.session.json  a recorded action: see [Session]
package authoring
