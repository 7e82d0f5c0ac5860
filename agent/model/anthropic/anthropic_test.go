package anthropic_test

import (
	"flag"
	"net/http"
	"testing"

	"companion/agent/model"
	"companion/agent/model/anthropic"
	"companion/agent/model/modeltest"
)

var update = flag.Bool("update", false, "rewrite the goldens")

func TestProvider(t *testing.T) {
	modeltest.Suite(t, modeltest.Setup{
		Vendor: modeltest.Anthropic,
		New: func(t *testing.T, baseURL string, client *http.Client) model.Provider {
			t.Helper()
			p, err := anthropic.New(anthropic.Options{APIKey: modeltest.Key, BaseURL: baseURL, HTTPClient: client})
			if err != nil {
				t.Fatal(err)
			}
			return p
		},
		Env: []string{
			"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_PROFILE",
			"ANTHROPIC_FEDERATION_RULE_ID", "ANTHROPIC_ORGANIZATION_ID", "ANTHROPIC_IDENTITY_TOKEN", "ANTHROPIC_WORKSPACE_ID", "ANTHROPIC_WEBHOOK_SIGNING_KEY",
		},
		Update: *update,
	})
}
