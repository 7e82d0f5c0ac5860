package hands

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"companion/lspbridge/editor"
	"companion/lspbridge/wire"
	"companion/permission/granted"
	"companion/tools"
	"companion/tools/person"
	"companion/workspace"
)

// at is an editor that answers the same to every question.
type at struct {
	asked wire.QuestionParams
	err   error
}

func (e *at) AskQuestions(_ context.Context, q wire.QuestionParams) (map[string][]string, error) {
	e.asked = q
	return map[string][]string{"q1": {"yes"}}, e.err
}

func TestQuestionsGoToTheEditorAsTheyAre(t *testing.T) {
	e := &at{}
	call := tools.Call{Thread: "t", Turn: "u", ID: "c1"}
	list := []person.Question{{ID: "q1", Header: "h", Question: "?", Options: []person.Option{{Label: "yes", Description: "d"}}, Multi: true, Other: true}}
	answers, err := asking{e}.Ask(context.Background(), call, list)
	if err != nil || answers["q1"][0] != "yes" {
		t.Errorf("%v, %v", answers, err)
	}
	got, _ := json.Marshal(e.asked)
	const want = `{"threadId":"t","turnId":"u","callId":"c1","questions":[{"id":"q1","header":"h","question":"?","options":[{"label":"yes","description":"d"}],"multi":true,"allowOther":true}]}`
	if string(got) != want {
		t.Errorf("asked %s", got)
	}
	e.err = editor.ErrNotOffered
	if _, err := (asking{e}).Ask(context.Background(), call, list); !errors.Is(err, person.ErrUnfit) {
		t.Errorf("%v", err)
	}
}

func TestAWishNamesPathsAsTheyLie(t *testing.T) {
	root := t.TempDir()
	ws, err := workspace.New(workspace.Options{Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	h := hands{Options{Workspace: ws, Granted: &granted.Store{}}}
	call := tools.Call{Roots: ws.Roots()}
	wish, words, wrong := h.wished(call, person.Wish{Paths: []string{"sub/../a"}, Hosts: []string{"Example.com"}})
	if want := filepath.Join(ws.Roots()[0], "a"); wrong != "" || len(wish.Paths) != 1 || wish.Paths[0] != want || len(words) != 2 {
		t.Errorf("%+v, %q, %q", wish, words, wrong)
	}
	if wrong := h.Check(call, person.Wish{Hosts: []string{"*"}}); wrong == "" {
		t.Error("every host can be granted")
	}
}
