-- Neovim's own client of language servers, without plugins: it opens a model with its properties, breaks and mends it, jumps, hovers,
-- finds, renames in both files, and saves them. The working folder has `die.prism` and `die.props`, copies of the examples.
--
--   VOLVELLE=PROGRAM nvim --headless -u NONE -i NONE -n -c 'luafile editors/test/neovim.lua'

local passed, failed = 0, 0

local function finish()
  io.stdout:write(('test result: %s. %d passed; %d failed; 0 ignored\n'):format(failed == 0 and 'ok' or 'FAILED', passed, failed))
  vim.cmd(failed == 0 and 'qall!' or 'cquit 1')
end

local function check(name, holds, found)
  passed, failed = passed + (holds and 1 or 0), failed + (holds and 0 or 1)
  local more = holds and '' or ': ' .. vim.inspect(found)
  io.stdout:write(('test neovim: %s ... %s%s\n'):format(name, holds and 'ok' or 'FAILED', more))
end

-- Waits until something is so. The harness would wait for ever; this ends it.
local function wait(holds)
  return vim.wait(60000, holds, 20)
end

-- The number of the server, the same for both files.
local server

local function open(file)
  vim.cmd('silent edit ' .. file)
  local buffer = vim.api.nvim_get_current_buf()
  vim.lsp.buf_attach_client(buffer, server)
  return buffer
end

local function errors(buffer)
  return vim.diagnostic.get(buffer, { severity = vim.diagnostic.severity.ERROR })
end

-- The line and the column of a text in a buffer, both from 0.
local function place(buffer, text, offset)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local at = line:find(text, 1, true)
    if at then return number - 1, at - 1 + (offset or 0) end
  end
  error('there is no `' .. text .. '`')
end

local function go(buffer, text, offset)
  vim.api.nvim_set_current_buf(buffer)
  local line, column = place(buffer, text, offset)
  vim.api.nvim_win_set_cursor(0, { line + 1, column })
end

local function request(buffer, method, more)
  local params = vim.tbl_extend('force', vim.lsp.util.make_position_params(0, 'utf-16'), more or {})
  local answers = vim.lsp.buf_request_sync(buffer, method, params, 60000) or {}
  for _, answer in pairs(answers) do return answer.result, answer.err end
end

-- The lines of a file on disk, without comments.
local function saved(file)
  local lines = vim.tbl_filter(function(line) return not line:match('^%s*//') end, vim.fn.readfile(file))
  return table.concat(lines, '\n')
end

local function run()
  server = vim.lsp.start_client({ name = 'volvelle', cmd = { vim.env.VOLVELLE, 'lsp' }, root_dir = vim.fn.getcwd() })
  check('the server starts', server ~= nil, server)
  local client = vim.lsp.get_client_by_id(server)
  local model = open('die.prism')
  check('the server answers', wait(function() return client.initialized end))

  local line = place(model, '[flip] node = 0')
  local before = vim.api.nvim_buf_get_lines(model, line, line + 1, false)[1]
  vim.api.nvim_buf_set_lines(model, line, line + 1, false, { (before:gsub('node = 0', 'nod = 0', 1)) })
  wait(function() return #errors(model) > 0 end)
  local found = errors(model)
  check('an error is seen', #found == 1 and found[1].lnum == line and found[1].message:find('did you mean `node`', 1, true), found)
  vim.api.nvim_buf_set_lines(model, line, line + 1, false, { before })
  check('it is mended', wait(function() return #errors(model) == 0 end), errors(model))

  local properties = open('die.props')
  go(properties, 'F face = 1', 2)
  vim.lsp.buf.definition()
  local function is_there() return vim.api.nvim_get_current_buf() == model end
  local arrived = wait(is_there)
  local declared, column = place(model, 'face :')
  local cursor = vim.api.nvim_win_get_cursor(0)
  check('a jump from a property into the model', arrived and cursor[1] == declared + 1 and cursor[2] == column, cursor)

  local hover = request(model, 'textDocument/hover')
  check('a hover', hover and vim.inspect(hover.contents):find('face : [0..6]', 1, true), hover)

  local references = request(model, 'textDocument/references', { context = { includeDeclaration = true } })
  local by_file = {}
  for _, one in ipairs(references or {}) do
    local name = vim.fn.fnamemodify(vim.uri_to_fname(one.uri), ':t')
    by_file[name] = (by_file[name] or 0) + 1
  end
  local function count(file) return select(2, saved(file):gsub('%f[%w_]face%f[^%w_]', '')) end
  check('references in both files', by_file['die.prism'] == count('die.prism') and by_file['die.props'] == count('die.props'), by_file)

  vim.lsp.buf.rename('side')
  local function is_renamed()
    local text = table.concat(vim.api.nvim_buf_get_lines(properties, 0, -1, false), '\n')
    return text:find('F side = 1', 1, true) ~= nil
  end
  check('a rename', wait(is_renamed), vim.api.nvim_buf_get_lines(properties, 0, -1, false))
  vim.cmd('silent wall')
  local clean = saved('die.prism'):find('side : [0..6]', 1, true) and saved('die.props'):find('F side = 6', 1, true)
  check('it is saved in both files', clean and count('die.prism') + count('die.props') == 0, { saved('die.prism'), saved('die.props') })
  local symbols = request(model, 'textDocument/documentSymbol')
  check('an outline', symbols and symbols[1] ~= nil, symbols)
  local function is_well() return #errors(model) + #errors(properties) == 0 end
  check('nothing is wrong behind it', wait(is_well), { errors(model), errors(properties) })
  client.stop()
  check('the server ends', wait(function() return client.is_stopped() end))
end

local is_well, problem = pcall(run)
if not is_well then check('the script', false, problem) end
finish()
