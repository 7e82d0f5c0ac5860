;;; Emacs with eglot, companion as the buffer's only server  -*- lexical-binding: t -*-
;; Run by scripts/test-editors.sh: emacs --batch -l emacs.el
;; COMPANION_BIN is the server; WORK/module is a Go module that does not build.
(require 'package)
(package-initialize)
(require 'cl-lib)
(require 'eglot)

(defconst test-patience 120 "Seconds, for a loaded machine.")
(defvar test-failed 0)
(defvar test-menus nil "What was offered to choose from, newest first.")
(defvar test-progress nil "Kinds of progress, newest first.")

(defun test-say (format &rest args)
  (princ (concat (apply #'format format args) "\n")))

(defun test-ok (name cond &optional seen)
  (unless cond (cl-incf test-failed))
  (test-say "%s%s%s" (if cond "ok   " "FAIL ") name (if cond "" (format "  %S" seen)))
  cond)

(defmacro test-wait (form)
  `(let ((end (+ (float-time) test-patience)) result)
     (while (and (not (setq result ,form)) (< (float-time) end))
       (accept-process-output nil 0.05))
     result))

(defun test-choose (_prompt collection &rest _)
  "Pick Companion's fix, as a person would."
  (let ((labels (all-completions "" collection)))
    (push labels test-menus)
    (or (cl-find-if (lambda (s) (string-match "\\`Fix .*Companion" s)) labels)
        (signal 'quit nil))))

;; eglot 1.9 has no display of progress, so it must not be sent any.
(cl-defmethod eglot-handle-notification :before (_server (_method (eql $/progress)) &rest _)
  (push t test-progress))

(define-derived-mode go-mode prog-mode "Go")

(defun test-after (server before)
  "The buffer was fixed; BEFORE is what it held."
  (let ((fixed (buffer-string)))
    (test-ok "the unused import is gone" (not (string-match "\"os\"" fixed)) fixed)
    (test-ok "no progress is sent to a client that shows none" (null test-progress))
    (save-buffer)
    (test-ok "the saved file builds" (eql 0 (call-process "go" nil nil nil "build" "-o" "/dev/null" "./...")))
    (undo-boundary)
    (let ((last-command nil)) (undo))
    (test-ok "one undo takes it back" (equal before (buffer-string)) (buffer-string))
    (undo-boundary)
    (let ((last-command nil)) (undo))
    (test-ok "and the next brings it again" (equal fixed (buffer-string)) (buffer-string))))

(test-say "up")
(let* ((dir (expand-file-name "module/" (getenv "WORK")))
       (default-directory dir)
       (eglot-sync-connect test-patience)
       (eglot-connect-timeout test-patience)
       (eglot-confirm-server-initiated-edits nil)
       (eglot-autoshutdown nil)
       (jsonrpc-default-request-timeout test-patience))
  (call-process "git" nil nil nil "init" "-q") ; eglot's root
  (add-to-list 'eglot-server-programs `(go-mode . (,(getenv "COMPANION_BIN") "serve")))
  (find-file (expand-file-name "main.go" dir))
  (go-mode)
  (buffer-enable-undo)
  (call-interactively #'eglot)
  (let ((server (test-wait (eglot-current-server))) (before (buffer-string)))
    (when (test-ok "companion starts as the buffer's only server" server)
      (test-ok "it says who it is" (equal "companion" (plist-get (eglot--server-info server) :name)))
      (goto-char (point-min))
      (search-forward "\"os")
      (undo-boundary)
      (cl-letf (((symbol-function 'completing-read) #'test-choose)
                (last-nonmenu-event ?x)) ; no mouse, so the minibuffer is used
        (condition-case err
            (call-interactively #'eglot-code-actions)
          ((error quit) (test-ok "the code action runs" nil err))))
      (test-ok "a fix is offered" (cl-find-if (lambda (s) (string-match "\\`Fix .*Companion" s)) (car test-menus)) test-menus)
      (when (test-ok "the buffer changes" (test-wait (not (equal before (buffer-string)))))
        (test-ok "the turn ends"
                 (test-wait (eql 0 (plist-get (jsonrpc-request server :workspace/executeCommand '(:command "companion.status")) :running))))
        (test-after server before))
      (eglot-shutdown server)
      (test-ok "companion ends when eglot says so" (not (jsonrpc-running-p server))))
    (set-buffer-modified-p nil)))
(kill-emacs (if (zerop test-failed) 0 1))
