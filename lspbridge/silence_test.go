package lspbridge

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"companion/workspace"
)

const actionsAt = `{"textDocument":{"uri":"file:///x"},"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"context":{"diagnostics":[],"only":["quickfix.companion.approve"]}}`

func TestApprovalThatStaysUnansweredIsOfferedAsCodeAction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, answers := asking(t, "")
		p.call("workspace/executeCommand", askCommand)
		m := p.expect("window/showMessageRequest")
		if r := p.call("textDocument/codeAction", actionsAt); string(r.Result) != "[]" {
			t.Errorf("at once: %s", r.Result)
		}
		time.Sleep(11 * time.Second) // virtual: the editor shows nothing
		if r := p.call("textDocument/codeAction", actionsAt); string(r.Result) == "[]" {
			t.Error("not offered after 11 s")
		}
		p.call("workspace/executeCommand", `{"command":"companion.approve","arguments":[{"callId":"call-turn1","optionId":"once"}]}`)
		if a := <-answers; a.OptionID != "once" {
			t.Errorf("answer %+v", a)
		}
		p.expect("$/cancelRequest")            // the message request is withdrawn
		p.reply(m, `{"title":"Always allow"}`) // and a late click dropped
		if r := p.call("textDocument/codeAction", actionsAt); string(r.Result) != "[]" || len(answers) > 0 {
			t.Errorf("still open: %s", r.Result)
		}
	})
}

func TestApprovalWaitsForAPersonHoweverLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, answers := asking(t, "")
		p.call("workspace/executeCommand", askCommand)
		m := p.expect("window/showMessageRequest")
		time.Sleep(72 * time.Hour) // virtual
		p.reply(m, `{"title":"Allow once"}`)
		if a := <-answers; a.OptionID != "once" {
			t.Errorf("answer %+v", a)
		}
	})
}

func TestEditThatIsNeverAnsweredFailsAfterFiveMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		p := serve(t, Options{Build: f.build})
		p.initialize(`{"workspace":{"applyEdit":true}}`, "")
		start := time.Now()
		a, err := f.init.Editor.ApplyEdit(context.Background(), workspace.FileEdit{URI: "file:///x", Label: "x"})
		if err != nil || a.Applied || a.Unsupported || a.Reason != "no answer within 5m0s" {
			t.Errorf("%+v %v", a, err)
		}
		if d := time.Since(start); d != 5*time.Minute {
			t.Errorf("after %v", d)
		}
		m := p.expect("workspace/applyEdit")
		p.expect("$/cancelRequest")
		p.reply(m, `{"applied":true}`)
		p.call("companion/models/list", "")
	})
}

func TestEditorThatNeverAnswersCreateStillGetsItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		p := serve(t, Options{Build: f.build})
		p.initialize(`{"window":{"workDoneProgress":true},"workspace":{"configuration":true,"didChangeConfiguration":{"dynamicRegistration":true}}}`, "")
		p.call("workspace/executeCommand", askCommand) // neither does it answer configuration or registerCapability
		p.expect("window/workDoneProgress/create")
		synctest.Wait()
		if n := len(f.Running()); n != 0 || len(f.turns) != 1 {
			t.Errorf("%d turns run of %d", n, len(f.turns))
		}
		p.call("shutdown", "")
		p.notify("exit", "null")
		if c := p.exit(); c != 0 {
			t.Errorf("exit code %d", c)
		}
	})
}
