//! States from which the target of a property is out of reach, found by exploring models that are small.
//!
//! Only where paths turn out to be long: most paths end before a state space is built.

use super::settings::Sampling;
use crate::engine;
use std::sync::{Arc, OnceLock};
use volvelle_control::{Control, Silent};
use volvelle_explore::{Explored, Options, StateTable};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{Compiler, ExprId};
use volvelle_markov::Predecessors;
use volvelle_model::kernels::Selection;
use volvelle_model::{Label, Layout};
use volvelle_simulate::engine::Engine;
use volvelle_simulate::foresight::Oracle;
use volvelle_simulate::measure::{Event, Measure, Target};
use volvelle_simulate::path::{Plan, is_undecided};
use volvelle_simulate::runner::{Paths, Runner};
use volvelle_simulate::sample::Alone;
use volvelle_space::BitSet;

/// Paths that are tried, to see whether they are long.
const TRIED: u64 = 64;
/// Steps with which a path is long.
const LONG: u32 = 1024;
/// States of a model that is explored because paths are long: some tenths of a second.
const FEW_STATES: u64 = 1 << 17;
/// States of a model that is explored because a path has decided nothing in the end.
const SOME_STATES: u64 = 1 << 22;

/// Whether paths are long: some of the first are. Then somebody is needed who runs a path alone, and looks where it is.
pub(super) fn are_long(engine: &dyn Engine, sampling: &Sampling) -> bool {
    let mut paths = Paths::default();
    let limit = LONG.min(sampling.max_steps);
    // Failures are told when they are met again.
    let ran = engine.run(sampling.seed, 0..TRIED, limit, &mut paths).is_ok();
    ran && paths.given_up().is_some()
}

/// What runs a path alone, and tells where it ends: made when it is first asked for.
pub(super) struct Single<'a> {
    plan: &'a Plan,
    made: OnceLock<Option<Runner>>,
}

impl<'a> Single<'a> {
    pub fn new(plan: &'a Plan) -> Self {
        Single { plan, made: OnceLock::new() }
    }
}

impl Alone for Single<'_> {
    fn runner(&self) -> Option<&Runner> {
        let make = || {
            let native = engine::native(engine::Tier::Auto);
            let compiler: &dyn Compiler = native.as_ref().map_or(&Interpreter, |native| native);
            Runner::whereabouts(self.plan, compiler).ok()
        };
        self.made.get_or_init(make).as_ref()
    }
}

/// What states promise.
pub(super) struct Prospects {
    space: Arc<Looked>,
    /// For each measure of the plan the states from which it can no longer become true, or its target be reached; and its value there.
    hopeless: Vec<Option<(Arc<BitSet>, f64)>>,
}

/// States, to be looked up.
struct Looked {
    layout: Layout,
    states: StateTable,
    /// Numbers of states in the order of their packed words.
    order: Vec<u32>,
}

impl Prospects {
    /// For a plan whose paths are long: explores the model if it is small enough. `None` if it is not, or nothing is hopeless.
    pub fn for_long_paths(plan: &Plan, control: &Control<'_>) -> Option<Prospects> {
        plan.measures.iter().find_map(conditions)?;
        Prospects::explore(plan, FEW_STATES, control)
    }

    /// Explores the model because a path has not decided a measure; `None` if it is large, or the measure hopeless nowhere.
    pub fn for_measures(plan: &Plan, measures: &[usize], control: &Control<'_>) -> Option<Prospects> {
        measures.iter().find(|&&measure| conditions(&plan.measures[measure]).is_some())?;
        let prospects = Prospects::explore(plan, SOME_STATES, control)?;
        measures.iter().any(|&measure| prospects.hopeless[measure].is_some()).then_some(prospects)
    }

    fn explore(plan: &Plan, most_states: u64, control: &Control<'_>) -> Option<Prospects> {
        let mut program = plan.program.clone();
        let mut labels = Vec::new();
        let mut label = |expr: ExprId| {
            program.labels.push(Label { name: None, expr });
            labels.push(program.labels.len() - 1);
            program.labels.len() - 1
        };
        let wanted: Vec<Option<(Option<usize>, usize, f64)>> = plan
            .measures
            .iter()
            .map(|measure| {
                let (left, right, value) = conditions(measure)?;
                Some((left.map(&mut label), label(right), value))
            })
            .collect();
        let observe = Selection { labels, ..Selection::default() };
        let mut control = Control { progress: &Silent, ..*control };
        control.limits.states = Some(control.limits.states.map_or(most_states, |n| n.min(most_states)));
        let options = Options { observe, reusable: false };
        // Why it does not work does not matter: paths are what was asked for.
        let Explored { space, states, layout, .. } =
            engine::run(&program, engine::Tier::Auto, &options, &control).0.ok()?;
        let predecessors = Predecessors::new(&space);
        let hopeless: Vec<_> = wanted
            .iter()
            .map(|&wanted| {
                let (left, right, value) = wanted?;
                let left = left.map(|left| &space.labels[left].1);
                let set = predecessors.reach(&space.labels[right].1, left).complement();
                (set.count() > 0).then(|| (Arc::new(set), value))
            })
            .collect();
        if hopeless.iter().all(Option::is_none) {
            return None;
        }
        let mut order: Vec<u32> = (0..states.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| states.get(a as usize).cmp(states.get(b as usize)));
        Some(Prospects { space: Arc::new(Looked { layout, states, order }), hopeless })
    }

    /// For a plan with only some of the measures.
    pub fn only(&self, measures: &[usize]) -> Prospects {
        let hopeless = measures.iter().map(|&measure| self.hopeless[measure].clone()).collect();
        Prospects { space: self.space.clone(), hopeless }
    }
}

impl Oracle for Prospects {
    fn decide(&self, state: &[i64], values: &mut [f64]) {
        let Looked { layout, states, order } = &*self.space;
        let packed = layout.pack(state);
        let place = order.binary_search_by(|&number| states.get(number as usize).cmp(packed.as_slice()));
        let Ok(place) = place else { return };
        let number = order[place] as usize;
        for (value, hopeless) in values.iter_mut().zip(&self.hopeless) {
            if let Some((set, decided)) = hopeless
                && is_undecided(*value)
                && set.contains(number)
            {
                *value = *decided;
            }
        }
    }
}

/// For a measure that a state may make hopeless: what has to hold until what holds, and its value where that never happens.
fn conditions(measure: &Measure) -> Option<(Option<ExprId>, ExprId, f64)> {
    match *measure {
        Measure::Indicator { event: Event::Until(left, right, _), negated } => {
            Some((Some(left), right, f64::from(u8::from(negated))))
        }
        Measure::Reach { target: Target::States(target), .. } => Some((None, target, f64::INFINITY)),
        _ => None,
    }
}
