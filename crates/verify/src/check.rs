//! Checking properties: lowering each, one exploration for all, then one answer after the other.
//!
//! A property that cannot be answered costs only itself. In particular an observation that fails in some state (a
//! division by zero in the text of a property, say) would end the exploration; its properties are taken out with
//! the complaint, and the others go on.

use crate::evidence::{Evidence, SchedulerFormat};
use crate::explore::Outcome;
use crate::failure;
use crate::report::{PropertyReport, Report};
use crate::select::{self, Selector};
use crate::session::{Session, Settings, has_errors, mentions};
use std::time::{Duration, Instant};
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, FileId, Severity, Span, codes};
use volvelle_explore::Explored;
use volvelle_kernel::{ExprId, Node, Site};
use volvelle_logic::{Answer, Formula, Property, RewardQuery, StopReason, Value};
use volvelle_markov::{CheckError, Witness};
use volvelle_model::Program;
use volvelle_model::kernels::Selection;

/// A property on its way to an answer.
struct Pending {
    number: Option<usize>,
    name: Option<String>,
    text: String,
    place: Span,
    property: Result<Property, Vec<Diagnostic>>,
}

impl Session {
    /// Checks properties: those that `wanted` selects (arguments of `--prop`), or all of the files.
    pub fn check(&mut self, wanted: &[String], settings: &Settings, control: &Control<'_>) -> Report {
        let lowered = self.lower();
        let mut report = Report { diagnostics: std::mem::take(&mut self.diagnostics), ..Report::default() };
        if !lowered {
            if mentions(&report.diagnostics, codes::OPEN_CONSTANT) {
                // A constant without a value and a value without a constant are often the same mistake, unless
                // a property mentions the value.
                self.select(wanted, &mut Vec::new());
                report.diagnostics.extend(self.unmentioned_constants());
            }
            return report;
        }
        let mut complaints = Vec::new();
        let mut pending = self.select(wanted, &mut complaints);
        if pending.iter().all(|p| p.property.is_ok())
            && let Some(document) = &self.document
        {
            // A property that failed may have mentioned the constant.
            complaints.extend(document.unused_constants());
        }
        let refused = has_errors(&complaints);
        report.diagnostics.extend(complaints);
        if refused || pending.iter().all(|p| p.property.is_err()) {
            report.results = pending.into_iter().filter_map(Pending::failed).collect();
            return report;
        }
        let outcome = self.explore_for(&mut pending, settings, control);
        report.model = outcome.model;
        report.stop = outcome.stop;
        let reason = outcome.diagnostics.iter().find(|d| d.severity == Severity::Error).cloned();
        report.diagnostics.extend(outcome.diagnostics);
        let explored = outcome.explored.filter(|_| reason.is_none());
        for mut property in pending {
            match (&explored, &reason) {
                (Some(explored), _) => {
                    let result = self.answer(property, explored, settings, control, &mut report);
                    report.results.push(result);
                }
                (None, reason) => {
                    if property.property.is_ok() {
                        property.property = Err(reason.iter().cloned().collect());
                    }
                    report.results.extend(property.failed());
                }
            }
        }
        report
    }

    /// The properties asked for, lowered.
    fn select(&mut self, wanted: &[String], diagnostics: &mut Vec<Diagnostic>) -> Vec<Pending> {
        let Some(document) = &mut self.document else { return Vec::new() };
        let listed = document.listed().to_vec();
        let names: Vec<Option<&str>> = listed.iter().map(|p| p.name.as_deref()).collect();
        let selectors: Vec<Selector> = if wanted.is_empty() {
            (0..listed.len()).map(Selector::Listed).collect()
        } else {
            let parsed = wanted.iter().map(|argument| Selector::of(argument, &names));
            parsed.filter_map(|selector| selector.map_err(|d| diagnostics.push(d)).ok()).collect()
        };
        if selectors.is_empty() && !has_errors(diagnostics) {
            diagnostics.push(
                Diagnostic::error(codes::BAD_USAGE, "there is nothing to check")
                    .note("no property file with properties was given, and no --prop")
                    .help("add a property, for example --prop 'P=? [ F \"done\" ]', or use `volvelle info`"),
            );
        }
        let mut pending = Vec::new();
        for selector in selectors {
            pending.push(match selector {
                Selector::Listed(index) => Pending {
                    number: Some(index + 1),
                    name: listed[index].name.clone(),
                    text: listed[index].text.clone(),
                    place: listed[index].span,
                    property: document.property(&self.sources, index),
                },
                Selector::Text(text) => {
                    let file: FileId = self.sources.add("--prop", text.clone());
                    let mut property = document.text(&self.sources, file);
                    if let Err(complaints) = &mut property
                        && Selector::looks_like_a_name(&text)
                        && mentions(complaints, codes::UNKNOWN_NAME)
                    {
                        *complaints = vec![select::unknown(&text, &names)];
                    }
                    let name = property.as_ref().ok().and_then(|p| p.name.clone());
                    let place = Span::new(file, 0, text.len());
                    Pending { number: None, name, text, place, property }
                }
            });
        }
        pending
    }

    /// Explores once for all properties, without those whose observations fail.
    fn explore_for(&self, pending: &mut [Pending], settings: &Settings, control: &Control<'_>) -> Outcome {
        loop {
            let properties: Vec<&Property> =
                pending.iter().filter_map(|p| p.property.as_ref().ok()).collect();
            let mut outcome = self.run_exploration(selection(&properties), settings, control);
            let (Some(site), Some(program)) = (outcome.failed, self.program()) else { return outcome };
            let mut taken_out = false;
            for p in pending.iter_mut() {
                if p.property.as_ref().is_ok_and(|property| observes(program, property, site)) {
                    p.property = Err(outcome.diagnostics.clone());
                    taken_out = true;
                }
            }
            if !taken_out {
                return outcome;
            }
            if pending.iter().all(|p| p.property.is_err()) {
                outcome.diagnostics.clear();
                return outcome;
            }
        }
    }

    fn answer(
        &self,
        pending: Pending,
        explored: &Explored,
        settings: &Settings,
        control: &Control<'_>,
        report: &mut Report,
    ) -> PropertyReport {
        let property = match pending.property {
            Ok(ref property) => property,
            Err(ref complaints) => {
                return pending.report(Vec::new(), Err(complaints.clone()), Duration::ZERO);
            }
        };
        let start = Instant::now();
        let options = settings.numeric;
        let mut control = *control;
        if let Some(memory) = &mut control.limits.memory_bytes {
            *memory = memory.saturating_sub(explored.states.bytes() + explored.space.bytes());
        }
        let result =
            volvelle_markov::check_reduced(&explored.space, property, &explored.numbers, &options, &control);
        let time = start.elapsed();
        let outcome = match result {
            Ok(answer) => {
                report.diagnostics.extend(remarks(&answer, property, pending.place));
                Ok(answer)
            }
            Err(error) => {
                if let CheckError::Limit(stop) = error {
                    report.stop = report.stop.or(Some(stop));
                }
                let values = |state: u32| {
                    let known = (state as usize) < explored.states.len();
                    known.then(|| explored.layout.unpack(explored.states.get(state as usize)))
                };
                let document = self.document.as_deref();
                let diagnostic = document.map(|document| {
                    failure::of_check(&error, pending.place, document, values, &settings.allowance)
                });
                Err(diagnostic.into_iter().collect())
            }
        };
        let states = match (&outcome, &self.document) {
            (Ok(Answer { value: Value::States(states), .. }), Some(document)) => {
                let packed = states.iter().map(|&(state, _)| explored.states.get(state as usize));
                packed.map(|packed| document.state_text(&explored.layout.unpack(packed))).collect()
            }
            _ => Vec::new(),
        };
        let evidence = match (&outcome, settings.evidence.wanted()) {
            (Ok(answer), Some(wanted)) => {
                let found = volvelle_markov::witness(
                    &explored.space,
                    property,
                    &explored.numbers,
                    wanted,
                    &options,
                    &control,
                );
                let place = pending.place;
                self.found(answer, property, place, explored, settings, found, report).map(Box::new)
            }
            _ => None,
        };
        PropertyReport { states, evidence, ..pending.report(property.constants.clone(), outcome, time) }
    }

    /// The evidence for an answer, or a complaint that there is none.
    #[expect(clippy::too_many_arguments, reason = "it continues `answer`")]
    fn found(
        &self,
        answer: &Answer,
        property: &Property,
        place: Span,
        explored: &Explored,
        settings: &Settings,
        found: Result<Result<Witness, String>, CheckError>,
        report: &mut Report,
    ) -> Option<Evidence> {
        let format = settings.evidence.scheduler;
        match found {
            Ok(Ok(witness)) => {
                if settings.evidence.witness && witness.path.is_none() {
                    let message = "there is no witness: no path leads to the target";
                    report.diagnostics.push(Diagnostic::note_only(codes::NO_WITNESS, message).at(place, ""));
                }
                if let Some(lost) = witness.scheduler.as_ref().map(|s| s.loss)
                    && lost > 100.0 * settings.numeric.precision
                {
                    let message =
                        "the scheduler found may not be the best: its value was not computed precisely";
                    report.diagnostics.push(
                        Diagnostic::warning(codes::NOT_CONVERGED, message)
                            .at(place, "")
                            .note(format!("against the optimum it loses at most {lost:.1e} of the value"))
                            .help("ask for more precision with --precision"),
                    );
                }
                let is_false = answer.value == Value::Bool(false);
                let format = format.unwrap_or(SchedulerFormat::Table);
                return Some(self.evidence(explored, property, witness, format, is_false));
            }
            Ok(Err(why)) => {
                let what = if format.is_some() { "scheduler" } else { "witness" };
                report.diagnostics.push(
                    Diagnostic::warning(codes::NO_WITNESS, format!("this property has no {what}"))
                        .at(place, "")
                        .note(why)
                        .help("ask for it with a property such as Pmax=? [ F ... ] or Rmin=? [ F ... ]"),
                );
            }
            Err(error) => {
                if let CheckError::Limit(stop) = error {
                    report.stop = report.stop.or(Some(stop));
                }
                let document = self.document.as_deref();
                report.diagnostics.extend(document.map(|document| {
                    failure::of_check(&error, place, document, |_| None, &settings.allowance)
                }));
            }
        }
        None
    }
}

impl Pending {
    fn report(
        &self,
        constants: Vec<(String, String)>,
        outcome: Result<Answer, Vec<Diagnostic>>,
        time: Duration,
    ) -> PropertyReport {
        PropertyReport {
            number: self.number,
            name: self.name.clone(),
            text: self.text.clone(),
            constants,
            outcome,
            states: Vec::new(),
            evidence: None,
            time,
        }
    }

    /// The report on a property that could not be lowered.
    fn failed(self) -> Option<PropertyReport> {
        let complaints = self.property.as_ref().err()?.clone();
        Some(self.report(Vec::new(), Err(complaints), Duration::ZERO))
    }
}

/// What to say beside an answer.
fn remarks(answer: &Answer, property: &Property, place: Span) -> Vec<Diagnostic> {
    let mut remarks = Vec::new();
    if answer.stop == StopReason::IterationLimit {
        remarks.push(
            Diagnostic::warning(codes::NOT_CONVERGED, "no convergence within the limit of iterations")
                .at(place, "")
                .note("the bounds hold, but are wider than --precision asks for"),
        );
    }
    if !answer.stop.is_sound() {
        let message = match answer.stop {
            StopReason::SteadyStateTest => "one step changed little, which was taken for the steady state",
            StopReason::SmallChangeMissed => "the iterates still differed at the limit of iterations",
            _ => "two iterates differed by little",
        };
        remarks.push(
            Diagnostic::warning(
                codes::UNSOUND_METHOD,
                format!("the error of this value is not bounded: {message}"),
            )
            .at(place, "")
            .note(answer.method.clone())
            .help("leave --method and --steady-state-detection out to get a value with bounds"),
        );
    }
    let until_target = matches!(
        property.formulas.get(property.root),
        Formula::Reward { what: RewardQuery::Reach(_), .. } | Formula::Time { .. }
    );
    if until_target && answer.value == Value::Number(f64::INFINITY) {
        remarks.push(
            Diagnostic::note_only(codes::INFINITE_REWARD, "the expected reward is infinite")
                .at(place, "")
                .note("the probability to reach the target is not 1")
                .help(
                    "to add up to the target or to the end, whichever is first, name both: F (target | end)",
                ),
        );
    }
    remarks
}

/// The observations that properties need.
fn selection(properties: &[&Property]) -> Selection {
    let mut selection = Selection::default();
    for property in properties {
        for id in property.formulas.ids() {
            match property.formulas.get(id) {
                Formula::Label(label) => selection.labels.push(label.0 as usize),
                Formula::Observation(number) => selection.numbers.push(number.0 as usize),
                Formula::Reward { rewards, .. } => selection.rewards.push(rewards.0 as usize),
                _ => {}
            }
        }
    }
    for list in [&mut selection.labels, &mut selection.numbers, &mut selection.rewards] {
        list.sort_unstable();
        list.dedup();
    }
    selection
}

/// Whether a property needs an observation in which `site` occurs.
fn observes(program: &Program, property: &Property, site: Site) -> bool {
    let selection = selection(&[property]);
    let mut roots: Vec<ExprId> = Vec::new();
    roots.extend(selection.labels.iter().map(|&i| program.labels[i].expr));
    roots.extend(selection.numbers.iter().map(|&i| program.numbers[i].expr));
    for &i in &selection.rewards {
        let rewards = &program.rewards[i];
        let sites = rewards.states.iter().map(|r| r.site).chain(rewards.transitions.iter().map(|r| r.site));
        if sites.into_iter().any(|s| s == site) {
            return true;
        }
        roots.extend(rewards.states.iter().flat_map(|r| [r.guard, r.value]));
        roots.extend(rewards.transitions.iter().flat_map(|r| [r.guard, r.value]));
    }
    let needed = program.exprs.reachable(roots);
    program.exprs.ids().any(|id| {
        needed[id.index()]
            && matches!(
                program.exprs.node(id),
                Node::Checked { site: s, .. } | Node::CheckedConvert { site: s, .. } | Node::Range { site: s, .. }
                    if s == site
            )
    })
}
