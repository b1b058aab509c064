//! Tests that are files: kernels with comments that state expectations. The same files run
//! through every back end.
//!
//! ```text
//! // Appends double the elements of a buffer.
//! //! test print
//! //! test run
//! //! run double(2; src = [1, -3, 5], dst = room 9) == done; dst = [2, -6]
//! kernel double(n: u64) {
//!     buffer src: read i64;
//!     …
//! }
//! //= kernel double(n: u64) {
//! //= …
//! ```
//!
//! Directives start with `//!`:
//!
//! - `test print`: the kernels print as the lines that start with `//=` say.
//! - `test parse-error`: the text is refused with the messages in the `//=` lines.
//! - `test verify-error`: the text parses, and the verifier refuses it with these messages.
//! - `test run`: every `run` directive holds. It gives values for all parameters and contents for buffers
//!   (a list, or `room n` for one that grows; nothing where left out), then the exit (`done`, `full(b)`,
//!   `failed(@0)`, `out_of_bounds(b)`) and the contents afterwards of all buffers that are not only read.
//!   Any NaN fits `nan`. A `//!` line that starts with neither `test` nor `run` continues the last one.
//!
//! Whatever the tests of a file, its kernels are the same after printing and parsing.

mod directive;

use crate::code::Compiler;
use crate::harness::{self, Contents};
use crate::kernel::Kernel;
use crate::text::parse;
use crate::types::Const;
use crate::verify::verify;
use directive::Run;

/// Runs the tests of a file. An error names the directive that does not hold, and what was found.
pub fn run_file(text: &str, compiler: &dyn Compiler) -> Result<(), String> {
    let file = File::read(text)?;
    if let Some(shown) = file.shown {
        let expected: String = file.expected.iter().map(|line| format!("{line}\n")).collect();
        let found = show(shown, text)?;
        if found != expected {
            return Err(format!("expected:\n{expected}\nfound:\n{found}"));
        }
    }
    if matches!(file.shown, Some(Shown::ParseErrors | Shown::VerifyErrors)) {
        return Ok(());
    }
    let kernels = parsed(text)?;
    for kernel in &kernels {
        comes_back(kernel)?;
        verify(kernel).map_err(|errors| join(&errors))?;
    }
    for (line, directive) in &file.runs {
        run(directive, &kernels, compiler).map_err(|why| format!("line {line}: {why}"))?;
    }
    Ok(())
}

/// The kernel or expression of a `run` directive.
#[derive(Clone, Debug)]
pub struct Given {
    /// The kernel.
    pub kernel: Kernel,
    /// A value for each parameter.
    pub params: Vec<Const>,
    /// Contents for each buffer.
    pub contents: Vec<Contents>,
}

/// The subjects of the `run` directives of a file.
///
/// # Errors
/// The file, its kernels or a directive cannot be read.
pub fn runs(text: &str) -> Result<Vec<Given>, String> {
    let file = File::read(text)?;
    if matches!(file.shown, Some(Shown::ParseErrors | Shown::VerifyErrors)) {
        return Ok(Vec::new());
    }
    let kernels = parsed(text)?;
    let read = |(line, directive): &(usize, String)| {
        let run = Run::parse(directive, &kernels).map_err(|why| format!("line {line}: {why}"))?;
        Ok(Given { kernel: run.kernel.clone(), params: run.params, contents: run.before })
    };
    file.runs.iter().map(read).collect()
}

/// The text with its `//=` lines replaced by what was found.
pub fn bless(text: &str) -> Result<String, String> {
    let file = File::read(text)?;
    let Some(shown) = file.shown else {
        return Ok(text.to_owned());
    };
    let found = show(shown, text)?;
    let kept = text.lines().filter(|line| !line.starts_with(EXPECTED));
    let expected = found.lines().map(|line| format!("{EXPECTED} {line}").trim_end().to_owned());
    Ok(kept.map(str::to_owned).chain(expected).map(|line| line + "\n").collect())
}

const DIRECTIVE: &str = "//!";
const EXPECTED: &str = "//=";

/// The contents of `//=` lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Print,
    ParseErrors,
    VerifyErrors,
}

/// The directives in the comments of a file.
struct File {
    shown: Option<Shown>,
    expected: Vec<String>,
    /// With line numbers.
    runs: Vec<(usize, String)>,
}

impl File {
    fn read(text: &str) -> Result<Self, String> {
        let mut file = File { shown: None, expected: Vec::new(), runs: Vec::new() };
        let mut test_run = false;
        for (i, line) in text.lines().enumerate() {
            if let Some(expected) = line.strip_prefix(EXPECTED) {
                file.expected.push(expected.strip_prefix(' ').unwrap_or(expected).to_owned());
            }
            let Some(directive) = line.strip_prefix(DIRECTIVE) else {
                continue;
            };
            let words = directive.trim();
            let shown = match words.split_once(' ') {
                Some(("run", _)) => {
                    file.runs.push((i + 1, words["run".len()..].to_owned()));
                    continue;
                }
                Some(("test", "run")) => {
                    test_run = true;
                    continue;
                }
                Some(("test", "print")) => Shown::Print,
                Some(("test", "parse-error")) => Shown::ParseErrors,
                Some(("test", "verify-error")) => Shown::VerifyErrors,
                _ => {
                    let Some((_, last)) = file.runs.last_mut() else {
                        return Err(format!("line {}: unknown directive", i + 1));
                    };
                    last.push(' ');
                    last.push_str(words);
                    continue;
                }
            };
            if file.shown.replace(shown).is_some() {
                return Err(format!("line {}: one test of a file may have `//=` lines", i + 1));
            }
        }
        if !test_run && file.shown.is_none() {
            return Err("the file has no test".into());
        }
        if test_run == file.runs.is_empty() {
            return Err("`test run` and `run` directives belong together".into());
        }
        Ok(file)
    }
}

/// The `//=` lines as they should be.
fn show(shown: Shown, text: &str) -> Result<String, String> {
    match shown {
        Shown::Print => Ok(parsed(text)?.iter().map(|k| k.to_string()).collect()),
        Shown::ParseErrors => match parse(text) {
            Ok(_) => Err("the text was accepted".into()),
            Err(errors) => Ok(join(&errors)),
        },
        Shown::VerifyErrors => {
            let errors: String =
                parsed(text)?.iter().filter_map(|k| verify(k).err()).map(|e| join(&e)).collect();
            if errors.is_empty() { Err("the kernels are valid".into()) } else { Ok(errors) }
        }
    }
}

fn parsed(text: &str) -> Result<Vec<Kernel>, String> {
    parse(text).map_err(|errors| join(&errors))
}

fn join<E: std::fmt::Display>(errors: &[E]) -> String {
    errors.iter().map(|e| format!("{e}\n")).collect()
}

fn comes_back(kernel: &Kernel) -> Result<(), String> {
    let text = kernel.to_string();
    let again = parsed(&text)?;
    if again.len() == 1 && again[0].canonical() == kernel.canonical() && again[0].to_string() == text {
        Ok(())
    } else {
        Err(format!("kernel `{}` differs after printing and parsing:\n{text}", kernel.name))
    }
}

fn run(directive: &str, kernels: &[Kernel], compiler: &dyn Compiler) -> Result<(), String> {
    let run = Run::parse(directive, kernels)?;
    let kernel = run.kernel;
    let code = compiler.compile(kernel).map_err(|e| e.to_string())?;
    let found = harness::run(&*code, &kernel.buffers, &run.params, &run.before);
    if found.exit != run.exit {
        return Err(format!("exit {:?}; buffers {}", found.exit, directive::show(&found.buffers)));
    }
    for (i, expected) in run.after.iter().enumerate() {
        let Some(expected) = expected else { continue };
        let found = &found.buffers[i];
        let same = |(a, b): (&crate::Const, &crate::Const)| harness::same_value(*a, *b);
        if found.len() != expected.len() || !found.iter().zip(expected).all(same) {
            let name = &kernel.buffers[i].name;
            return Err(format!("{name} = {}", directive::show(std::slice::from_ref(found))));
        }
    }
    Ok(())
}
