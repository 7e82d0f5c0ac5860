package editortest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"companion/internal/editortest/fake"
	"companion/internal/editortest/fake/buffer"
	"companion/internal/editortest/talk"
)

func golden(a []string, kind string) string {
	if len(a) > 1 {
		return a[1]
	}
	return kind + "/" + a[0]
}

func (w *world) expectBuffer(a []string) error {
	if len(a) < 1 || len(a) > 2 {
		return fmt.Errorf("takes FILE [NAME]")
	}
	d, ok := w.e.Buffer(w.uri(a[0]))
	if !ok {
		return fmt.Errorf("%s is not open", a[0])
	}
	w.got[golden(a, "buffer")] = show(d.Text)
	return nil
}

func (w *world) expectDisk(a []string) error {
	if len(a) < 1 || len(a) > 2 {
		return fmt.Errorf("takes FILE [NAME]")
	}
	b, err := os.ReadFile(w.path(a[0]))
	if err != nil {
		return err
	}
	w.got[golden(a, "disk")] = show(string(b))
	return nil
}

func (w *world) expectNoFile(a []string) error {
	if _, err := os.Lstat(w.path(a[0])); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there (%v)", a[0], err)
	}
	return nil
}

func (w *world) expectMessage(a []string) error {
	return w.e.WaitFor(fmt.Sprintf("a message with %q", a[0]), func(v *fake.View) bool {
		for _, m := range v.Messages {
			if strings.Contains(m.Message, a[0]) {
				return true
			}
		}
		return false
	})
}

func (w *world) expectOutcome(a []string) error {
	if len(a) < 1 || len(a) > 2 {
		return fmt.Errorf("takes STATUS [PART OF THE ERROR]")
	}
	status, problem := w.ended()
	switch {
	case status != a[0]:
		return fmt.Errorf("the turn is %q (%s)", status, problem)
	case len(a) == 2 && !strings.Contains(problem, a[1]):
		return fmt.Errorf("the turn's error is %q", problem)
	}
	return nil
}

func (w *world) expectTalk(a []string) error {
	if t := w.steady(talk.Render(w.events())); !strings.Contains(t, a[0]) {
		return fmt.Errorf("the thread holds no %q:\n%s", a[0], t)
	}
	return nil
}

func (w *world) expectNoTalk(a []string) error {
	if t := w.steady(talk.Render(w.events())); strings.Contains(t, a[0]) {
		return fmt.Errorf("the thread holds %q:\n%s", a[0], t)
	}
	return nil
}

func (w *world) expectShown(a []string) error {
	var text string
	return w.e.WaitFor(fmt.Sprintf("a shown document with %q", a[0]), func(v *fake.View) bool {
		for _, uri := range v.Shown {
			b, err := os.ReadFile(buffer.Path(uri))
			if err == nil {
				text += string(b)
			}
		}
		return strings.Contains(text, a[0])
	})
}

func (w *world) expectActivity(a []string) error {
	var err error
	w.e.Look(func(v *fake.View) {
		if !doing(v, a[0]) {
			err = fmt.Errorf("no progress said %q", a[0])
		}
	})
	return err
}

func (w *world) expectEdits(a []string) error {
	n, err := strconv.Atoi(a[0])
	if err != nil {
		return err
	}
	w.e.Look(func(v *fake.View) {
		if v.Applied != n {
			err = fmt.Errorf("%d edits were asked of the editor", v.Applied)
		}
	})
	return err
}

func (w *world) expectNoConnection([]string) error {
	switch {
	case w.s.listener == nil:
		return fmt.Errorf("the scenario does not speak of $LISTENER")
	case w.s.listener.hits.Load() != 0:
		return fmt.Errorf("%d connections to $LISTENER", w.s.listener.hits.Load())
	}
	return nil
}

func (w *world) expectEvents(a []string) error {
	var b strings.Builder
	w.e.Look(func(v *fake.View) {
		for _, e := range v.Events {
			if e.Seq > 0 {
				fmt.Fprintf(&b, "%d %s\n", e.Seq, e.Type)
			}
		}
	})
	w.got[a[0]] = b.String()
	return nil
}

func (w *world) expectGone(a []string) error {
	b, err := os.ReadFile(w.path(a[0]))
	if err != nil {
		return err
	}
	id, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return err
	}
	deadline := time.Now().Add(time.Second)
	for alive(id) {
		if time.Now().After(deadline) {
			return fmt.Errorf("process %d is there a second after the end", id)
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil
}

// alive tells whether a process runs; one that waits to be reaped does not.
func alive(id int) bool {
	if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id)); err == nil {
		_, rest, _ := strings.Cut(string(b), ") ")
		return !strings.HasPrefix(rest, "Z")
	}
	p, err := os.FindProcess(id)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}
