//! The least or greatest value of a constant for which a property holds.
//!
//! By bisection ([`bisection`]), which assumes that the property is monotone in the constant: that its truth changes at most
//! once over the range. An answer says whether it rests on that. Where what was computed contradicts it (three truths
//! that alternate, or bounds of the number behind the property that rise here and fall there), all values are tried one after the
//! other from the end that was asked for, which assumes nothing. Each truth is decided by the engines, hence soundly; a
//! value that they cannot decide ends the search with their diagnostic.

mod bisection;

use crate::sweep::Sweep;
use bisection::{Contradiction, Look, Seen, change, contradiction, scan};
use std::collections::BTreeMap;
use volvelle_control::{Control, ProgressEvent, Stop};
use volvelle_diagnostics::{Diagnostic, codes, has_errors};
use volvelle_logic::{Constant, ConstantValue, Guarantee, Literal, Value};
use volvelle_session::constants::{self, Swept};
use volvelle_session::limits::counted;
use volvelle_session::points::{Experiment, Point};
use volvelle_session::report::{PropertyReport, Status};
use volvelle_session::{Model, Session, Settings};

/// The end of the range from which the wanted value is the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Extreme {
    #[default]
    Least,
    Greatest,
}

impl Extreme {
    /// As a word.
    pub fn name(self) -> &'static str {
        match self {
            Extreme::Least => "least",
            Extreme::Greatest => "greatest",
        }
    }
}

/// A threshold to find.
#[derive(Clone, Copy, Debug)]
pub struct Sought<'a> {
    /// The constant with its values, as for `--const`: `N=1:1000`.
    pub range: &'a str,
    /// The property: its name, number or text.
    pub such_that: &'a str,
    /// Which of the values that satisfy it.
    pub extreme: Extreme,
    /// Whether all values are tried.
    pub every_value: bool,
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Threshold {
    /// This value is the one.
    Found(ConstantValue),
    /// No value satisfies the property.
    Nowhere,
    /// The search did not come to its end.
    Open,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Found {
    /// The constant with its values, in ascending order.
    pub constant: Swept,
    /// Which value was asked for.
    pub extreme: Extreme,
    /// The answer.
    pub threshold: Threshold,
    /// Whether the answer assumes that the property is monotone in the constant.
    pub assumes_monotone: bool,
    /// Why all values were tried in place of a bisection.
    pub contradiction: Option<String>,
    /// Nearest to the answer, as far as is known: a value that fails, and the best that satisfies the property.
    pub fails: Option<ConstantValue>,
    /// See `fails`.
    pub holds: Option<ConstantValue>,
    /// The least value whose model is too large for the limits.
    pub too_large: Option<ConstantValue>,
    /// The values that were tried, in ascending order, with the models that were built and the diagnostics.
    pub evaluated: Experiment,
}

impl Found {
    /// How the search ended.
    pub fn status(&self) -> Status {
        match Status::of(std::iter::empty::<&PropertyReport>(), &self.evaluated.diagnostics, None) {
            Status::Done => match self.threshold {
                Threshold::Found(_) => Status::Done,
                Threshold::Nowhere => Status::False,
                Threshold::Open => match self.evaluated.status() {
                    Status::Error => Status::Error,
                    // The truths at single values are no verdict on the whole.
                    Status::Done | Status::False | Status::Limit => self.open_because(),
                },
            },
            error => error,
        }
    }

    /// What kept the search from an answer.
    fn open_because(&self) -> Status {
        let results: Vec<&PropertyReport> = self.evaluated.points.iter().flat_map(|p| &p.results).collect();
        let without = results.iter().copied().filter(|r| r.outcome.is_err());
        match Status::of(without, &[], self.evaluated.stop) {
            Status::Error => Status::Error,
            _ => Status::Limit,
        }
    }

    /// What the answer rests on, as a sentence.
    pub fn basis(&self) -> String {
        let name = &self.constant.name;
        let tried = self.evaluated.points.len();
        let counts = format!("{tried} of {} evaluated", counted(self.constant.values.len() as u64, "value"));
        let others = match self.extreme {
            Extreme::Least => "smaller",
            Extreme::Greatest => "greater",
        };
        match (&self.threshold, self.assumes_monotone) {
            (Threshold::Open, _) => counts,
            (_, true) => {
                format!("assumed: the property is monotone in {name} ({counts}; all evaluated values agree)")
            }
            (Threshold::Nowhere, false) => "checked: every value".to_owned(),
            (Threshold::Found(value), false) if self.is_at_the_end(value) => {
                format!("checked: no {others} value is in the range ({counts})")
            }
            (Threshold::Found(_), false) => format!("checked: every {others} value fails ({counts})"),
        }
    }

    fn is_at_the_end(&self, value: &ConstantValue) -> bool {
        let end = match self.extreme {
            Extreme::Least => self.constant.values.first(),
            Extreme::Greatest => self.constant.values.last(),
        };
        end == Some(value)
    }
}

/// Why a search cannot go on: the experiment has the diagnostics.
struct Halted;

/// The values tried so far.
struct Trial<'a, 'c> {
    session: &'a mut Session,
    name: String,
    values: &'a [ConstantValue],
    wanted: [String; 1],
    settings: &'a Settings,
    control: &'a Control<'c>,
    sweep: Sweep,
    points: BTreeMap<usize, Point>,
    too_large: Option<usize>,
    experiment: Experiment,
}

impl Trial<'_, '_> {
    /// The truth at a place; `None` if the model there is too large for the limits.
    fn look(&mut self, place: usize) -> Result<Option<bool>, Halted> {
        if self.points.contains_key(&place) {
            return self.truth(place);
        }
        self.evaluate(place..place + 1)?;
        let left = (self.values.len() - self.points.len()).checked_ilog2().unwrap_or(0);
        let done = self.points.len() as u64;
        let total = (done + u64::from(left)).min(self.values.len() as u64);
        self.control.progress.report(ProgressEvent::Points { done, total });
        self.truth(place)
    }

    /// Computes the property for the values at these places.
    fn evaluate(&mut self, places: std::ops::Range<usize>) -> Result<(), Halted> {
        let values = self.values[places.clone()].to_vec();
        let axis = Swept { name: self.name.clone(), values, is_sweep: true };
        let part = crate::experiment::grid(
            self.session,
            &[axis],
            &self.wanted,
            self.settings,
            self.control,
            Some(&mut self.sweep),
        );
        self.experiment.keep(part.diagnostics);
        self.experiment.models.extend(part.models);
        let stop = part.stop;
        self.experiment.stop = self.experiment.stop.or(stop);
        for point in part.points {
            let place = places.clone().find(|&p| Some(&self.values[p]) == point.values.first());
            self.points.extend(place.map(|place| (place, point)));
        }
        let is_over = matches!(stop, Some(Stop::Timeout | Stop::Cancelled));
        let is_complete = places.clone().all(|place| self.points.contains_key(&place));
        if is_over || !is_complete || has_errors(&self.experiment.diagnostics) {
            return Err(Halted);
        }
        if matches!(stop, Some(Stop::States | Stop::Memory)) {
            let undecided =
                places.into_iter().find(|p| self.points[p].results.iter().any(|r| r.outcome.is_err()));
            self.too_large = [self.too_large, undecided].into_iter().flatten().min();
        }
        Ok(())
    }

    fn truth(&mut self, place: usize) -> Result<Option<bool>, Halted> {
        let Some(report) = self.points.get_mut(&place).and_then(|p| p.results.first_mut()) else {
            return Err(Halted);
        };
        match &mut report.outcome {
            Ok(answer) => match answer.value {
                Value::Bool(truth) => Ok(Some(truth)),
                _ => {
                    self.experiment.keep(vec![no_condition(&report.text)]);
                    Err(Halted)
                }
            },
            Err(_) if self.too_large.is_some_and(|limit| limit <= place) => Ok(None),
            Err(errors) => {
                let note = format!(
                    "this is for {} = {}: without a verdict for this value the search cannot continue",
                    self.name, self.values[place]
                );
                errors.iter_mut().for_each(|d| d.notes.push(note.clone()));
                Err(Halted)
            }
        }
    }

    /// What is known by now, in the order of the values.
    fn seen(&self) -> Vec<Seen> {
        let seen = |(&place, point): (&usize, &Point)| {
            let answer = point.results.first()?.outcome.as_ref().ok()?;
            let Value::Bool(truth) = answer.value else { return None };
            let bounds = match (&answer.guarantee, answer.compared) {
                (Guarantee::Sound { lo, hi, .. }, Some(_)) => Some([*lo, *hi]),
                // The double nearest to a number that is known exactly.
                (Guarantee::Exact { .. }, Some(x)) => Some([x.next_down(), x.next_up()]),
                _ => None,
            };
            Some((place, truth, bounds))
        };
        self.points.iter().filter_map(seen).collect()
    }

    /// Why the property is not monotone, in words.
    fn worded(&self, found: Contradiction) -> String {
        let value = |place: usize| format!("{} = {}", self.name, self.values[place]);
        match found {
            Contradiction::Truths([a, b, c]) => {
                let holds = |place| self.seen().iter().any(|&(p, truth, _)| p == place && truth);
                let verb = |place| if holds(place) { "holds" } else { "fails" };
                format!(
                    "the property is not monotone in {}: it {} for {}, {} for {}, {} for {}",
                    self.name,
                    verb(a),
                    value(a),
                    verb(b),
                    value(b),
                    verb(c),
                    value(c)
                )
            }
            Contradiction::RisesAndFalls([a, b], [c, d]) => format!(
                "the value compared with the bound is not monotone in {}: it rises from {} to {}, and falls from {} to {}",
                self.name,
                value(a),
                value(b),
                value(c),
                value(d)
            ),
        }
    }
}

/// The search itself: leaves what it saw in `trial`, and returns why it gave up bisection.
fn search(trial: &mut Trial<'_, '_>, sought: &Sought<'_>, why: &mut Option<String>) -> Result<(), Halted> {
    let n = trial.values.len();
    if sought.every_value {
        trial.evaluate(0..n)?;
        for place in 0..n {
            trial.truth(place)?;
        }
        return Ok(());
    }
    let look: &mut Look<'_, Halted> = &mut |place| trial.look(place);
    let Some(first) = look(0)? else { return Ok(()) };
    match sought.extreme {
        Extreme::Least if first => return Ok(()),
        // Unless it holds at the end, nothing is left but to hope that this is no exception.
        Extreme::Greatest if !first && look(n - 1)? == Some(true) => return Ok(()),
        _ => change(n, first, look)?,
    }
    if let Some(found) = contradiction(&trial.seen()) {
        *why = Some(trial.worded(found));
        let look: &mut Look<'_, Halted> = &mut |place| trial.look(place);
        match sought.extreme {
            Extreme::Least => scan(0..n, look)?,
            Extreme::Greatest => scan((0..n).rev(), look)?,
        }
    }
    Ok(())
}

/// Finds the least or greatest value of a constant for which a property holds.
pub fn find(session: &mut Session, sought: &Sought<'_>, settings: &Settings, control: &Control<'_>) -> Found {
    session.model.property_texts_from = "--such-that";
    let (constant, diagnostics) = sought_range(&session.model, sought.range);
    session.model.diagnostics.extend(diagnostics);
    let mut found = Found {
        constant,
        extreme: sought.extreme,
        threshold: Threshold::Open,
        assumes_monotone: false,
        contradiction: None,
        fails: None,
        holds: None,
        too_large: None,
        evaluated: Experiment::default(),
    };
    if has_errors(&session.model.diagnostics) {
        found.evaluated.diagnostics = std::mem::take(&mut session.model.diagnostics);
        return found;
    }
    let values = &found.constant.values;
    session.model.given.push(Constant { name: found.constant.name.clone(), value: values[0].clone() });
    let mut trial = Trial {
        session,
        name: found.constant.name.clone(),
        values,
        wanted: [sought.such_that.to_owned()],
        settings,
        control,
        sweep: Sweep::default(),
        points: BTreeMap::new(),
        too_large: None,
        experiment: Experiment::default(),
    };
    let ended = search(&mut trial, sought, &mut found.contradiction);
    let seen = trial.seen();
    let Trial { points, too_large, experiment, .. } = trial;
    found.too_large = too_large.map(|place| values[place].clone());
    let place = place_of(&seen, sought.extreme, values.len());
    found.holds = place.holds.map(|place| values[place].clone());
    found.fails = place.fails.map(|place| values[place].clone());
    if ended.is_ok() {
        (found.threshold, found.assumes_monotone) = match (place.holds, place.is_adjacent) {
            (Some(holds), true) => (Threshold::Found(values[holds].clone()), !place.is_certain),
            (None, _) if too_large.is_none() => (Threshold::Nowhere, !place.is_certain),
            _ => (Threshold::Open, false),
        };
    }
    found.evaluated = experiment;
    found.evaluated.axes = vec![found.constant.clone()];
    found.evaluated.points = points.into_values().collect();
    if too_large.is_some() {
        // That is said once, and may not have mattered.
        found.evaluated.points.retain(|point| point.results.iter().all(|r| r.outcome.is_ok()));
    }
    if matches!(found.threshold, Threshold::Found(_)) {
        found.evaluated.stop = None;
    }
    found.evaluated.total = found.evaluated.points.len();
    if let (Some(stop), Threshold::Open) = (found.evaluated.stop, &found.threshold) {
        let mut diagnostic = volvelle_session::limits::stopped(stop, &settings.allowance);
        diagnostic = diagnostic.note(bracket(&found));
        found.evaluated.diagnostics.push(diagnostic);
    }
    found
}

/// The constant to search over, with its values in ascending order, each once.
fn sought_range(model: &Model, text: &str) -> (Swept, Vec<Diagnostic>) {
    let (mut swept, mut diagnostics) = constants::parse(&[text]);
    let bad = |message: String| Diagnostic::error(codes::BAD_CONST_OPTION, message);
    let form = "give one constant with its values: --find N=1:1000";
    let nothing = Swept { name: String::new(), values: Vec::new(), is_sweep: true };
    if swept.len() > 1 {
        let message = "--find searches for the value of one constant, but several are given".to_owned();
        diagnostics.push(
            bad(message).help("give each of the others one value with --const, and --find a single constant"),
        );
    }
    let Some(mut constant) = swept.pop().filter(|_| diagnostics.is_empty()) else {
        return (nothing, diagnostics);
    };
    if !constant.is_sweep {
        let message = format!("--find has only one value of the constant `{}` to choose from", constant.name);
        diagnostics.push(bad(message).help(form));
    }
    if let Some(known) = model.swept.iter().find(|known| known.name == constant.name) {
        let message = format!("the constant `{}` is given both by --const and by --find", known.name);
        diagnostics.push(bad(message).help("leave it out of --const"));
    }
    if let Some(several) = model.swept.iter().find(|swept| swept.is_sweep) {
        let message = format!(
            "--find searches for the value of one constant, but `{}` has several values",
            several.name
        );
        let help = format!("give one value: --const {}={}", several.name, several.values[0]);
        diagnostics.push(bad(message).help(help));
    }
    let rank = |value: &ConstantValue| match value.literal() {
        Literal::Bool(truth) => Some(f64::from(u8::from(truth))),
        literal => literal.as_f64(),
    };
    if let Some(odd) = constant.values.iter().find(|value| rank(value).is_none()) {
        let message = format!("`{odd}` is not a number, so the values of `{}` have no order", constant.name);
        diagnostics.push(bad(message).help("write decimal numbers: --find p=0.1,0.25,0.5"));
        return (nothing, diagnostics);
    }
    constant.values.sort_by(|a, b| rank(a).unwrap_or(0.0).total_cmp(&rank(b).unwrap_or(0.0)));
    constant.values.dedup_by(|a, b| a.literal() == b.literal());
    (constant, diagnostics)
}

/// Places around the answer.
struct Place {
    holds: Option<usize>,
    fails: Option<usize>,
    /// No value lies between a place that holds and the one that fails, or the end of the range.
    is_adjacent: bool,
    /// Every value that would have been better was tried.
    is_certain: bool,
}

fn place_of(seen: &[Seen], extreme: Extreme, n: usize) -> Place {
    let mut holding = seen.iter().filter(|s| s.1).map(|s| s.0);
    let mut failing = seen.iter().filter(|s| !s.1).map(|s| s.0);
    match extreme {
        Extreme::Least => {
            let holds = holding.next();
            let better = holds.unwrap_or(n);
            let below: Vec<usize> = failing.filter(|&p| p < better).collect();
            let fails = below.last().copied();
            let is_adjacent = holds.is_none_or(|h| h == 0 || fails == Some(h - 1));
            Place { holds, fails, is_adjacent, is_certain: below.len() == better }
        }
        Extreme::Greatest => {
            let holds = holding.next_back();
            let first = holds.map_or(0, |h| h + 1);
            let fails = failing.find(|&p| p >= first);
            let above = seen.iter().filter(|s| s.0 >= first).count();
            let is_adjacent = first == n || fails == Some(first);
            Place { holds, fails, is_adjacent, is_certain: above == n - first }
        }
    }
}

/// Where the answer lies, as far as is known.
fn bracket(found: &Found) -> String {
    let name = &found.constant.name;
    let fails = found.fails.as_ref().map(|value| format!("it fails for {name} = {value}"));
    let holds = found.holds.as_ref().map(|value| format!("it holds for {name} = {value}"));
    let known: Vec<String> = fails.into_iter().chain(holds).collect();
    match known.is_empty() {
        true => "no value of the property is known yet".to_owned(),
        false => format!("known so far: {}", known.join(", ")),
    }
}

/// The refusal of a property that is a number.
fn no_condition(text: &str) -> Diagnostic {
    let message = format!("`{text}` is a number, but --such-that needs a condition that holds or fails");
    let diagnostic = Diagnostic::error(codes::BAD_USAGE, message);
    match text.split_once("=?") {
        Some((operator, rest)) => diagnostic.help(format!("replace `=?` by a bound: {operator}<0.01{rest}")),
        None => diagnostic.help("compare it with a bound: --such-that 'P<0.01 [ F \"full\" ]'"),
    }
}
