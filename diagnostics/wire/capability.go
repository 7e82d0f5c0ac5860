package wire

import "encoding/json"

// Capabilities is what we look at in the server's answer.
type Capabilities struct {
	DiagnosticProvider  json.RawMessage `json:"diagnosticProvider"`
	CodeActionProvider  json.RawMessage `json:"codeActionProvider"`
	HoverProvider       json.RawMessage `json:"hoverProvider"`
	DocumentSymbol      json.RawMessage `json:"documentSymbolProvider"`
	ReferencesProvider  json.RawMessage `json:"referencesProvider"`
	TextDocumentSync    json.RawMessage `json:"textDocumentSync"`
	ExecuteCommand      json.RawMessage `json:"executeCommandProvider"`
	WorkspaceSymbol     json.RawMessage `json:"workspaceSymbolProvider"`
	ImplementationProv  json.RawMessage `json:"implementationProvider"`
	DefinitionProvider  json.RawMessage `json:"definitionProvider"`
	TypeDefinitionProv  json.RawMessage `json:"typeDefinitionProvider"`
	CallHierarchyProv   json.RawMessage `json:"callHierarchyProvider"`
	PositionEncodingUTF string          `json:"positionEncoding"`
}

// Pull gives the identifier of a static pull provider.
func (c Capabilities) Pull() (identifier string, ok bool) {
	return PullIdentifier(c.DiagnosticProvider)
}

// PullIdentifier reads DiagnosticOptions; ok is false when there are none.
func PullIdentifier(raw json.RawMessage) (string, bool) {
	var p *struct {
		Identifier string `json:"identifier"`
	}
	if json.Unmarshal(raw, &p) != nil || p == nil {
		return "", false
	}
	return p.Identifier, true
}

// Offers says whether a capability of "boolean | options" is there.
func Offers(raw json.RawMessage) bool {
	s := string(raw)
	return s != "" && s != "null" && s != "false"
}

// Resolves says whether a code action may be completed by codeAction/resolve.
func (c Capabilities) Resolves() bool {
	var p struct {
		ResolveProvider bool `json:"resolveProvider"`
	}
	return json.Unmarshal(c.CodeActionProvider, &p) == nil && p.ResolveProvider
}

// ClientCapabilities is what we tell of ourselves; only what is implemented.
func ClientCapabilities(pull bool) map[string]any {
	doc := map[string]any{
		"synchronization": map[string]any{"didSave": true, "dynamicRegistration": false},
		"publishDiagnostics": map[string]any{
			"versionSupport": true, "codeDescriptionSupport": true, "dataSupport": true, "relatedInformation": true,
		},
		"codeAction": map[string]any{
			"dynamicRegistration": false, "isPreferredSupport": true, "disabledSupport": true, "dataSupport": true,
			"resolveSupport":           map[string]any{"properties": []string{"edit", "command"}},
			"codeActionLiteralSupport": map[string]any{"codeActionKind": map[string]any{"valueSet": []string{"", "quickfix", "refactor", "refactor.extract", "refactor.inline", "refactor.rewrite", "source", "source.organizeImports", "source.fixAll"}}},
		},
		"hover":          map[string]any{"contentFormat": []string{"markdown", "plaintext"}},
		"definition":     map[string]any{"linkSupport": true},
		"implementation": map[string]any{"linkSupport": true},
		"typeDefinition": map[string]any{"linkSupport": true},
		"references":     map[string]any{},
		"rename":         map[string]any{},
		"formatting":     map[string]any{},
		"callHierarchy":  map[string]any{},
		"documentSymbol": map[string]any{"hierarchicalDocumentSymbolSupport": true},
	}
	if pull {
		doc["diagnostic"] = map[string]any{"dynamicRegistration": true, "relatedDocumentSupport": true}
	}
	return map[string]any{
		"general": map[string]any{"positionEncodings": []string{"utf-16"}},
		"workspace": map[string]any{
			"applyEdit": true, "configuration": true, "workspaceFolders": true,
			"workspaceEdit": map[string]any{
				"documentChanges": true, "resourceOperations": []string{"create", "rename", "delete"},
				"failureHandling": "abort",
			},
			"didChangeConfiguration": map[string]any{"dynamicRegistration": true},
			"didChangeWatchedFiles":  map[string]any{"dynamicRegistration": true, "relativePatternSupport": true},
			"diagnostics":            map[string]any{"refreshSupport": true},
			"symbol":                 map[string]any{},
			"executeCommand":         map[string]any{},
		},
		"window":       map[string]any{"workDoneProgress": true},
		"textDocument": doc,
	}
}
