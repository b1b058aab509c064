//! Running paths until every property has enough, or never will.
//!
//! A path that is given up undecided takes with it the properties that it does not decide, and no others: those go on from
//! the same block of paths in another round, with a kernel that no longer knows the lost ones. What their paths say does not
//! depend on what else is measured on them.

use super::answer::Known;
use super::crew::Crew;
use super::prospects::{self, Prospects};
use super::tiers::{self, Account, Expected};
use super::{Course, Fate, complaints, rules};
use crate::language::Document;
use crate::sampling::Sampling;
use crate::session::Session;
use std::sync::Arc;
use std::time::{Duration, Instant};
use volvelle_control::{Control, News, Stop};
use volvelle_diagnostics::Diagnostic;
use volvelle_model::Program;
use volvelle_simulate::measure::Measure;
use volvelle_simulate::path::Plan;
use volvelle_simulate::sample::{Ended, Request, Sampled, resume};
use volvelle_simulate::word::Word;

/// What is asked of paths.
pub(super) struct Asking<'a> {
    pub session: &'a Session,
    /// With the conditions of the measures.
    pub program: &'a Program,
    pub measures: Vec<Measure>,
    pub words: Vec<Word>,
    pub sampling: &'a Sampling,
    pub document: &'a dyn Document,
    /// Paths at most.
    pub most: Option<u64>,
    /// How many there will be.
    pub expected: Expected,
}

/// How it went, for all properties together.
pub(super) struct Ran {
    /// What ended it before its time.
    pub stop: Option<Stop>,
    /// Paths that were run.
    pub paths: u64,
    /// How long they took.
    pub time: Duration,
    /// How the last of them were run.
    pub account: Account,
    /// Devices that failed.
    pub troubles: Vec<Diagnostic>,
}

impl Asking<'_> {
    /// Runs paths until all courses have come to an end.
    ///
    /// # Errors
    /// The model is not simulated.
    pub fn run(&self, courses: &mut [Course], control: &Control<'_>) -> Result<Ran, Diagnostic> {
        // Indices of the measures of the round among all.
        let mut wanted: Vec<usize> = (0..self.measures.len()).collect();
        let indicators: Vec<bool> = self.measures.iter().map(Measure::is_indicator).collect();
        let mut all = Sampled::nothing(&indicators);
        let mut prospects: Option<Prospects> = None;
        let mut clock = None;
        let mut begun = None;
        let mut long = None;
        let mut troubles = Vec::new();
        loop {
            let plan = Arc::new(self.plan(&wanted, &mut clock)?);
            let expected = match self.expected {
                Expected::Paths(paths) => Expected::Paths(paths.saturating_sub(all.end)),
                other => other,
            };
            let race = tiers::race(&plan, self.session.tier_of_paths(self.sampling), expected, control)
                .map_err(|refusal| complaints::of_refusal(&refusal, self.program))?;
            let crew = Crew::new(&self.session.devices, &plan, control);
            let remotes = crew.remotes();
            let begun = *begun.get_or_insert_with(Instant::now);
            let first = long.is_none();
            let long = *long.get_or_insert_with(|| prospects::are_long(&race, self.sampling));
            if first && long {
                prospects = Prospects::for_long_paths(&plan, control);
            }
            let foreseen = prospects.is_some();
            let alone = prospects::Single::new(&plan);
            let foresight = alone.looking_at(prospects.as_ref());
            let request = Request {
                seed: self.sampling.seed,
                first: all.end,
                paths: self.most.unwrap_or(u64::MAX) - all.end,
                max_steps: self.sampling.max_steps,
                monitors: &plan.monitors,
                foresight: foresight.as_ref(),
                alone: if long || foreseen { Some(&alone) } else { None },
                remotes: &remotes,
                threads_too: crew.threads_too(),
            };
            // Where each measure is in the round.
            let mut places: Vec<Option<usize>> = vec![None; self.measures.len()];
            wanted.iter().enumerate().for_each(|(place, &measure)| places[measure] = Some(place));
            let mut told = begun;
            let (sampled, ended) = resume(&race, &request, control, all, |all, news| {
                if told.elapsed().as_millis() >= 100 {
                    told = Instant::now();
                    control.progress.news(self.progress(all, &wanted, courses, begun));
                }
                let mut open = false;
                for course in courses.iter_mut().filter(|course| course.is_open()) {
                    let Some(place) = places[course.measure] else { continue };
                    if course.rule.enough(all.paths, &all.summaries[place], &news.summaries[place]) {
                        course.fate = Fate::Done(known(all, place));
                    } else {
                        open = true;
                    }
                }
                !open
            });
            all = sampled;
            troubles.extend(crew.troubles());
            let mut stop = None;
            match &ended {
                Some(Ended::Undecided(undecided)) => {
                    if !foreseen {
                        prospects = Prospects::for_measures(&plan, &undecided.measures, control);
                    }
                    let retry = !foreseen && prospects.is_some();
                    for course in courses.iter_mut().filter(|course| course.is_open() && !retry) {
                        if undecided.measures.iter().any(|&place| wanted[place] == course.measure) {
                            course.fate = Fate::Lost(complaints::of_long_path(undecided.path, self.sampling));
                        }
                    }
                }
                Some(Ended::Failed(failure)) => {
                    let sources = &self.session.sources;
                    let complaint =
                        complaints::of_failure(failure, &plan, self.sampling, self.document, sources);
                    for course in courses.iter_mut().filter(|course| course.is_open()) {
                        course.fate = Fate::Failed(complaint.clone());
                    }
                }
                Some(Ended::Stopped(why)) => stop = Some(*why),
                None => {}
            }
            // Whoever is still open where sampling did not go wrong has all paths that there are.
            if !matches!(ended, Some(Ended::Undecided(_))) {
                for course in courses.iter_mut().filter(|course| course.is_open()) {
                    let Some(place) = places[course.measure] else { continue };
                    course.fate = Fate::Cut(known(&all, place));
                }
            }
            let mut is_open = vec![false; self.measures.len()];
            courses
                .iter()
                .filter(|course| course.is_open())
                .for_each(|course| is_open[course.measure] = true);
            let places: Vec<usize> = (0..wanted.len()).filter(|&place| is_open[wanted[place]]).collect();
            if places.is_empty() {
                let account = crew.account(race.account());
                return Ok(Ran { stop, paths: all.paths, time: begun.elapsed(), account, troubles });
            }
            all = all.only(&places);
            prospects = prospects.map(|prospects| prospects.only(&places));
            wanted = places.iter().map(|&place| wanted[place]).collect();
        }
    }

    /// The plan for some of the measures. `clock`: whether the first one drew times; then the others do as well.
    fn plan(&self, wanted: &[usize], clock: &mut Option<bool>) -> Result<Plan, Diagnostic> {
        let measures = wanted.iter().map(|&measure| self.measures[measure]).collect();
        let Asking { program, sampling, document, .. } = *self;
        let mut plan =
            self.session.prepared(program, measures, self.words.clone(), sampling.generator, document)?;
        plan.clock = *clock.get_or_insert(plan.clock);
        Ok(plan)
    }

    /// How far a simulation is.
    fn progress(&self, all: &Sampled, wanted: &[usize], courses: &[Course], begun: Instant) -> News {
        let interval = match courses {
            [one] => wanted.iter().position(|&m| m == one.measure).and_then(|place| {
                let confidence = volvelle_statistics::Confidence::new(self.sampling.confidence).ok()?;
                rules::interval_of(&all.summaries[place], confidence).map(|i| [i.lo, i.hi])
            }),
            _ => None,
        };
        News::Sampling {
            paths: all.paths,
            total: self.most.unwrap_or(0),
            steps_per_second: all.steps as f64 / begun.elapsed().as_secs_f64().max(1e-9),
            interval,
        }
    }
}

impl Course {
    fn is_open(&self) -> bool {
        matches!(self.fate, Fate::Open)
    }
}

/// What paths say about the measure at a place.
fn known(all: &Sampled, place: usize) -> Known {
    Known { paths: all.paths, steps: all.steps, summary: all.summaries[place].clone() }
}
