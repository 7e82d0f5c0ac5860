package app

import (
	"cmp"

	"companion/tools"
	"companion/tools/router"
)

// scene is what settings, rules and switches say of tools in a thread now.
func (c *core) scene(thread string) router.Scene {
	return router.Scene{Switches: c.switches.Load(), Off: c.dynamic.Withhold(thread)}
}

// stand says where each tool stands now in a thread, "" = a new one, for a
// model, "" = the thread's.
func (c *core) stand(thread, model string, specs []tools.Spec) ([]tools.Standing, error) {
	in := c.scene(thread)
	mode, own := c.agent.Setup(thread)
	in.Mode = cmp.Or(mode, c.mode(), tools.ModeAgent)
	_, card, err := c.models.Known(cmp.Or(model, own, c.models.Standard()))
	if err != nil && card.ID == "" && model != "" { // without a key the card is known all the same
		return nil, err
	}
	in.Model = router.Model{Search: card.ToolSearch, Images: card.Images, Edit: card.EditTool}
	return router.Stand(specs, in), nil
}

// forget drops what other rooms keep of a deleted thread.
func (c *core) forget(thread string) {
	c.shell.CloseThread(thread)
	c.dynamic.ForgetThread(thread)
	c.granted.Forget(thread)
	if err := c.changes.Forget(thread); err != nil {
		c.log.Error("forgetting changes", "thread", thread, "err", err)
	}
}
