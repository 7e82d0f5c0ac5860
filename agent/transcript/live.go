package transcript

import (
	"maps"

	"companion/session"
)

// liveMost bounds the text that is kept of one running item, in bytes. Of more
// the end is kept.
const liveMost = 256 << 10

// live is the text so far of what is not complete, by item id.
type live map[string]liveText

type liveText struct {
	turn string
	text []byte
}

func (l live) hear(e session.Event) {
	switch e.Type {
	case session.MessageDelta, session.ReasoningDelta, session.ToolOutput:
		text := append(l[e.ItemID].text, e.Text...)
		if n := len(text) - liveMost; n > liveMost { // rarely, not with each delta
			text = append([]byte(nil), text[n:]...)
		}
		l[e.ItemID] = liveText{e.Turn, text}
	case session.MessageCompleted, session.ReasoningCompleted, session.ToolCompleted:
		delete(l, e.ItemID)
	case session.TurnCompleted:
		maps.DeleteFunc(l, func(_ string, t liveText) bool { return t.turn == e.Turn })
	}
}

func (l live) texts() map[string]string {
	out := make(map[string]string, len(l))
	for id, t := range l {
		out[id] = string(t.text[max(0, len(t.text)-liveMost):])
	}
	return out
}
