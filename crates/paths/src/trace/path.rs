//! Going along a path.

use super::plan::{PathPlan, Until};
use super::step::{self, Choice, Decided, Moved, PathOption, PathStep, PathValue, Total};
use crate::diagnostics;
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_kernel::Site;
use volvelle_session::Model;
use volvelle_session::language::Document;
use volvelle_simulate::reference::ReferenceMonitor;
use volvelle_simulate::reference::{ReferenceSimulator, Stay, Taken};

/// Why a path goes no further.
#[derive(Clone, Debug, PartialEq)]
pub enum PathEnd {
    /// All properties are decided.
    Decided,
    /// The condition holds.
    Met,
    /// Nothing is enabled.
    Deadlock,
    /// Everything that is enabled leads back to the state.
    Loop,
    /// Something failed.
    Failed(Diagnostic),
}

impl Place<'_> {
    /// The values of the fields.
    pub(crate) fn state(&self) -> &[i64] {
        self.walk.state()
    }

    /// Why the path goes no further; `None` if it does.
    pub(crate) fn end(&self) -> Option<&PathEnd> {
        self.end.as_ref()
    }
}

impl PathEnd {
    /// For people: `then every property is decided`.
    pub fn message(&self) -> String {
        match self {
            PathEnd::Decided => "every property is decided".to_owned(),
            PathEnd::Met => "the condition holds".to_owned(),
            PathEnd::Deadlock => "no transition is enabled".to_owned(),
            PathEnd::Loop => "all enabled transitions are self-loops".to_owned(),
            PathEnd::Failed(diagnostic) => diagnostic.message.clone(),
        }
    }
}

/// Where a path is: all that it takes to go on from there, as often as that is wanted.
#[derive(Clone)]
pub(crate) struct Place<'p> {
    walk: ReferenceSimulator<'p>,
    watch: ReferenceMonitor<'p>,
    /// How long it stays there; `None` where the path ends before that is known.
    stay: Option<Stay>,
    /// The reward earned so far, for every structure; not a number where it cannot be evaluated.
    earned: Vec<f64>,
    end: Option<PathEnd>,
}

/// A path, in one of its states.
pub struct Path<'p, 'm> {
    pub(super) plan: &'p PathPlan,
    pub(super) document: &'m dyn Document,
    pub(super) sources: &'m Sources,
    here: Place<'p>,
    first: PathStep,
}

impl<'p, 'm> Path<'p, 'm> {
    pub(super) fn new(plan: &'p PathPlan, document: &'m dyn Document, sources: &'m Sources) -> Self {
        let walk = ReferenceSimulator::new(&plan.plan, plan.tracing.seed, plan.tracing.path);
        let here = Place {
            walk,
            watch: ReferenceMonitor::new(&plan.plan),
            stay: None,
            earned: vec![0.0; plan.plan.program.rewards.len()],
            end: None,
        };
        let mut path = Path { plan, document, sources, here, first: PathStep::default() };
        let nothing = vec![0.0; path.here.earned.len()];
        path.first = path.enter(None, None, &nothing);
        path
    }

    /// The path of a model that goes on from a place. `None` without a model.
    pub(crate) fn at(place: Place<'p>, plan: &'p PathPlan, model: &'m Model) -> Option<Self> {
        let document = model.document.as_deref()?;
        Some(Path { plan, document, sources: &model.sources, here: place, first: PathStep::default() })
    }

    /// Where it is.
    pub(crate) fn into_place(self) -> Place<'p> {
        self.here
    }

    /// The initial state.
    pub fn first(&self) -> &PathStep {
        &self.first
    }

    /// Steps so far.
    pub fn steps(&self) -> u32 {
        self.here.walk.steps()
    }

    /// Why the path goes no further; `None` if it does.
    pub fn end(&self) -> Option<&PathEnd> {
        self.here.end.as_ref()
    }

    /// The value of a property if it is decided, or what was earned so far.
    pub fn value(&self, property: usize) -> (f64, bool) {
        let measure = self.plan.followed[property].measure;
        (self.here.watch.values()[measure], !self.here.watch.is_open(measure))
    }

    /// The next step, as it was drawn. `None` if there is none: see [`end`](Self::end).
    pub fn step(&mut self) -> Option<PathStep> {
        self.advance(|walk| Ok((walk.draw()?, None))).map(|(step, _)| step)
    }

    /// The step that [`step`](Self::step) would take; the path stays where it is. `None` if there is none.
    ///
    /// # Errors
    /// The step fails.
    pub(crate) fn drawn(&mut self) -> Result<Option<Choice>, Diagnostic> {
        let here = self.here.clone();
        let drawn = self.advance(|walk| Ok((walk.draw()?, None)));
        let failure = if drawn.is_none() { self.take_back_failure() } else { None };
        self.here = here;
        failure.map_or(Ok(drawn.map(|(_, choice)| choice)), Err)
    }

    /// Takes a step that was chosen. Where it is the one that chance takes, it is as chance takes it: its outcome and its times are those
    /// of the sampled path.
    pub(crate) fn retake_as_drawn(&mut self, choice: &Choice) -> Option<PathStep> {
        let here = self.here.clone();
        if let Some((step, drawn)) = self.advance(|walk| Ok((walk.draw()?, None)))
            && drawn.is_of(choice)
        {
            return Some(step);
        }
        self.here = here;
        self.retake(choice)
    }

    /// Takes a step that was chosen among [`options`](Self::options).
    pub fn take(&mut self, option: &PathOption) -> Option<PathStep> {
        self.retake(&option.choice)
    }

    /// Takes a step that was chosen before in the same state.
    pub fn retake(&mut self, choice: &Choice) -> Option<PathStep> {
        self.advance(|_| Ok((choice.combination, choice.branches.as_deref()))).map(|(step, _)| step)
    }

    /// Why the last step failed; the path is before it, as if it had not been tried.
    pub fn take_back_failure(&mut self) -> Option<Diagnostic> {
        match self.here.end.take() {
            Some(PathEnd::Failed(diagnostic)) => Some(diagnostic),
            other => {
                self.here.end = other;
                None
            }
        }
    }

    /// The reference walk, in the state in which the path is.
    pub(super) fn walk(&mut self) -> &mut ReferenceSimulator<'p> {
        &mut self.here.walk
    }

    /// How long the path stays in the state, if that is known.
    pub(super) fn stay(&self) -> Option<Stay> {
        self.here.stay
    }

    fn advance<'o>(
        &mut self,
        choose: impl FnOnce(&mut ReferenceSimulator<'p>) -> Result<(usize, Option<&'o [usize]>), Site>,
    ) -> Option<(PathStep, Choice)> {
        if self.here.end.is_some() {
            return None;
        }
        let stay = self.here.stay?;
        let before = self.here.clone();
        let old = before.walk.state().to_vec();
        match self.go(&stay, choose) {
            Ok((taken, by_step)) => {
                let step = self.enter(Some(&taken), Some(&old), &by_step);
                Some((step, Choice { combination: taken.combination, branches: Some(taken.branches) }))
            }
            Err(site) => {
                self.here = before;
                self.fail(site);
                None
            }
        }
    }

    /// Takes a step; gives it, and what it earned.
    fn go<'o>(
        &mut self,
        stay: &Stay,
        choose: impl FnOnce(&mut ReferenceSimulator<'p>) -> Result<(usize, Option<&'o [usize]>), Site>,
    ) -> Result<(Taken, Vec<f64>), Site> {
        let plan = &self.plan.plan;
        let Place { walk, watch, earned, .. } = &mut self.here;
        let (combination, branches) = choose(walk)?;
        let action = plan.action(combination);
        watch.step(walk, action)?;
        let length = length(self.plan, walk, stay);
        let mut by_step = Vec::with_capacity(earned.len());
        for (structure, earned) in earned.iter_mut().enumerate() {
            let step = walk.transition_reward(structure, action).unwrap_or(f64::NAN);
            let rate = walk.reward_of_stay(structure).unwrap_or(f64::NAN);
            *earned += if rate == 0.0 { 0.0 } else { rate * length } + step;
            by_step.push(step);
        }
        Ok((walk.take(combination, branches, stay)?, by_step))
    }

    /// The path has come to a state: what is decided there, and how it goes on.
    fn enter(&mut self, taken: Option<&Taken>, before: Option<&[i64]>, by_step: &[f64]) -> PathStep {
        let open: Vec<bool> = self.open();
        self.here.stay = None;
        if let Err(site) = self.visit() {
            self.fail(site);
        }
        let plan = self.plan;
        let decided =
            open.into_iter().enumerate().filter(|&(measure, was)| was && !self.here.watch.is_open(measure));
        let decided: Vec<usize> = decided.map(|(measure, _)| measure).collect();
        let state = self.here.walk.state().to_vec();
        let known = |value: f64| (!value.is_nan()).then_some(value);
        let rewards = (0..by_step.len()).map(|structure| Total {
            total: known(self.here.earned[structure]),
            step: known(by_step[structure]),
            state: self.here.walk.state_reward(structure).ok(),
        });
        let rewards = rewards.collect();
        PathStep {
            number: self.here.walk.steps(),
            time: plan.is_timed().then(|| self.here.walk.now()),
            moved: taken.map(|taken| self.moved(taken.combination, &taken.branches)),
            changes: step::changes(plan, before, &state),
            state: state.iter().enumerate().map(|(i, &value)| plan.value(i, value)).collect(),
            rewards,
            decided: self.decisions(&decided),
        }
    }

    fn open(&self) -> Vec<bool> {
        (0..self.plan.plan.measures.len()).map(|measure| self.here.watch.is_open(measure)).collect()
    }

    /// Visits the state: decisions and rewards in the order of simulated paths.
    fn visit(&mut self) -> Result<(), Site> {
        let Place { walk, watch, stay, end, .. } = &mut self.here;
        watch.arrive(walk)?;
        let ends_when_decided = self.plan.until == Until::Decided;
        if ends_when_decided && !watch.any_open() {
            *end = Some(PathEnd::Decided);
            return Ok(());
        }
        if let Until::Condition(condition) = self.plan.until
            && walk.holds(condition)?
        {
            *end = Some(PathEnd::Met);
            return Ok(());
        }
        let known = walk.stay()?;
        *stay = Some(known);
        watch.dwell(walk, &known)?;
        if known.for_ever {
            let nothing = known.weight == 0.0;
            *end = Some(if nothing { PathEnd::Deadlock } else { PathEnd::Loop });
        } else if ends_when_decided && !watch.any_open() {
            *end = Some(PathEnd::Decided);
        }
        Ok(())
    }

    /// The properties of these measures, with their values.
    fn decisions(&self, measures: &[usize]) -> Vec<Decided> {
        let followed = self.plan.followed.iter().enumerate();
        let decided = followed.filter(|(_, followed)| measures.contains(&followed.measure));
        decided
            .map(|(property, followed)| {
                let value = self.here.watch.values()[followed.measure];
                let value = match self.plan.plan.measures[followed.measure].is_indicator() {
                    true => PathValue::Truth(value == 1.0),
                    false => PathValue::Number(value),
                };
                Decided { property, value }
            })
            .collect()
    }

    pub(super) fn moved(&self, combination: usize, branches: &[usize]) -> Moved {
        step::moved(self.plan, self.document, self.sources, combination, branches)
    }

    /// A failure in the state in which the path is.
    pub(super) fn explain(&self, site: Site) -> Diagnostic {
        let tracing = &self.plan.tracing;
        let state = self.here.walk.state();
        let diagnostic = diagnostics::of_site(site, &self.plan.plan, state, self.document, self.sources);
        diagnostic.note(diagnostics::place_of_path(tracing.path, tracing.seed, self.steps()))
    }

    fn fail(&mut self, site: Site) {
        self.here.end = Some(PathEnd::Failed(self.explain(site)));
    }
}

/// For how long the reward of a state is earned when it is left: a step, the time that was drawn, or the mean time.
fn length(plan: &PathPlan, walk: &ReferenceSimulator<'_>, stay: &Stay) -> f64 {
    if plan.is_timed() {
        stay.until - walk.now()
    } else if plan.leaves_times_out() {
        1.0 / stay.weight
    } else {
        1.0
    }
}
