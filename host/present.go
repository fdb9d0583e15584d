package host

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Presentation is what a person needs to connect a client.
type Presentation struct {
	Executable string   // of the host
	Args       []string // of `oriel serve` beyond --stdio: what finds this very host
	URL        string   // of the MCP endpoint
	Token      string   // "" if none is asked for
	EnvFile    string   // that makes a shell's programs appear on the host's own desktop, or ""
}

// Snippets are ready-to-paste instructions for common clients.
func (p Presentation) Snippets() string {
	var b strings.Builder
	section := func(title, body string) { fmt.Fprintf(&b, "%s\n\n%s\n\n", title, indent(body)) }
	command := append([]string{p.Executable, "serve", "--stdio"}, p.Args...)
	header := ""
	if p.Token != "" {
		header = "Authorization: Bearer " + p.Token
	}

	b.WriteString("Connect a client, by stdio (the client starts the program, which joins this host) or by HTTP:\n\n")
	claude := "claude mcp add oriel -- " + shellWords(command) + "\n\nor\n\nclaude mcp add --transport http oriel " + p.URL
	if header != "" {
		claude += " --header " + shellWord(header)
	}
	section("Claude Code", claude)

	stdio := fmt.Sprintf(`{"command": %s, "args": %s}`, quote(command[0]), quoteAll(command[1:]))
	section("Claude Desktop (claude_desktop_config.json)", clientFile("mcpServers", stdio))

	// These clients take few tools, however many windows are open.
	http := `"url": ` + quote(p.URL+"?tools=fixed")
	if header != "" {
		http += fmt.Sprintf(`, "headers": {"Authorization": %s}`, quote("Bearer "+p.Token))
	}
	section("Cursor (~/.cursor/mcp.json)", clientFile("mcpServers", "{"+http+"}"))
	section("VS Code (.vscode/mcp.json)", clientFile("servers", `{"type": "http", `+http+"}"))

	codex := fmt.Sprintf("[mcp_servers.oriel]\ncommand = %s\nargs = %s\n\nor\n\n[mcp_servers.oriel]\nurl = %s",
		quote(command[0]), quoteAll(command[1:]), quote(p.URL))
	if header != "" {
		codex += fmt.Sprintf("\nhttp_headers = { Authorization = %s }", quote("Bearer "+p.Token))
	}
	section("Codex (~/.codex/config.toml)", codex)

	plain := "URL     " + p.URL
	if header != "" {
		plain += "\nHeader  " + header
	}
	section("Any other client of Streamable HTTP", plain)
	if p.EnvFile != "" {
		section("Start a program on this desktop", "(. "+shellWord(p.EnvFile)+" && exec mousepad)")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// clientFile is the configuration file of a client that has no other server.
func clientFile(key, server string) string {
	return fmt.Sprintf("{\n  %q: {\n    \"oriel\": %s\n  }\n}", key, server)
}

// quote makes a text of JSON, which is one of TOML as well.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil { // a text always encodes
		return strconv.Quote(s)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func shellWords(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = shellWord(w)
	}
	return strings.Join(out, " ")
}

// shellWord quotes a word for a POSIX shell if it needs that.
func shellWord(w string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=,@%+", r)
	}
	if w != "" && strings.IndexFunc(w, func(r rune) bool { return !safe(r) }) < 0 {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

func indent(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if l != "" {
			lines[i] = "    " + l
		}
	}
	return strings.Join(lines, "\n")
}
