//! Where results and diagnostics go: standard output and standard error, each with the style that fits it.
//!
//! Nothing else opens these streams, and what goes to them has passed `crate::terminal`: it shows the names of a model, whatever
//! they contain, and acts only by the styles of this program.

use crate::cluster;
use crate::files;
use crate::watchdog;
use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use volvelle_diagnostics::{Diagnostic, RenderOptions, Sources, codes, render_all};
use volvelle_present::terminal::Style;
use volvelle_present::terminal::marks as terminal;
use volvelle_session::report::Status;

/// Bad usage or an error in the input.
pub const EXIT_USAGE: u8 = 2;

/// A limit was reached, or the run was interrupted.
pub const EXIT_LIMIT: u8 = 3;

/// Whether the answer is to be JSON, as far as can be seen without parsing the command line.
pub fn is_json_wanted() -> bool {
    std::env::args_os().skip(1).take_while(|word| word != "--").any(|word| word == "--json")
}

/// Whether reports are kept back.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Keeps back what [`Output::print`] and progress would show from now on (`--quiet`). Diagnostics are shown, and so are the documents of
/// [`Output::print_document`].
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether reports are kept back.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Standard output and standard error.
pub struct Output {
    /// How results are drawn.
    pub style: Style,
    errors: Style,
    /// Whether a result was printed.
    printed: Cell<bool>,
    /// Why a result could not be printed.
    failure: Cell<Option<io::Error>>,
    /// Whether it belongs to the watchdog, which prints when nothing else does.
    is_of_watchdog: bool,
}

impl Default for Output {
    fn default() -> Self {
        Self::new()
    }
}

impl Output {
    /// Looks at what the streams are connected to, and at `NO_COLOR`, `COLUMNS` and the like.
    pub fn new() -> Self {
        let (out, err) = (io::stdout(), io::stderr());
        let colored = |choice| choice != anstream::ColorChoice::Never;
        Output {
            style: Style {
                color: colored(anstream::AutoStream::choice(&out)),
                unicode: out.is_terminal(),
                width: width(out.is_terminal()),
            },
            errors: Style {
                color: colored(anstream::AutoStream::choice(&err)),
                unicode: err.is_terminal(),
                width: width(err.is_terminal()),
            },
            printed: Cell::new(false),
            failure: Cell::new(None),
            is_of_watchdog: false,
        }
    }

    /// The output of the watchdog.
    pub fn of_watchdog() -> Self {
        Output { is_of_watchdog: true, ..Self::new() }
    }

    fn begin(&self) {
        if !self.is_of_watchdog {
            watchdog::results_begin();
        }
    }

    /// Prints a result, unless it is to be kept back. A reader that has gone away is no error.
    pub fn print(&self, text: &str) {
        if is_quiet() {
            return;
        }
        self.write(&terminal::written(text, self.style.color));
    }

    /// Prints a document for other programs, in which tabs are white space: code, a script, a page of the manual, what a model prints.
    pub fn print_document(&self, text: &str) {
        self.write(&volvelle_media::document(text));
    }

    /// `text` has to be harmless.
    fn write(&self, text: &str) {
        if text.is_empty() || cluster::is_follower() {
            return;
        }
        self.begin();
        self.printed.set(true);
        let mut out = io::stdout().lock();
        if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush())
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            self.failure.set(Some(error));
        }
    }

    /// Prints a result of work that goes on, and may be ended again.
    pub fn tell(&self, text: &str) {
        self.print(text);
        watchdog::work_goes_on();
    }

    /// Prints what a model prints while its run goes on.
    pub fn tell_document(&self, text: &str) {
        self.print_document(text);
        watchdog::work_goes_on();
    }

    /// The exit code of a run: an error if its results could not be printed.
    pub fn checked(&self, code: u8) -> u8 {
        let Some(error) = self.failure.take() else { return code };
        let why = files::reason(Path::new(""), &error);
        let message = format!("cannot write to standard output: {why}");
        let diagnostic = Diagnostic::error(codes::FILE_NOT_WRITTEN, message);
        self.print_diagnostics(&[diagnostic], &Sources::new());
        EXIT_USAGE
    }

    /// Prints diagnostics, with their number.
    pub fn print_diagnostics(&self, diagnostics: &[Diagnostic], sources: &Sources) {
        if diagnostics.is_empty() || cluster::is_follower() {
            return;
        }
        self.begin();
        let options = RenderOptions { color: self.errors.color, width: self.errors.width };
        // What is drawn is harmless already; the renderer's styles act.
        let text = terminal::drawn(&render_all(diagnostics, sources, options), self.errors.color);
        // On a screen an empty line separates them from results.
        let gap = if self.style.unicode && self.errors.unicode && self.printed.get() { "\n" } else { "" };
        let mut err = io::stderr().lock();
        let _ = err
            .write_all(gap.as_bytes())
            .and_then(|()| err.write_all(text.as_bytes()))
            .and_then(|()| err.flush());
    }
}

/// Standard output for a conversation with a program: its messages have lengths, so that every byte stays as it is.
pub fn stream() -> impl Write {
    io::stdout()
}

/// A line on standard error, about work in progress.
pub fn say(text: &str) {
    let mut err = io::stderr().lock();
    // A reader that has gone away is no error.
    let _ = err.write_all(format!("{}\n", terminal::line(text)).as_bytes()).and_then(|()| err.flush());
}

/// Lines on standard error, in which tabs are white space: of files.
pub fn say_document(text: &str) {
    let mut err = io::stderr().lock();
    // A reader that has gone away is no error.
    let text = format!("{}\n", volvelle_media::document(text));
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

/// What the parser of the command line says: help on standard output, or an error about words that are harmless.
pub fn print_usage(error: &clap::Error) {
    let styled = error.render();
    let (is_error, colored) = (error.use_stderr(), |choice| choice != anstream::ColorChoice::Never);
    let color = match is_error {
        true => colored(anstream::AutoStream::choice(&io::stderr())),
        false => colored(anstream::AutoStream::choice(&io::stdout())),
    };
    let text = terminal::drawn(&styled.ansi().to_string(), color);
    // A closed pipe is no error worth another message.
    let _ = match is_error {
        true => io::stderr().lock().write_all(text.as_bytes()),
        false => io::stdout().lock().write_all(text.as_bytes()),
    };
}

/// Columns of a stream; 0: lines may have any length. What a pipe or a file gets is not broken, unless the user asks for it with
/// the variable `COLUMNS`, which on a terminal replaces its width.
fn width(is_terminal: bool) -> usize {
    let given = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    match given.filter(|&columns| columns > 0) {
        Some(columns) => columns,
        None if is_terminal => terminal_size::terminal_size().map_or(0, |(width, _)| usize::from(width.0)),
        None => 0,
    }
}

/// The exit code of a run.
pub fn exit_code(status: Status) -> u8 {
    match status {
        Status::Done => 0,
        Status::False => 1,
        Status::Error => EXIT_USAGE,
        Status::Limit => EXIT_LIMIT,
    }
}
