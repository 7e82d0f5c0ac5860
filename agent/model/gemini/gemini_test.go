package gemini_test

import (
	"flag"
	"net/http"
	"testing"

	"companion/agent/model"
	"companion/agent/model/gemini"
	"companion/agent/model/modeltest"
)

var update = flag.Bool("update", false, "rewrite the goldens")

func newProvider(t *testing.T, baseURL string, client *http.Client) model.Provider {
	t.Helper()
	p, err := gemini.New(gemini.Options{APIKey: modeltest.Key, BaseURL: baseURL, HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProvider(t *testing.T) {
	modeltest.Suite(t, modeltest.Setup{
		Vendor: modeltest.Gemini,
		New:    newProvider,
		Env: []string{
			"GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL", "GOOGLE_GENAI_USE_VERTEXAI",
			"GOOGLE_GENAI_USE_ENTERPRISE", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_REGION",
			"GOOGLE_APPLICATION_CREDENTIALS",
		},
		Update: *update,
	})
}
