//! Windows that stand for a program, as options ask for them.

use crate::options::SimulateMulticore;
use volvelle_console::amounts;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_multicore::Sampling;

/// Windows where not told otherwise: enough for Student's interval of means that are not normal.
const USUAL: Sampling = Sampling { windows: 30, window: 100_000, warm_up: 10_000 };

/// What options say of windows.
#[derive(Clone, Copy, Debug)]
pub struct Windows {
    pub sampling: Sampling,
    /// Half of the interval over its middle, at most.
    pub precision: Option<f64>,
}

/// Whether an option about windows is given, and which.
pub fn option(args: &SimulateMulticore) -> Option<&'static str> {
    let all = [
        ("--windows", &args.windows),
        ("--window", &args.window),
        ("--warm-up", &args.warm_up),
        ("--precision", &args.precision),
    ];
    all.into_iter().find(|(_, value)| value.is_some()).map(|(name, _)| name)
}

/// Reads the options; `None` without any.
pub fn read(args: &SimulateMulticore) -> Result<Option<Windows>, Vec<Diagnostic>> {
    if option(args).is_none() {
        return Ok(None);
    }
    let mut found = Vec::new();
    let mut number = |text: &Option<String>, usual: u64, what: &str, least: u64, example: &str| {
        let Some(text) = text else { return usual };
        if least == 0 && text.trim() == "0" {
            return 0;
        }
        match amounts::count(text, what, example) {
            Ok(number) if number >= least => return number,
            Ok(number) => {
                let message = format!("{number} is not {what}: it is at least {least}");
                found.push(Diagnostic::error(codes::BAD_USAGE, message).help(format!("write {example}")));
            }
            Err(wrong) => found.push(wrong),
        }
        usual
    };
    let sampling = Sampling {
        windows: number(&args.windows, USUAL.windows, "a number of windows", 2, "--windows 30"),
        window: number(&args.window, USUAL.window, "a number of instructions", 1, "--window 100000"),
        warm_up: number(&args.warm_up, USUAL.warm_up, "a number of instructions", 0, "--warm-up 10000"),
    };
    let precision =
        args.precision.as_deref().map(|text| amounts::precision(text, "--precision 1%")).transpose();
    match precision {
        Ok(precision) if found.is_empty() => Ok(Some(Windows { sampling, precision })),
        Ok(_) => Err(found),
        Err(wrong) => Err([found, vec![wrong]].concat()),
    }
}
