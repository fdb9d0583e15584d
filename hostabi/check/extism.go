package check

import "oriel.dev/oriel/hostabi"

// extismModule is the import module of what every Extism PDK is built on.
const extismModule = "extism:host/env"

// Why some of what Extism offers is not for adapters.
const (
	noNetwork = "reaches the network, which adapters do not have; leave out what needs it"
	noVars    = "keeps values in the instance, which any call may find fresh; keep them with oriel:kv get and set"
)

// extism is the convention of modules made with an Extism PDK. What is not listed
// of Extism's own functions belongs to the host's side of it.
var extism = convention{
	function: funcType{typeI64, typeI64},
	own: map[string]ownImport{
		extismModule + " alloc":            {typ: funcType{typeI64, typeI64}},
		extismModule + " free":             {typ: funcType{typeI64, ""}},
		extismModule + " length":           {typ: funcType{typeI64, typeI64}},
		extismModule + " length_unsafe":    {typ: funcType{typeI64, typeI64}},
		extismModule + " load_u8":          {typ: funcType{typeI64, typeI32}},
		extismModule + " load_u64":         {typ: funcType{typeI64, typeI64}},
		extismModule + " store_u8":         {typ: funcType{typeI64 + typeI32, ""}},
		extismModule + " store_u64":        {typ: funcType{typeI64 + typeI64, ""}},
		extismModule + " input_length":     {typ: funcType{"", typeI64}},
		extismModule + " input_offset":     {typ: funcType{"", typeI64}},
		extismModule + " input_load_u8":    {typ: funcType{typeI64, typeI32}},
		extismModule + " input_load_u64":   {typ: funcType{typeI64, typeI64}},
		extismModule + " output_set":       {typ: funcType{typeI64 + typeI64, ""}},
		extismModule + " error_set":        {typ: funcType{typeI64, ""}},
		extismModule + " error_get":        {typ: funcType{"", typeI64}},
		extismModule + " config_get":       {typ: funcType{typeI64, typeI64}},
		extismModule + " get_log_level":    {typ: funcType{"", typeI32}},
		extismModule + " log_trace":        {typ: funcType{typeI64, ""}, needs: hostabi.CapLog},
		extismModule + " log_debug":        {typ: funcType{typeI64, ""}, needs: hostabi.CapLog},
		extismModule + " log_info":         {typ: funcType{typeI64, ""}, needs: hostabi.CapLog},
		extismModule + " log_warn":         {typ: funcType{typeI64, ""}, needs: hostabi.CapLog},
		extismModule + " log_error":        {typ: funcType{typeI64, ""}, needs: hostabi.CapLog},
		extismModule + " http_request":     {refused: noNetwork},
		extismModule + " http_status_code": {refused: noNetwork},
		extismModule + " http_headers":     {refused: noNetwork},
		extismModule + " var_get":          {refused: noVars},
		extismModule + " var_set":          {refused: noVars},
	},
	exports: []wantedExport{
		{"oriel_translate", false, funcType{"", typeI32}},
		{"oriel_invoke", true, funcType{"", typeI32}},
		{"_initialize", true, funcType{}},
	},
}
