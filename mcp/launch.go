package mcp

import (
	"context"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel.dev/oriel/bridge"
)

// maxNamed is how many applications the description of the tool names.
const maxNamed = 40

// addLaunch lists the tool that starts an application.
func (f *face) addLaunch() {
	apps := f.cfg.Launcher.Launchable()
	if len(apps) == 0 {
		return
	}
	named := strings.Join(apps[:min(len(apps), maxNamed)], ", ")
	if len(apps) > maxNamed {
		named += ", …"
	}
	no := false
	f.sdk.AddTool(&sdk.Tool{
		Name:         launchTool,
		Title:        "Start an application",
		Description:  "Starts an installed application and answers once its window shows. Installed: " + named + ".",
		InputSchema:  launchInput,
		OutputSchema: launchOutput,
		Annotations:  &sdk.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no},
	}, f.launch)
}

// launch serves desktop_launch.
func (f *face) launch(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	args, e := object(req.Params.Arguments)
	if e != nil {
		return refused(e), nil
	}
	var app string
	fields := append(text(args, "app", &app, true), unknown(args, "app")...)
	if len(fields) == 0 && !slices.Contains(f.cfg.Launcher.Launchable(), app) {
		fields = append(fields, bridge.FieldError{Field: "app", Error: "is not the name of an application that is installed and may be started"})
	}
	if len(fields) > 0 {
		return refused(invalid(fields)), nil
	}
	res, err := f.cfg.Launcher.Launch(ctx, clientName(ctx, req), app)
	return f.answer(ctx, res, err, "starting "+app)
}
