//! Checking properties: lowering each, one exploration for all, then one answer after the other.
//!
//! A property that cannot be answered costs only itself. In particular an observation that fails in some state (a
//! division by zero in the text of a property, say) would end the exploration; its properties are taken out with
//! the diagnostic, and the others go on.

use crate::accuracy::accurate;
use crate::effort;
use crate::evidence::Evidence;
use crate::exact::{self, Exact, Trouble, is_soon_exact};
use crate::explore::{Outcome, kind_name};
use crate::failure;
use crate::follow::loses;
use crate::language::Analysis;
use crate::limits;
use crate::needed;
use crate::observed::{observes, selection};
use crate::parts::{Answered, Early};
use crate::pending::{Pending, RunLog};
use crate::reduced;
use crate::remarks;
use crate::report::{PropertyReport, Report, StateValue};
use crate::sampling::Choices;
use crate::select::{self, Selector};
use crate::session::{Session, Settings, mentions};
use crate::sweeping;
use crate::ways;
use std::borrow::Cow;
use std::time::{Duration, Instant};
use volvelle_control::{Control, ProgressEvent, Stop};
use volvelle_diagnostics::{Diagnostic, FileId, Severity, Span, codes, has_errors};
use volvelle_explore::{Explored, Options};
use volvelle_logic::{
    Answer, Formula, FormulaValue, Guarantee, Property, RewardQuery, StopReason, Value, gate,
};
use volvelle_markov::{
    CheckError, ExactValues, Method, MethodUse, NoWitness, Options as Numeric, StateValues, Witness,
    WitnessError,
};
use volvelle_space::{BitSet, StateId};

/// States in which choices are looked for before all states are explored.
const FIRST_STATES: u64 = 1000;

/// A number that was not asked for as a fraction, as a double with its bounds.
fn rounded(answer: Answer) -> Option<Answer> {
    if matches!(answer.value, Value::Bool(_)) {
        return Some(answer);
    }
    let [number] = &answer.exact[..] else { return None };
    let guarantee = gate::enclosed(number.enclosure()).ok()?;
    matches!(answer.value, Value::Number(_)).then(|| Answer { guarantee, exact: Vec::new(), ..answer })
}

/// Whether an answer has wider bounds than requested: an iteration came to its limit, doubles to the ends of their range, or rounding
/// keeps the bounds apart.
fn is_wide(answer: &Answer, explored: &Explored, options: &Numeric) -> bool {
    let is_accepted = answer.guarantee.interval().is_none_or(|[lo, hi]| options.accepts(lo, hi));
    answer.stop == StopReason::IterationLimit
        || (answer.stop == StopReason::Computed && !is_accepted)
        || (explored.errors.is_vague() && matches!(answer.guarantee, Guarantee::Sound { .. }))
}

/// Whether neither the method nor the limit of iterations was chosen.
fn has_usual_limits(options: &Numeric) -> bool {
    let usual = Numeric::default();
    options.method == usual.method && options.max_iterations == usual.max_iterations
}

impl Session {
    /// Checks properties: those that `wanted` selects (arguments of `--prop`), or all of the files.
    pub fn check(&mut self, wanted: &[String], settings: &Settings, control: &Control<'_>) -> Report {
        self.refuse_sweeps();
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
        let pending = self.select(wanted, &mut complaints);
        if pending.iter().all(|p| p.property.is_ok())
            && let Some(document) = &self.document
        {
            // A property that failed may have mentioned the constant.
            complaints.extend(document.unused_constants());
        }
        if settings.evidence.wants_scheduler() {
            complaints.extend(self.without_scheduler(&pending));
        }
        complaints.extend(self.without_effect(settings));
        let refused = has_errors(&complaints);
        report.diagnostics.extend(complaints);
        if refused || pending.iter().all(|p| p.property.is_err()) {
            report.results = pending.iter().filter_map(Pending::failed).collect();
            return report;
        }
        if let Some(sampling) = &settings.sampling {
            let mut log = RunLog::default();
            report.results = self.sampled(&pending, sampling, settings, control, &mut log);
            report.diagnostics.extend(log.diagnostics);
            report.stop = log.stop;
            return report;
        }
        // A scheduler may go on where properties are decided.
        let full_space = settings.full_space || !matches!(self.choices, Choices::Unresolved);
        let settings = &Settings { full_space, ..*settings };
        let outline = self.document.as_ref().and_then(|document| document.outline(&self.sources));
        let begin = |report: &Report| {
            let rows = pending.iter().map(Pending::open);
            self.interim.begin(report.clone(), rows, outline.clone(), &self.sources);
        };
        let mut log = RunLog::default();
        begin(&report);
        let mut rest = pending.clone();
        let Early { answered: mut early, shared } =
            self.answered_by_few_states(&mut rest, settings, control, &mut log);
        let is_open = |row: &usize, early: &[Answered]| early.iter().all(|known| known.row != *row);
        let rows: Vec<usize> = (0..rest.len()).filter(|row| is_open(row, &early)).collect();
        let mut at = 0..;
        rest.retain(|_| at.next().is_some_and(|row| is_open(&row, &early)));
        if rest.is_empty() {
            let largest = early.iter().max_by_key(|known| known.model.as_ref().map(|model| model.states));
            let largest = largest.map(|known| (known.model.clone(), known.diagnostics.clone()));
            let (model, diagnostics) = largest.unwrap_or_default();
            report.model = model;
            report.diagnostics.extend(diagnostics);
            return report.with(early, log);
        }
        let outcome = shared.unwrap_or_else(|| self.explore_for(&mut rest, false, settings, control));
        report.model = outcome.model;
        report.stop = outcome.stop;
        let reason = outcome.diagnostics.iter().find(|d| d.severity == Severity::Error).cloned();
        report.diagnostics.extend(outcome.diagnostics);
        let mut explored = outcome.explored.filter(|_| reason.is_none());
        if !matches!(self.choices, Choices::Unresolved)
            && let (Some(all), Some(model)) = (explored.take(), &mut report.model)
        {
            match self.resolved(all, settings, control) {
                Ok(chain) => {
                    model.kind = format!("{} of an MDP, {}", chain.space.kind.name(), self.choices);
                    model.states = chain.space.num_states() as u64;
                    model.transitions = chain.space.num_transitions() as u64;
                    model.choices = None;
                    explored = Some(chain);
                }
                Err((stop, complaint)) => {
                    report.stop = stop;
                    report.diagnostics.push(complaint.clone());
                    report.results =
                        pending.iter().map(|p| p.refused(std::slice::from_ref(&complaint))).collect();
                    return report;
                }
            }
        }
        begin(&report);
        early.iter().for_each(|known| self.interim.finished(known.row, &known.report));
        log.stop = log.stop.or(report.stop);
        let found = self.results((&rest, &rows), explored.as_ref(), reason, settings, control, &mut log);
        let answered = rows.iter().zip(found).map(|(&row, report)| Answered::of(row, report));
        match report.stop.filter(|_| explored.is_none()) {
            Some(stop) => {
                let answered: Vec<Answered> = answered.collect();
                let alone = self.answered_by_parts(&mut rest, &rows, stop, settings, control, &mut log);
                early.extend(answered.into_iter().filter(|known| is_open(&known.row, &alone)));
                early.extend(alone);
            }
            None => early.extend(answered),
        }
        report.with(early, log)
    }

    /// One report for each property, in their order, which stand in these rows of the report. Without a state space there are no
    /// answers; `reason` says why.
    pub(crate) fn results(
        &self,
        (pending, rows): (&[Pending], &[usize]),
        explored: Option<&Explored>,
        reason: Option<Diagnostic>,
        settings: &Settings,
        control: &Control<'_>,
        log: &mut RunLog,
    ) -> Vec<PropertyReport> {
        let Some(explored) = explored else {
            let reason: Vec<Diagnostic> = reason.into_iter().collect();
            let failed = pending.iter().map(|p| p.failed().unwrap_or_else(|| p.refused(&reason)));
            return failed.collect();
        };
        let answerable: Vec<usize> = (0..pending.len()).filter(|&i| pending[i].property.is_ok()).collect();
        let properties: Vec<&Property> =
            answerable.iter().filter_map(|&i| pending[i].property.as_ref().ok()).collect();
        let mut reports: Vec<Option<PropertyReport>> = pending.iter().map(Pending::failed).collect();
        let mut exact = Exact::default();
        let mut done = 0;
        let mut families = volvelle_markov::families(&properties);
        families.sort_by_key(|family| family.iter().map(|&i| effort::of(properties[i])).max());
        for family in families {
            let members: Vec<&Pending> = family.iter().map(|&i| &pending[answerable[i]]).collect();
            let answers = match control.check() {
                Ok(()) => {
                    self.interim.work_on(family.iter().map(|&i| rows[answerable[i]]));
                    let known = log.diagnostics.len();
                    let answers = self.answers(&members, explored, settings, control, &mut exact, log);
                    self.interim.beside(&log.diagnostics[known..]);
                    answers
                }
                Err(stop) => {
                    log.stop = log.stop.or(Some(stop));
                    let reason = limits::not_begun(stop, &settings.allowance);
                    let not_begun = |p: &&Pending| PropertyReport {
                        begun: false,
                        ..p.refused(std::slice::from_ref(&reason))
                    };
                    members.iter().map(not_begun).collect()
                }
            };
            for (&i, report) in family.iter().zip(answers) {
                if report.begun {
                    self.interim.finished(rows[answerable[i]], &report);
                }
                reports[answerable[i]] = Some(report);
            }
            done += family.len() as u64;
            control.progress.report(ProgressEvent::Answered { done, total: answerable.len() as u64 });
        }
        let mut reports: Vec<PropertyReport> = reports.into_iter().flatten().collect();
        if self.allows(Analysis::Sampling) && matches!(self.choices, Choices::Unresolved) {
            self.verify_reports(pending, &mut reports, explored, settings, control, &mut exact, log);
        }
        reports
    }

    /// Refusals of options that mean nothing for this kind of model.
    pub(crate) fn without_effect(&self, settings: &Settings) -> Vec<Diagnostic> {
        let Some(program) = self.program() else { return Vec::new() };
        let kind = program.kind();
        let refused = |option: &str, why: &str| {
            let message = format!("{option} has no effect on a {}", kind_name(program));
            Diagnostic::error(codes::BAD_USAGE, message).note(why.to_owned()).help("leave it out")
        };
        let mut diagnostics = Vec::new();
        if settings.reduce && kind != volvelle_model::Kind::Mdp {
            diagnostics.push(refused("--reduce", "it leaves out choices of an mdp for which others stand"));
        }
        if settings.numeric.detection != volvelle_markov::Detection::default()
            && kind != volvelle_model::Kind::Ctmc
        {
            let why = "it is about the steps of a ctmc up to a time";
            diagnostics.push(refused("--steady-state-detection", why));
        }
        diagnostics
    }

    /// Refusals of properties whose schedulers are asked for, but cannot be written.
    fn without_scheduler(&self, pending: &[Pending]) -> Vec<Diagnostic> {
        let Some(program) = self.program() else { return Vec::new() };
        let kind = volvelle_explore::kind_of_space(program.kind());
        let refused = pending.iter().filter_map(|p| {
            let why = volvelle_markov::has_strategy(kind, p.property.as_ref().ok()?).err()?;
            Some(no_witness(Severity::Error, "scheduler", &why).at(p.place, ""))
        });
        refused.collect()
    }

    /// The properties asked for, lowered.
    pub(crate) fn select(&mut self, wanted: &[String], diagnostics: &mut Vec<Diagnostic>) -> Vec<Pending> {
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
                    .note("no property file with properties and no --prop was given")
                    .help("add a property, for example --prop 'P=? [ F \"done\" ]', or use `volvelle info`"),
            );
        }
        let mut pending = Vec::new();
        for selector in selectors {
            pending.push(match selector {
                Selector::Listed(index) => Pending {
                    point: String::new(),
                    number: Some(index + 1),
                    name: listed[index].name.clone(),
                    text: listed[index].text.clone(),
                    place: listed[index].span,
                    property: document.property(&self.sources, index),
                },
                Selector::Text(text) => {
                    let file = match self.texts.iter().find(|(known, _)| *known == text) {
                        Some(&(_, file)) => file,
                        None => {
                            let file: FileId = self.sources.add(self.property_texts_from, text.clone());
                            self.texts.push((text.clone(), file));
                            file
                        }
                    };
                    let mut property = document.text(&self.sources, file);
                    if let Err(complaints) = &mut property
                        && self.property_texts_from != "--by"
                        && Selector::looks_like_a_name(&text)
                        && mentions(complaints, codes::UNKNOWN_NAME)
                    {
                        *complaints = vec![select::unknown(&text, &names)];
                    }
                    let name = property.as_ref().ok().and_then(|p| p.name.clone());
                    let place = Span::new(file, 0, text.len());
                    Pending { number: None, name, text, place, property, point: String::new() }
                }
            });
        }
        diagnostics.extend(document.take_warnings());
        pending
    }

    /// A formula that all runs have to satisfy, lowered.
    pub(crate) fn formula(&mut self, text: &str) -> Pending {
        let file = self.sources.add("--ltl", text);
        let property = match &mut self.document {
            Some(document) => document.formula(&self.sources, file),
            None => Err(Vec::new()),
        };
        let place = Span::new(file, 0, text.len());
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Pending { number: None, name: None, text, place, property, point: String::new() }
    }

    /// Explores once for all properties, without those whose observations fail.
    pub(crate) fn explore_for(
        &self,
        pending: &mut [Pending],
        reusable: bool,
        settings: &Settings,
        control: &Control<'_>,
    ) -> Outcome {
        self.refuse_choices(pending, control);
        if !pending.is_empty() && pending.iter().all(|p| p.property.is_err()) {
            return Outcome::default();
        }
        loop {
            let properties: Vec<&Property> =
                pending.iter().filter_map(|p| p.property.as_ref().ok()).collect();
            let Some(program) = self.program() else { return Outcome::default() };
            // An explicit model is neither reduced nor cut: all its states are there.
            let is_explored = self.explicit().is_none();
            let symmetry = is_explored && reduced::fits_permutations(&properties, settings);
            let mut observe = selection(&properties);
            if settings.evidence.induced {
                observe.add_named(program);
            }
            let steps = match is_explored && !reusable {
                true => needed::step_limit(program.kind(), &properties, settings, control),
                false => None,
            };
            let options = Options { observe, reusable, symmetry, steps, code: None };
            let reduce = is_explored && reduced::fits(program, &properties, settings);
            let is_unreduced = settings.reduce && !reduce;
            let needed = match reduce || !is_explored {
                true => Cow::Borrowed(program),
                false => needed::stopping(program, &properties, settings),
            };
            let mut outcome = self.run_exploration(&needed, reduce, &options, settings, control);
            if outcome.stop.is_some_and(ways::is_about_states) {
                let ways = self.ways_out(program, &properties, &options.observe, settings);
                ways::add(&mut outcome.diagnostics, ways);
            }
            if is_unreduced {
                outcome.diagnostics.push(reduced::no_effect());
            }
            let Some(site) = outcome.failed else { return outcome.or_full_space(symmetry, settings) };
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

    /// Refuses properties that need a minimum or maximum, if the first states of the model already have choices.
    fn refuse_choices(&self, pending: &mut [Pending], control: &Control<'_>) {
        let Some(program) = self.program() else { return };
        let is_open = matches!(self.choices, Choices::Unresolved);
        let is_mdp = program.kind().is_nondeterministic() && self.explicit().is_none() && is_open;
        let operator = |p: &Pending| {
            p.property.as_ref().ok().and_then(remarks::operator_without_optimum).filter(|_| is_mdp)
        };
        if !pending.iter().any(|p| operator(p).is_some()) {
            return;
        }
        let Some(state) = volvelle_explore::state_with_choices(program, FIRST_STATES, control) else {
            return;
        };
        let state = self.document.as_ref().map(|document| document.state_text(&state)).unwrap_or_default();
        for p in pending.iter_mut() {
            if let Some(operator) = operator(p) {
                let diagnostic = failure::needs_optimum(operator).at(p.place, "");
                p.property = Err(vec![match state.is_empty() {
                    true => diagnostic,
                    false => diagnostic.note(format!("there are several choices in state {state}")),
                }]);
            }
        }
    }

    /// The reports on properties that are answered together: all of them could be lowered.
    pub(crate) fn answers(
        &self,
        members: &[&Pending],
        explored: &Explored,
        settings: &Settings,
        control: &Control<'_>,
        exact: &mut Exact,
        log: &mut RunLog,
    ) -> Vec<PropertyReport> {
        let properties: Vec<&Property> = members.iter().filter_map(|p| p.property.as_ref().ok()).collect();
        let start = Instant::now();
        let options = accurate(&settings.numeric, explored, &properties);
        let mut control = *control;
        if let Some(memory) = &mut control.limits.memory_bytes {
            *memory = memory.saturating_sub(explored.bytes());
        }
        if let (true, Some(program)) = (settings.exact, self.program()) {
            let reports = members.iter().zip(properties).map(|(pending, property)| {
                let start = Instant::now();
                let result = exact.check(program, explored, property, &options, &control);
                let mut report = self.judged(pending, property, result, explored, settings, &control, log);
                report.time = start.elapsed();
                if settings.all_states && report.outcome.is_ok() {
                    let values = exact.states(program, explored, property, &options, &control);
                    report.values = values.ok().and_then(|values| self.exact_states(values, explored));
                }
                report.remarks = self.remarks(property, explored, &report.outcome);
                report
            });
            return reports.collect();
        }
        let answers = volvelle_markov::check_family(
            &explored.space,
            &properties,
            &explored.numbers,
            &options,
            self.sweeps.as_ref(),
            &control,
        );
        log.diagnostics.extend(sweeping::troubles(self.sweeps.as_ref(), &self.devices));
        // The time of answers that were computed together is divided equally among them.
        let time = start.elapsed() / members.len().max(1) as u32;
        let reports = members.iter().zip(properties).zip(answers);
        let reports = reports.map(|((pending, property), checked)| {
            let known = interrupted(&checked.outcome);
            let outcome = match (checked.outcome, known) {
                // Bounds of stopped work are no answer, but worth telling.
                (Ok(_), Some(_)) => Err(CheckError::Limit(control.check().err().unwrap_or(Stop::Cancelled))),
                (outcome, _) => outcome,
            };
            let outcome = match outcome {
                Err(undecided) if exact::is_soon_decided(&undecided) => self
                    .decided_exactly(property, explored, settings, &control, exact)
                    .ok_or(Trouble::Check(undecided)),
                Ok(wide) if is_wide(&wide, explored, &options) && has_usual_limits(&options) => {
                    let found = self.decided_exactly(property, explored, settings, &control, exact);
                    match found.and_then(rounded) {
                        Some(found) => Ok(found),
                        None if explored.errors.is_vague() => {
                            crate::vague::unknown(wide, property).map_err(Trouble::Check)
                        }
                        None => Ok(wide),
                    }
                }
                outcome => outcome.map_err(Trouble::Check),
            };
            let mut report = self.judged(pending, property, outcome, explored, settings, &control, log);
            report.time = time;
            report.facts = checked.facts;
            if report.outcome.is_ok() {
                let unused = unused_method(checked.method_use, &options);
                log.diagnostics.extend(unused.map(|diagnostic| diagnostic.at(pending.place, "")));
            }
            report.remarks = self.remarks(property, explored, &report.outcome);
            if let (Some([lo, hi]), Err(diagnostics)) = (known, &mut report.outcome) {
                report.known = known;
                let note = format!("the value lies between {lo:?} and {hi:?}");
                diagnostics.iter_mut().for_each(|d| d.notes.push(note.clone()));
            }
            if settings.all_states && report.outcome.is_ok() {
                report.values = self.all_states(property, explored, settings, &control, exact);
            }
            report
        });
        reports.collect()
    }

    /// A property whose comparisons bounds could not decide, or whose bounds rounding keeps apart, in rational arithmetic: where
    /// a bound is met exactly, nothing else decides it. For small models only, where that takes no time to speak of.
    fn decided_exactly(
        &self,
        property: &Property,
        explored: &Explored,
        settings: &Settings,
        control: &Control<'_>,
        exact: &mut Exact,
    ) -> Option<Answer> {
        if !is_soon_exact(explored.space.num_states(), property) {
            return None;
        }
        let found = exact.check(self.program()?, explored, property, &settings.numeric, control);
        let mut answer = found.ok()?;
        answer.method = format!("the bounds did not suffice; {}", answer.method);
        Some(answer)
    }

    /// The values of a property in all states.
    fn all_states(
        &self,
        property: &Property,
        explored: &Explored,
        settings: &Settings,
        control: &Control<'_>,
        exact: &mut Exact,
    ) -> Option<Vec<StateValue>> {
        let document = self.document.as_deref()?;
        let options = &accurate(&settings.numeric, explored, &[property]);
        let (space, numbers) = (&explored.space, &explored.numbers);
        let sweeps = self.sweeps.as_ref();
        let n = space.num_states();
        let truths = |set: &BitSet| (0..n).map(|s| FormulaValue::Truth(set.contains(s))).collect();
        let values: Vec<FormulaValue> =
            match volvelle_markov::check_states(space, property, numbers, options, sweeps, control) {
                Ok(StateValues::Bool(set)) => truths(&set),
                Ok(StateValues::Number(numbers)) => {
                    numbers.bounds.into_iter().map(FormulaValue::Bounds).collect()
                }
                Err(CheckError::CannotDecide { .. }) if is_soon_exact(n, property) => {
                    let values = exact.states(self.program()?, explored, property, options, control).ok()?;
                    return self.exact_states(values, explored);
                }
                Err(_) => return None,
            };
        let of_state = |(s, value): (usize, FormulaValue)| StateValue {
            state: document.state_text(&explored.layout.unpack(explored.states.get(s))),
            value,
            exact: None,
        };
        Some(values.into_iter().enumerate().map(of_state).collect())
    }

    /// The values of a property in all states, in rational arithmetic.
    fn exact_states(&self, values: ExactValues, explored: &Explored) -> Option<Vec<StateValue>> {
        let document = self.document.as_deref()?;
        let text = |s: usize| document.state_text(&explored.layout.unpack(explored.states.get(s)));
        let of = |(s, (value, exact))| StateValue { state: text(s), value, exact };
        let n = explored.space.num_states();
        Some(match values {
            ExactValues::Bool(set) => {
                let truths = (0..n).map(|s| (FormulaValue::Truth(set.contains(s)), None));
                truths.enumerate().map(of).collect()
            }
            ExactValues::Number(numbers) => {
                let numbers = numbers.into_iter().map(|x| (FormulaValue::Bounds(x.enclosure()), Some(x)));
                numbers.enumerate().map(of).collect()
            }
        })
    }

    /// The report on an answer: with its evidence, or with the diagnostic that there is none.
    #[expect(clippy::too_many_arguments, reason = "it continues `answers`")]
    fn judged(
        &self,
        pending: &Pending,
        property: &Property,
        result: Result<Answer, Trouble>,
        explored: &Explored,
        settings: &Settings,
        control: &Control<'_>,
        log: &mut RunLog,
    ) -> PropertyReport {
        let outcome = match result {
            Ok(answer) => {
                let remarks = beside(&answer, property, pending.place, settings);
                log.diagnostics.extend(remarks.into_iter().map(|remark| pending.at_point(remark)));
                Ok(answer)
            }
            Err(error) => {
                if let Some(stop) = error.stop() {
                    log.stop = log.stop.or(Some(stop));
                }
                let values = |state: u32| {
                    let known = (state as usize) < explored.states.len();
                    known.then(|| explored.layout.unpack(explored.states.get(state as usize)))
                };
                let document = self.document.as_deref();
                let failing = |number: u32, state: u32| {
                    let packed = explored.states.get(state as usize);
                    let program = self.program()?;
                    volvelle_explore::failing_site(program, &explored.layout, number as usize, packed)
                };
                let diagnostic = document.map(|document| match &error {
                    Trouble::Check(CheckError::NeedsOptimum) => {
                        let operator = remarks::operator_without_optimum(property).unwrap_or("P");
                        failure::needs_optimum(operator).at(pending.place, "")
                    }
                    &Trouble::Check(CheckError::UndefinedNumber { number, state })
                        if let Some(site) = failing(number, state) =>
                    {
                        let values = values(state).unwrap_or_default();
                        failure::of_site(site, &values, Some(StateId(state)), document, &self.sources)
                    }
                    Trouble::Check(error) => {
                        failure::of_check(error, pending.place, document, values, &settings.allowance)
                    }
                    Trouble::Space(error) => {
                        exact::explain(error, pending.place, document, values, &settings.allowance)
                    }
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
                let is_unmet = answer.value == Value::Bool(false)
                    && matches!(property.formulas.get(property.root), Formula::Multi(_));
                let found = if is_unmet {
                    Err(NoWitness::NoneMeets.into())
                } else {
                    volvelle_markov::witness(
                        &explored.space,
                        property,
                        &explored.numbers,
                        wanted,
                        &accurate(&settings.numeric, explored, &[property]),
                        control,
                    )
                };
                let place = pending.place;
                self.found(answer, property, place, explored, settings, found, control, log).map(Box::new)
            }
            _ => None,
        };
        PropertyReport {
            states,
            evidence,
            ..pending.report(property.constants.clone(), outcome, Duration::ZERO)
        }
    }

    /// The evidence for an answer, or a diagnostic that there is none.
    #[expect(clippy::too_many_arguments, reason = "it continues `judged`")]
    fn found(
        &self,
        answer: &Answer,
        property: &Property,
        place: Span,
        explored: &Explored,
        settings: &Settings,
        found: Result<Witness, WitnessError>,
        control: &Control<'_>,
        log: &mut RunLog,
    ) -> Option<Evidence> {
        let wanted = settings.evidence;
        match found {
            Ok(witness) => {
                if wanted.witness && witness.path.is_none() && witness.no_path.is_none() {
                    let message = "there is no witness: no path leads to the target";
                    log.diagnostics.push(Diagnostic::note_only(codes::NO_WITNESS, message).at(place, ""));
                }
                if let Some(form) = witness.no_path {
                    log.diagnostics.push(no_witness(Severity::Warning, "witness", &form).at(place, ""));
                }
                let mut chain = None;
                if let Some(found) = &witness.strategy {
                    log.diagnostics.extend(loses(found, property, answer, settings).map(|d| d.at(place, "")));
                    if wanted.wants_chain() {
                        chain = match self.chain_of(explored, &found.strategy, control) {
                            Ok(chain) => Some(chain),
                            Err(stop) => {
                                // The scheduler itself is written nevertheless.
                                log.stop = log.stop.or(Some(stop));
                                let complaint = limits::stopped(stop, &settings.allowance).at(place, "");
                                log.diagnostics
                                    .push(complaint.note("the chain of the scheduler is too large"));
                                None
                            }
                        };
                    }
                }
                let is_false = answer.value == Value::Bool(false);
                return Some(self.evidence(explored, property, witness, chain.as_ref(), wanted, is_false));
            }
            Err(WitnessError::Form(form)) => {
                let what = if wanted.wants_scheduler() { "scheduler" } else { "witness" };
                let severity = match form {
                    NoWitness::TooManyAmounts(_) => Severity::Error,
                    _ => Severity::Warning,
                };
                log.diagnostics.push(no_witness(severity, what, &form).at(place, ""));
            }
            Err(WitnessError::Check(error)) => {
                if let CheckError::Limit(stop) = error {
                    log.stop = log.stop.or(Some(stop));
                }
                let document = self.document.as_deref();
                log.diagnostics.extend(document.map(|document| {
                    failure::of_check(&error, place, document, |_| None, &settings.allowance)
                }));
            }
        }
        None
    }
}

/// The bounds that a stopped computation got to, where they are all there is.
fn interrupted(outcome: &Result<Answer, CheckError>) -> Option<[f64; 2]> {
    match outcome {
        Ok(Answer { value: Value::Bool(_), .. }) | Err(_) => None,
        Ok(answer) if answer.stop != StopReason::Interrupted => None,
        Ok(answer) => match answer.guarantee {
            Guarantee::Sound { lo, hi, .. } => Some([lo, hi]),
            _ => Some([f64::NEG_INFINITY, f64::INFINITY]),
        },
    }
}

/// The diagnostic about a property that has no scheduler or no witness, with the ones that have.
fn no_witness(severity: Severity, what: &str, why: &NoWitness) -> Diagnostic {
    let message = format!("there is no {what} for this property");
    let diagnostic = match severity {
        Severity::Error => Diagnostic::error(codes::NO_WITNESS, message),
        _ => Diagnostic::warning(codes::NO_WITNESS, message),
    };
    let help = match why {
        NoWitness::NoChoices(_) => "leave --export-scheduler out; --witness shows the most probable path",
        NoWitness::Curve => {
            "give all objectives but one a bound, for example multi(Pmax=? [ F a ], P>=0.9 [ F b ])"
        }
        NoWitness::NoneMeets => "the answer is false: relax the bounds",
        NoWitness::Quantile => {
            "ask for the probability with the amount that the quantile has: Pmax=? [ F{\"energy\"}<=12 a ]"
        }
        NoWitness::TooManyAmounts(_) => {
            "make the bounds smaller, or the rewards coarser; without a scheduler, the value is computed all the same"
        }
        NoWitness::Unavailable(_) => "leave --export-scheduler out",
        NoWitness::SeveralStarts => "give the model one initial state",
        NoWitness::NotAMeasure if what == "scheduler" => {
            "available for P, R, S, T and multi(...) alone, without arithmetic around"
        }
        _ => "available for F, U, W, R and G in P, and F in R and T, without bounds on time or steps",
    };
    diagnostic.note(why.to_string()).help(help)
}

/// The diagnostic about bounds that are wider than was asked for.
fn imprecise(message: &str, settings: &Settings) -> Diagnostic {
    match settings.strict_precision {
        true => Diagnostic::error(codes::PRECISION_NOT_REACHED, message),
        false => Diagnostic::warning(codes::PRECISION_NOT_REACHED, message),
    }
}

/// Says that the method which was asked for did not solve equations of a property.
pub(crate) fn unused_method(how: MethodUse, options: &Numeric) -> Option<Diagnostic> {
    if options.method == Method::Auto {
        return None;
    }
    let message = "--method was not used for this property";
    let warning = || Diagnostic::warning(codes::UNUSED_METHOD, message);
    match how {
        MethodUse::Used => None,
        MethodUse::NotNeeded => {
            let note = "there were no cyclic equations: graph analysis or substitution gave the value";
            Some(Diagnostic::note_only(codes::UNUSED_METHOD, message).note(note))
        }
        MethodUse::StepByStep => Some(
            warning()
                .note("steps up to a bound are computed one by one: no equations are solved")
                .help("leave --method out for properties with bounds on time or steps"),
        ),
        MethodUse::Replaced => Some(
            warning()
                .note("the equations were solved by a method that gives bounds")
                .help("methods apply to P and R where equations are solved; leave --method out for other properties"),
        ),
    }
}

/// Diagnostics beside an answer.
fn beside(answer: &Answer, property: &Property, place: Span, settings: &Settings) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let is_precise = match &answer.guarantee {
        Guarantee::Exact { .. } => true,
        Guarantee::Sound { lo, hi, .. } => settings.numeric.accepts(*lo, *hi),
        _ => false,
    };
    if answer.stop == StopReason::IterationLimit && !is_precise {
        let message = "no convergence within the iteration limit";
        diagnostics.push(
            imprecise(message, settings)
                .at(place, "")
                .note("the bounds hold, but are wider than --precision requires")
                .help("raise --max-iterations, or solve without iterations: --method elimination"),
        );
    } else if let (Value::Number(_), Guarantee::Sound { lo, hi, .. }) = (&answer.value, &answer.guarantee)
        && hi.is_finite()
        && !settings.numeric.accepts(*lo, *hi)
    {
        let kind = if settings.numeric.relative { "relative" } else { "absolute" };
        let message = format!("the precision {:e} was not reached", settings.numeric.precision);
        diagnostics.push(
            imprecise(&message, settings)
                .at(place, "")
                .note(format!("the value lies between {lo:?} and {hi:?}; the precision is {kind}"))
                .help("compute with exact fractions: --exact"),
        );
    }
    if !answer.stop.is_sound() {
        let message = match answer.stop {
            StopReason::SteadyStateTest => "a step with little change was taken for the steady state",
            StopReason::SmallChangeMissed => "the iterates still differed at the iteration limit",
            _ => "two iterates differed little",
        };
        diagnostics.push(
            Diagnostic::warning(
                codes::UNSOUND_METHOD,
                format!("the error of this value is not bounded: {message}"),
            )
            .at(place, "")
            .note(answer.method.clone())
            .help("leave --method and --steady-state-detection out to get a value with bounds"),
        );
    }
    if let (Formula::Multi(objectives), Value::Bool(false)) =
        (property.formulas.get(property.root), &answer.value)
        && objectives.iter().any(|o| o.goal.bound().is_none())
    {
        let note = |message: &str| Diagnostic::note_only(codes::UNACHIEVABLE, message).at(place, "");
        diagnostics.push(if objectives.iter().any(|o| o.goal.bound().is_some()) {
            note("no scheduler satisfies all bounds, so there is no optimal one")
                .help("use =? in two objectives to see which combinations are achievable")
        } else {
            note("every scheduler gives an infinite value to a minimised reward, so there is no optimal one")
                .help("let the model stop accumulating it, or bound the time with C<=k")
        });
    }
    let until_target = matches!(
        property.formulas.get(property.root),
        Formula::Reward { what: RewardQuery::Reach(_), .. } | Formula::Time { .. }
    );
    let why = match property.formulas.get(property.root) {
        Formula::Reward { what: RewardQuery::Ratio(_), .. } => Some(
            "with a positive probability a run ends up earning of the first reward, and none of the second",
        ),
        Formula::Reward { what: RewardQuery::Within(_), .. } => {
            Some("the reward can be earned again and again without spending what is bounded")
        }
        _ => None,
    };
    if let (Some(why), &Value::Number(f64::INFINITY)) = (why, &answer.value) {
        let note = Diagnostic::note_only(codes::INFINITE_REWARD, "the expected reward is infinite");
        diagnostics.push(note.at(place, "").note(why));
    }
    if until_target && answer.value == Value::Number(f64::INFINITY) {
        diagnostics.push(
            Diagnostic::note_only(codes::INFINITE_REWARD, "the expected reward is infinite")
                .at(place, "")
                .note("the probability of reaching the target is not 1")
                .help(
                    "to accumulate until the target or the end, whichever comes first, name both: F (target | end)",
                ),
        );
    }
    diagnostics
}
