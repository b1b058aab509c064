//! Whether an answer is right, and does what it claims.

use crate::cases::Reference;
use volvelle_logic::{Answer, Guarantee, StopReason, Value, gate};

/// Relative error that a numeric answer may have.
const TOLERANCE: f64 = 1e-6;

/// Relative error that an answer may have which claims to be exact.
const EXACT: f64 = 1e-12;

/// References are rounded to the nearest double: so much of a bound is forgiven.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// What to think of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Right, as far as a reference tells.
    Right,
    /// There is an answer, but nothing to compare it with.
    NoReference,
    /// Not as precise as asked for, and it says so.
    Unfinished(String),
    /// Wrong, or not what it claims.
    Wrong(String),
}

/// Judges an answer.
pub fn judge(answer: &Answer, reference: Reference) -> Verdict {
    let (value, lo, hi) = match (&answer.value, reference) {
        (_, Reference::None) => return consistent(answer),
        (Value::Bool(true), Reference::True) => return Verdict::Right,
        (Value::Number(value), Reference::Value(_) | Reference::Between(..)) => match answer.guarantee {
            Guarantee::Exact { .. } | Guarantee::Approximate { .. } | Guarantee::Within { .. } => {
                (*value, *value, *value)
            }
            Guarantee::Sound { lo, hi, .. } => (*value, lo, hi),
            Guarantee::Partial { .. } => return Verdict::Wrong("a number from a search".to_owned()),
            Guarantee::Statistical { .. } => return Verdict::Wrong("a number from paths".to_owned()),
        },
        (value, reference) => return Verdict::Wrong(format!("{value:?} for {reference:?}")),
    };
    if let Verdict::Wrong(why) = consistent(answer) {
        return Verdict::Wrong(why);
    }
    match reference {
        Reference::Between(least, most) => {
            let (least, most) = (least - TOLERANCE * least.abs(), most + TOLERANCE * most.abs());
            if hi < least || lo > most {
                return Verdict::Wrong(format!("[{lo:e}, {hi:e}] does not meet [{least:e}, {most:e}]"));
            }
            Verdict::Right
        }
        Reference::Value(expected) => {
            let error = relative_error(value, expected);
            let slack = ROUNDING * expected.abs();
            match answer.guarantee {
                Guarantee::Exact { .. } if error > EXACT => {
                    Verdict::Wrong(format!("{value:e} for {expected:e}, said to be exact"))
                }
                Guarantee::Sound { .. } if !(lo - slack <= expected && expected <= hi + slack) => {
                    Verdict::Wrong(format!("[{lo:e}, {hi:e}] does not contain {expected:e}"))
                }
                Guarantee::Approximate { .. } if error > TOLERANCE => {
                    Verdict::Unfinished(format!("{value:e} for {expected:e}, said to be approximate"))
                }
                _ if error <= TOLERANCE => Verdict::Right,
                _ if answer.stop == StopReason::IterationLimit => {
                    Verdict::Unfinished(format!("[{lo:e}, {hi:e}] after the limit of iterations"))
                }
                _ => Verdict::Wrong(format!("{value:e} for {expected:e}, relative error {error:e}")),
            }
        }
        Reference::None | Reference::True => unreachable!("taken care of above"),
    }
}

/// Whether value and bounds of an answer fit together.
fn consistent(answer: &Answer) -> Verdict {
    if let (Value::Number(value), Guarantee::Sound { lo, hi, .. }) = (&answer.value, &answer.guarantee)
        && !(lo <= value && value <= hi)
    {
        return Verdict::Wrong(format!("{value:e} does not lie in its own bounds [{lo:e}, {hi:e}]"));
    }
    if matches!(answer.value, Value::Number(value) if value.is_nan()) {
        return Verdict::Wrong("not a number".to_owned());
    }
    Verdict::NoReference
}

/// 0 must be 0, infinity infinity.
fn relative_error(value: f64, expected: f64) -> f64 {
    if value == expected {
        return 0.0;
    }
    let error = (value - expected).abs() / expected.abs();
    if error.is_nan() { f64::INFINITY } else { error }
}

/// The judge is judged: every rule refuses something. Gives what is wrong with it, if anything.
pub fn self_check() -> Result<(), String> {
    let answer = |value: f64, guarantee: Guarantee| Answer {
        value: Value::Number(value),
        guarantee,
        compared: None,
        exact: Vec::new(),
        method: String::new(),
        stop: StopReason::Converged,
        initially: None,
    };
    let sound = |lo, hi| gate::enclosed([lo, hi]).unwrap();
    let value = Reference::Value;
    let right = [
        (answer(0.5, gate::exact()), value(0.5)),
        (answer(0.5 + 1e-8, sound(0.5 - 1e-7, 0.5 + 1e-7)), value(0.5)),
        (answer(0.0, gate::exact()), value(0.0)),
        (answer(f64::INFINITY, gate::exact()), value(f64::INFINITY)),
        (answer(2.0, sound(1.9, 2.1)), Reference::Between(2.05, 3.0)),
        (Answer { value: Value::Bool(true), ..answer(0.0, gate::exact()) }, Reference::True),
    ];
    let wrong = [
        (answer(0.5 + 1e-9, gate::exact()), value(0.5)),
        (answer(0.6, sound(0.5, 0.7)), value(0.61)),
        (answer(0.5, sound(0.5, 0.5 + 1e-9)), value(0.5 - 1e-9)),
        (answer(1e-9, sound(0.0, 1e-6)), value(0.0)),
        (answer(1e-9, sound(0.0, 1e-6)), value(2e-9)),
        (answer(1.0, gate::exact()), value(f64::INFINITY)),
        (answer(0.4, sound(0.5, 0.7)), Reference::None),
        (answer(f64::NAN, gate::exact()), Reference::None),
        (answer(2.0, sound(1.9, 2.1)), Reference::Between(2.2, 3.0)),
        (answer(1.0, gate::exact()), Reference::True),
        (Answer { value: Value::Bool(false), ..answer(0.0, gate::exact()) }, Reference::True),
        (Answer { value: Value::Bool(true), ..answer(0.0, gate::exact()) }, value(1.0)),
    ];
    for (answer, reference) in &right {
        if judge(answer, *reference) != Verdict::Right {
            return Err(format!("the judge refuses {answer:?} for {reference:?}"));
        }
    }
    for (answer, reference) in &wrong {
        if !matches!(judge(answer, *reference), Verdict::Wrong(_)) {
            return Err(format!("the judge accepts {answer:?} for {reference:?}"));
        }
    }
    Ok(())
}
