;;; emacs.el --- Emacs' own client of language servers, in batch mode -*- lexical-binding: t -*-

;;; Commentary:

;; Opens a model with its properties, breaks and mends it, jumps, hovers, completes, renames in both files, and saves them.  The working
;; folder has `die.prism' and `die.props', copies of the examples.
;;
;;   VOLVELLE=PROGRAM emacs --batch -l package -f package-initialize -l editors/test/emacs.el

;;; Code:

(require 'cl-lib)
(require 'eglot)
(require 'flymake)
(require 'xref)

(defvar test-passed 0)
(defvar test-failed 0)

(defun test-check (name holds &optional found)
  "Count the test NAME, which passes if it HOLDS; else show what was FOUND."
  (if holds (cl-incf test-passed) (cl-incf test-failed))
  (princ (format "test emacs: %s ... %s%s\n" name (if holds "ok" "FAILED") (if holds "" (format ": %S" found)))))

(defun test-wait (holds)
  "Wait until HOLDS gives something, which is returned.  The harness would wait for ever; this ends it."
  (let ((end (+ (float-time) 60)) found)
    (while (and (not (setq found (funcall holds))) (< (float-time) end))
      (accept-process-output nil 0.05))
    found))

(defun test-errors ()
  "What is told about the buffer."
  (eglot--signal-textDocument/didChange)
  (flymake-start)
  (flymake-diagnostics))

(defun test-go (text &optional offset)
  "Go to the first TEXT, and OFFSET characters further."
  (goto-char (point-min))
  (search-forward text)
  (goto-char (+ (match-beginning 0) (or offset 0))))

(defun test-edit (from to)
  "Replace the first FROM by TO."
  (test-go from)
  (replace-match to t t))

(defun test-saved (file)
  "The text of FILE on disk."
  (with-temp-buffer (insert-file-contents file) (buffer-string)))

;; The lines of editors/README.md.
(define-derived-mode volvelle-mode prog-mode "Volvelle")
(add-to-list 'auto-mode-alist '("\\.\\(prism\\|pm\\|nm\\|sm\\|props\\|pctl\\|pml\\|lotos\\)\\'" . volvelle-mode))
(add-to-list 'eglot-server-programs `(volvelle-mode . (,(getenv "VOLVELLE") "lsp")))

;; Files are saved without copies beside them, and nobody is there to be asked.
(setq make-backup-files nil create-lockfiles nil auto-save-default nil eglot-confirm-server-initiated-edits nil)

(defun test-all ()
  "All tests, one after the other."
  (let* ((model (find-file-noselect "die.prism"))
         (properties (find-file-noselect "die.props"))
         (server (with-current-buffer model (apply #'eglot (eglot--guess-contact)))))
    (with-current-buffer properties (unless eglot--managed-mode (eglot--maybe-activate-editing-mode)))
    (with-current-buffer model
      (test-check "the server is there" (and server (eglot-current-server)))
      (test-check "a right model has no errors" (null (test-errors)) (test-errors))
      (test-edit "node = 1" "nde = 1")
      (let ((errors (test-wait #'test-errors)))
        (test-check "a misspelt name is an error in its line"
                    (and (= (length errors) 1)
                         (save-excursion
                           (test-go "nde = 1")
                           (= (line-number-at-pos) (line-number-at-pos (flymake-diagnostic-beg (car errors))))))
                    (mapcar #'flymake-diagnostic-text errors)))
      (test-edit "nde = 1" "node = 1")
      (test-check "the error goes with it" (test-wait (lambda () (null (test-errors)))))
      (test-go "node = 1" 1)
      (let ((found (xref-backend-definitions 'eglot (xref-backend-identifier-at-point 'eglot))))
        (test-check "a variable leads to its declaration"
                    (and (= (length found) 1)
                         (let ((line (xref-location-line (xref-item-location (car found)))))
                           (save-excursion (test-go "node :") (= line (line-number-at-pos)))))
                    found))
      (test-go "node = 1" 1)
      (let* ((told (jsonrpc-request server :textDocument/hover (eglot--TextDocumentPositionParams)))
             (text (plist-get (plist-get told :contents) :value)))
        (test-check "a hover tells its range" (and text (string-match-p "node" text)) told))
      (test-go "node = 1" 2)
      (let* ((table (nth 2 (eglot-completion-at-point)))
             (names (all-completions "no" table)))
        (test-check "a name is completed" (member "node" (mapcar #'substring-no-properties names)) names)))
    (with-current-buffer properties
      (test-go "face = 1" 1)
      (let ((found (xref-backend-definitions 'eglot (xref-backend-identifier-at-point 'eglot))))
        (test-check "a property leads to the model"
                    (and found (string-suffix-p "die.prism" (xref-location-group (xref-item-location (car found)))))
                    found)))
    (with-current-buffer model
      (test-go "face :" 1)
      (eglot-rename "eyes"))
    (dolist (buffer (list model properties)) (with-current-buffer buffer (save-buffer)))
    (dolist (file '("die.prism" "die.props"))
      (test-check (format "a rename is saved in %s" file)
                  (and (string-match-p "\\beyes\\b" (test-saved file))
                       (not (string-match-p "^[^/\n]*\\bface\\b" (test-saved file))))
                  (test-saved file)))
    (eglot-shutdown server)
    (test-check "the server ends" (test-wait (lambda () (not (jsonrpc-running-p server)))))))

(condition-case problem (test-all) (error (test-check "no error" nil problem)))
(princ (format "test result: %s. %d passed; %d failed; 0 ignored\n" (if (zerop test-failed) "ok" "FAILED") test-passed test-failed))
(kill-emacs (if (zerop test-failed) 0 1))

;;; emacs.el ends here
