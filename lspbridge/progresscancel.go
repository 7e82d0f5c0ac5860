package lspbridge

import (
	"context"

	"companion/lspbridge/rpc"
)

// progressCancel handles window/workDoneProgress/cancel: it stops the turn.
func (s *Server) progressCancel(_ context.Context, r *rpc.Request) (any, error) {
	var p struct {
		Token any `json:"token"`
	}
	if err := rpc.Decode(r.Params, "", &p); err != nil {
		return nil, err
	}
	token, _ := p.Token.(string)
	t := s.turns.byToken(token)
	if t == nil {
		return nil, nil // ended meanwhile, or not ours
	}
	s.spawn(func() {
		if err := s.backend.Agent.Stop(s.ctx, t.thread, t.id); err != nil {
			s.log.Info("stop", "turn", t.id, "err", err)
		}
	})
	return nil, nil
}
