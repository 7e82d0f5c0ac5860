package openai_test

import (
	"flag"
	"net/http"
	"testing"

	"companion/agent/model"
	"companion/agent/model/modeltest"
	"companion/agent/model/openai"
)

var update = flag.Bool("update", false, "rewrite the goldens")

func TestProvider(t *testing.T) {
	modeltest.Suite(t, modeltest.Setup{
		Vendor: modeltest.OpenAI,
		New: func(t *testing.T, baseURL string, client *http.Client) model.Provider {
			t.Helper()
			p, err := openai.New(openai.Options{APIKey: modeltest.Key, BaseURL: baseURL, HTTPClient: client})
			if err != nil {
				t.Fatal(err)
			}
			return p
		},
		Env: []string{
			"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_CUSTOM_HEADERS", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID",
			"OPENAI_ADMIN_KEY", "OPENAI_WEBHOOK_SECRET",
		},
		Update: *update,
	})
}
