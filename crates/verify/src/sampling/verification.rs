//! Automatic statistical verification: which numerical values are compared with paths, and what follows from it.
//!
//! The comparison itself is [`volvelle_estimate::validation`]. A value that is probably wrong may be computed again with a more
//! careful method.

use super::complaints;
use super::{PathTier, Sampling};
use crate::check::{Pending, Remarks};
use crate::report::PropertyReport;
use crate::session::{Session, Settings};
use std::time::{Duration, Instant};
use volvelle_control::{Control, News};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_estimate::validation::Validation;
use volvelle_estimate::with_initial_state;
use volvelle_explore::Explored;
use volvelle_logic::{Answer, Formula, Guarantee, Property, Query, Value};
use volvelle_markov::{Detection, Method, Options as Numeric};
use volvelle_simulate::measure;
use volvelle_statistics::Interval;
use volvelle_statistics::verdict::{Place, Verdict};

/// Which numerical values are verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// Those of methods that stopped without a bound on the error.
    EarlyStop,
    /// Those, and values that are asked for (`=?`) of methods without bounds.
    Auto,
    /// All values that are asked for (`=?`).
    Quantitative,
    /// All.
    Always,
    /// None.
    #[default]
    Never,
}

/// How numerical values are verified.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verifying {
    /// Which.
    pub which: Verify,
    /// For how long paths are drawn, for each value.
    pub time: Duration,
    /// Relative width of the 90 % interval from which on the samples are too few to say much.
    pub width: f64,
    /// Whether values that are probably wrong are computed again.
    pub repair: bool,
    /// How paths are drawn.
    pub sampling: Sampling,
}

impl Default for Verifying {
    fn default() -> Self {
        Verifying {
            which: Verify::default(),
            time: Duration::from_millis(1500),
            width: 1e-2,
            repair: false,
            sampling: Sampling::default(),
        }
    }
}

/// What paths say about a numerical value.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// The value that was verified.
    pub value: f64,
    /// Estimate, intervals, and where the value lies; or why there is none.
    pub verdict: Result<Verdict, String>,
    /// Whether the relative width is below the one asked for.
    pub is_precise: bool,
    /// Whether a first half found the value outside of the 99 % interval, so that a second one with another seed had to judge.
    pub redrawn: bool,
    /// Paths that the verdict is from.
    pub samples: u64,
    /// Steps on them.
    pub steps: u64,
    /// Their seed.
    pub seed: u64,
    /// What ran them.
    pub tier: String,
    /// Devices that failed.
    pub troubles: Vec<Diagnostic>,
    /// In all.
    pub time: Duration,
    /// How the value was computed in the end, where the first one was probably wrong.
    pub repaired: Option<String>,
    /// The value that was probably wrong, if it was computed again.
    pub replaced: Option<f64>,
}

impl Verification {
    /// Whether the value is probably right, as far as the paths tell.
    pub fn agrees(&self) -> Option<bool> {
        self.verdict.as_ref().ok().map(|verdict| verdict.place != Place::Outside99)
    }

    /// In plain words.
    pub fn message(&self) -> String {
        match &self.verdict {
            Err(why) => format!("not verified: {why}"),
            Ok(verdict) => match verdict.place {
                Place::Inside90 => "the numerical value lies inside the 90 % interval".to_owned(),
                Place::Outside90 => {
                    "the numerical value lies outside the 90 % interval, inside the 95 % one: 5 % of right values do".to_owned()
                }
                Place::Outside95 => {
                    "the numerical value lies outside the 95 % interval, inside the 99 % one: 4 % of right values do"
                        .to_owned()
                }
                Place::Outside99 => {
                    "the numerical value lies outside the 99 % interval: it is probably wrong".to_owned()
                }
            },
        }
    }
}

impl Session {
    /// Verifies the values of reports, in their order.
    #[expect(clippy::too_many_arguments, reason = "it continues `results`")]
    pub(crate) fn verify_reports(
        &self,
        pending: &[Pending],
        reports: &mut [PropertyReport],
        explored: &Explored,
        settings: &Settings,
        control: &Control<'_>,
        exact: &mut crate::exact::Exact,
        remarks: &mut Remarks,
    ) {
        let wanted: Vec<usize> = (0..reports.len())
            .filter(|&i| {
                pending[i].property.as_ref().is_ok_and(|p| is_wanted(p, &reports[i], &settings.verify))
            })
            .collect();
        // What was found to be precise enough for one value is used for those that follow.
        let mut carried: Option<Numeric> = None;
        for (done, &i) in wanted.iter().enumerate() {
            if control.check().is_err() {
                break;
            }
            let Ok(property) = &pending[i].property else { continue };
            if let Some(numeric) = carried
                && is_wanted(
                    property,
                    &reports[i],
                    &Verifying { which: Verify::EarlyStop, ..settings.verify },
                )
            {
                let tightened = Settings { numeric, ..*settings };
                let again = self.answers(&[&pending[i]], explored, &tightened, control, exact, remarks);
                reports[i] = again.into_iter().next().unwrap_or_else(|| reports[i].clone());
            }
            let Some(mut verification) = self.verify_value(property, &reports[i], &settings.verify, control)
            else {
                continue;
            };
            if settings.verify.repair && verification.agrees() == Some(false) {
                let mut numeric = carried.unwrap_or(settings.numeric);
                while let Some((tighter, how)) = tighter(&numeric) {
                    numeric = tighter;
                    let tightened = Settings { numeric, ..*settings };
                    let again = self.answers(&[&pending[i]], explored, &tightened, control, exact, remarks);
                    let Some(again) = again.into_iter().next() else { break };
                    let Some((value, bounds)) = value_of(&again) else { break };
                    let verdict = verification.judge_again(bounds);
                    if verdict.is_some_and(|verdict| verdict.place != Place::Outside99) {
                        verification.replaced = Some(verification.value);
                        verification.value = value;
                        verification.repaired = Some(how);
                        if let (Some(verdict), Ok(known)) = (verdict, &mut verification.verdict) {
                            *known = verdict;
                        }
                        reports[i] = again;
                        carried = Some(numeric);
                        break;
                    }
                }
            }
            if verification.agrees() == Some(false) {
                remarks.diagnostics.push(complaints::of_doubt(&verification, pending[i].place));
            }
            for trouble in std::mem::take(&mut verification.troubles) {
                if !remarks.diagnostics.contains(&trouble) {
                    remarks.diagnostics.push(trouble);
                }
            }
            reports[i].verification = Some(Box::new(verification));
            control.progress.news(News::Answered { done: done as u64 + 1, total: wanted.len() as u64 });
        }
    }

    /// Draws paths for a value; `None` if it is no number.
    fn verify_value(
        &self,
        property: &Property,
        report: &PropertyReport,
        verifying: &Verifying,
        control: &Control<'_>,
    ) -> Option<Verification> {
        let begin = Instant::now();
        let (value, bounds) = value_of(report)?;
        let program = self.program()?;
        let mut verification = Verification {
            value,
            verdict: Err(String::new()),
            is_precise: false,
            redrawn: false,
            samples: 0,
            steps: 0,
            seed: verifying.sampling.seed,
            tier: String::new(),
            troubles: Vec::new(),
            time: Duration::ZERO,
            repaired: None,
            replaced: None,
        };
        let mut program = with_initial_state(program);
        let mut automata = Vec::new();
        let measure = match measure::measure(&mut program, &mut automata, property) {
            Ok(asked) => asked.measure,
            Err(refusal) => {
                verification.verdict = Err(refusal.to_string());
                return Some(verification);
            }
        };
        let validation = Validation {
            value: bounds,
            sampling: &verifying.sampling,
            time: verifying.time,
            tier: self.tier_of_paths(&verifying.sampling),
            devices: &self.devices,
        };
        let validated = validation.run(program, measure, automata, begin, control);
        Some(Verification {
            is_precise: validated.verdict.as_ref().is_ok_and(|verdict| verdict.is_precise(verifying.width)),
            verdict: validated.verdict.map_err(|why| complaints::of_unvalidated(&why)),
            redrawn: validated.redrawn,
            samples: validated.samples,
            steps: validated.steps,
            seed: validated.seed,
            tier: validated.tier,
            troubles: validated.failures.iter().map(complaints::of_device).collect(),
            time: begin.elapsed(),
            ..verification
        })
    }

    /// The code that runs paths on this machine's processors.
    pub(super) fn tier_of_paths(&self, sampling: &Sampling) -> PathTier {
        if self.devices.are_interpreted() { PathTier::Interpreter } else { sampling.tier }
    }
}

impl Verification {
    /// The verdict of the same paths on another value.
    fn judge_again(&self, bounds: Interval) -> Option<Verdict> {
        let known = self.verdict.as_ref().ok()?;
        Some(Verdict { place: known.place_of(bounds), ..*known })
    }
}

/// The number that an answer gives or compares, with its bounds.
fn value_of(report: &PropertyReport) -> Option<(f64, Interval)> {
    let answer = report.outcome.as_ref().ok()?;
    let value = match answer.value {
        Value::Number(value) => value,
        _ => answer.compared?,
    };
    let [lo, hi] = answer.guarantee.interval().unwrap_or([value, value]);
    Some((value, Interval { lo: lo.min(value), hi: hi.max(value) }))
}

/// Whether the value of a property is to be verified.
fn is_wanted(property: &Property, report: &PropertyReport, verifying: &Verifying) -> bool {
    let Ok(Answer { guarantee, stop, .. }) = &report.outcome else { return false };
    let early = !stop.is_sound();
    let without_bounds = matches!(guarantee, Guarantee::Approximate { .. });
    match verifying.which {
        Verify::Never => false,
        Verify::EarlyStop => early,
        Verify::Auto => early || (without_bounds && is_quantitative(property)),
        Verify::Quantitative => is_quantitative(property),
        Verify::Always => true,
    }
}

/// Whether the property asks for a number.
fn is_quantitative(property: &Property) -> bool {
    matches!(
        property.formulas.get(property.root),
        Formula::Prob { query: Query::Value, .. }
            | Formula::Reward { query: Query::Value, .. }
            | Formula::Time { query: Query::Value, .. }
    )
}

/// The smallest difference between iterates that is worth a try.
const LEAST_EPSILON: f64 = 1e-12;

/// A more careful way to compute, and what it is called; `None` if there is none.
fn tighter(numeric: &Numeric) -> Option<(Numeric, String)> {
    let classical = matches!(numeric.method, Method::Classical(_));
    let early = numeric.detection == Detection::Prism;
    if !classical && !early {
        return None;
    }
    let epsilon = numeric.epsilon / 1000.0;
    if epsilon >= LEAST_EPSILON {
        return Some((Numeric { epsilon, ..*numeric }, format!("epsilon {epsilon:.0e}")));
    }
    let sound = Numeric { method: Method::Auto, detection: Detection::Sound, ..*numeric };
    Some((sound, "a method with bounds".to_owned()))
}

/// How many of the values that were verified lie outside of their intervals, and how many chance would put there.
pub fn tally<'a>(reports: impl Iterator<Item = &'a PropertyReport>) -> Option<Disagreements> {
    let verdicts: Vec<Place> =
        reports.filter_map(|r| Some(r.verification.as_ref()?.verdict.as_ref().ok()?.place)).collect();
    let outside = |from: Place| verdicts.iter().filter(|&&place| place >= from).count();
    (!verdicts.is_empty()).then(|| Disagreements {
        verified: verdicts.len(),
        outside: [outside(Place::Outside90), outside(Place::Outside95), outside(Place::Outside99)],
    })
}

/// Of the values of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disagreements {
    /// Values that were verified.
    pub verified: usize,
    /// Those outside of the 90 %, 95 % and 99 % interval.
    pub outside: [usize; 3],
}

impl Disagreements {
    /// In plain words.
    pub fn message(&self) -> String {
        let by_chance = |share: f64| share * self.verified as f64;
        let [of90, of95, of99] = self.outside;
        format!(
            "{of90}, {of95} and {of99} of {} verified values lie outside the 90, 95 and 99 % interval; by chance alone it \
             would be {:.1}, {:.1} and {:.1}",
            self.verified,
            by_chance(0.10),
            by_chance(0.05),
            by_chance(0.01)
        )
    }
}

/// What is said of a value that is probably wrong.
pub fn doubt(verification: &Verification) -> Diagnostic {
    let message = format!("the numerical value {} is probably wrong", verification.value);
    let diagnostic = Diagnostic::warning(codes::VALUE_IN_DOUBT, message);
    match &verification.verdict {
        Ok(verdict) => {
            let [.., last] = verdict.intervals;
            diagnostic.note(format!(
                "the 99 % interval of {} simulated paths is {:.6} to {:.6}{}",
                verification.samples,
                last.lo,
                last.hi,
                if verification.redrawn { ", the second in a row without it" } else { "" }
            ))
        }
        Err(why) => diagnostic.note(why.clone()),
    }
}
