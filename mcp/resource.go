package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// windowsURI is the one resource of the protocol.
const windowsURI = "app://windows"

func (f *face) addResource() {
	f.sdk.AddResource(&sdk.Resource{
		URI:         windowsURI,
		Name:        "windows",
		Title:       "Windows",
		Description: "Every window of the desktop with its content, and which of them can be operated now.",
		MIMEType:    "application/json",
	}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{
			URI: windowsURI, MIMEType: "application/json", Text: string(f.snapshot().JSON()),
		}}}, nil
	})
}

// checkURI refuses a subscription to what does not exist.
func checkURI(uri string) error {
	if uri != windowsURI {
		return sdk.ResourceNotFoundError(uri)
	}
	return nil
}
