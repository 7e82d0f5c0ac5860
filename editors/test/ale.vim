" Vim with ALE: a poor client. It offers no applyEdit, sends no diagnostics with
" a code action, has no codeAction/resolve and answers no request of a server.
" So companion finds the problem itself, writes the clean buffer's file, and Vim
" re-reads it. Run by scripts/test-editors.sh: vim -N -u ale.vim -i NONE -n -es
" COMPANION_BIN is the server; WORK/module is a Go module that does not build.
set nocompatible hidden autoread
filetype plugin on
let g:ale_linters = {'go': ['companion']}
let g:ale_linters_explicit = 1
let g:ale_lint_on_text_changed = 'never'
let g:ale_virtualtext_cursor = 0
set runtimepath^=/usr/share/vim-ale
runtime plugin/ale.vim
let s:patience = 120.0
let s:failed = 0

function! s:Say(line) abort
  call writefile([a:line], $RESULT, 'a')
endfunction

function! s:Ok(name, cond, ...) abort
  let s:failed += a:cond ? 0 : 1
  call s:Say((a:cond ? 'ok   ' : 'FAIL ') . a:name . (a:cond || a:0 == 0 ? '' : '  ' . string(a:1)))
  return a:cond
endfunction

function! s:Wait(Done) abort
  let l:start = reltime()
  while reltimefloat(reltime(l:start)) < s:patience
    if a:Done()
      return 1
    endif
    sleep 50m
  endwhile
  return 0
endfunction

function! s:Text() abort
  return join(getline(1, '$'), "\n") . "\n"
endfunction

" The menu of code actions: as a person who wants Companion's fix.
let s:menus = []
runtime autoload/ale/util.vim
function! ale#util#Input(message, value, ...) abort
  call add(s:menus, a:message)
  return matchstr(a:message, '\n\zs\d\+\ze) Fix with Companion: ')
endfunction

function! s:Offered() abort
  let l:n = len(s:menus)
  ALECodeAction
  let l:start = reltime()
  while len(s:menus) == l:n && reltimefloat(reltime(l:start)) < 10
    sleep 20m
  endwhile
  return len(s:menus) > l:n && s:menus[-1] =~# '\n\d\+) Fix with Companion: '
endfunction

function! s:Reread() abort
  silent! checktime
  return s:Text() !=# s:before
endfunction

function! s:Call(command) abort
  let s:answer = {}
  call ale#lsp_linter#SendRequest(bufnr(''), 'companion', [0, 'workspace/executeCommand', {'command': a:command, 'arguments': [{}]}], {r -> extend(s:, {'answer': r})})
  call s:Wait({-> !empty(s:answer)})
  return get(s:answer, 'result', {})
endfunction

call s:Say('up')
let s:dir = $WORK . '/module'
execute 'cd' fnameescape(s:dir)
call ale#linter#Define('go', {'name': 'companion', 'lsp': 'stdio', 'executable': $COMPANION_BIN,
\ 'command': '%e serve', 'language': 'go', 'project_root': {b -> s:dir}})
execute 'edit' fnameescape(s:dir . '/main.go')
setfiletype go
call ale#Queue(0)
let s:before = s:Text()
call cursor(5, 3)
if s:Ok('the fix is offered, from what companion itself knows', s:Wait(function('s:Offered')), s:menus)
  call s:Ok('the file changes on the disk', s:Wait({-> join(readfile('main.go'), "\n") . "\n" !=# s:before}))
  call s:Ok('Vim re-reads it', s:Wait(function('s:Reread')), s:Text())
  call s:Ok('the unused import is gone', s:Text() !~# '"os"', s:Text())
  call s:Ok('the buffer stays clean', !&modified)
  call s:Ok('the turn ends', s:Wait({-> get(s:Call('companion.status'), 'running', -1) == 0}), s:answer)
  call system('go build -o /dev/null ./...')
  call s:Ok('the file builds', v:shell_error == 0)
  silent undo
  call s:Ok('one undo takes it back', s:Text() ==# s:before, s:Text())
  silent redo

  " With unsaved changes nothing may be written: who saves last would lose.
  silent undo
  let s:dirty = s:Text()
  let s:disk = readfile('main.go', 'b')
  if s:Ok('with unsaved changes: the fix is offered again', s:Wait(function('s:Offered')), s:menus)
    call s:Ok('with unsaved changes: the turn ends', s:Wait({-> get(s:Call('companion.status'), 'running', -1) == 0}), s:answer)
    call s:Ok('with unsaved changes: neither buffer nor file is touched', s:Text() ==# s:dirty && readfile('main.go', 'b') ==# s:disk)
  endif
endif
ALEStopAllLSPs
execute s:failed ? 'cquit' : 'qall!'
