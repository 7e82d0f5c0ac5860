--- Keep | Undo | Diff above each pending change: the server's lenses, asked for again when it says so.
local M = {}

---@param client_id integer
---@param uris? string[] nil = every buffer of the client
function M.refresh(client_id, uris)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local shown = vim.api.nvim_buf_is_loaded(buf) and vim.lsp.buf_is_attached(buf, client_id) and vim.fn.bufwinid(buf) > 0
    if shown and (not uris or vim.list_contains(uris, vim.uri_from_bufnr(buf))) then vim.lsp.codelens.refresh({ bufnr = buf }) end
  end
end

return M
