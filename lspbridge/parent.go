package lspbridge

import "time"

// parentEvery is how often the editor's process is looked at. Its death must
// end the server within 1 s, and closeTime of that is for ending.
const parentEvery = 150 * time.Millisecond

// watchProcess ends the server when the process dies. One that is already dead
// is not the editor's (a container gives other numbers): it is ignored.
func (s *Server) watchProcess(pid int) {
	if pid <= 0 || !processAlive(pid) {
		s.log.Info("the editor's process is not seen from here and not watched", "pid", pid)
		return
	}
	s.spawn(func() {
		tick := time.NewTicker(parentEvery)
		defer tick.Stop()
		for {
			select {
			case <-s.ctx.Done():
				return
			case <-tick.C:
				if !processAlive(pid) {
					s.log.Info("the editor's process ended", "pid", pid)
					s.end()
					return
				}
			}
		}
	})
}
