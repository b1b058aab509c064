//! What is certain of the paths from a state: that the target of a property is out of reach, that a formula of linear temporal
//! logic is true or false. Found by exploring models that are small.
//!
//! Only where paths turn out to be long: most paths end before a state space is built.

mod product;

use super::settings::Sampling;
use crate::engine;
use product::Product;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use volvelle_control::{Control, Silent};
use volvelle_explore::{Explored, Options, StateTable};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{Compiler, ExprId, Site};
use volvelle_markov::Predecessors;
use volvelle_model::kernels::Selection;
use volvelle_model::{Label, Layout};
use volvelle_simulate::engine::Engine;
use volvelle_simulate::foresight::{Foresight, Oracle};
use volvelle_simulate::measure::{Event, Measure, Target};
use volvelle_simulate::path::{Plan, is_undecided};
use volvelle_simulate::runner::{Paths, Runner};
use volvelle_simulate::sample::Alone;
use volvelle_simulate::walk::Walk;
use volvelle_space::{BitSet, Space, components};

/// Paths that are tried, to see whether they are long.
const TRIED: u64 = 64;
/// Steps with which a path is long.
const LONG: u32 = 1024;
/// States of a model that is explored because paths are long: some tenths of a second.
const FEW_STATES: u64 = 1 << 17;
/// States of a model that is explored because a path has decided nothing in the end.
const SOME_STATES: u64 = 1 << 20;
/// States of which it is asked whether paths end there.
const MOST_ASKED: u32 = 1 << 12;

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

    /// Looks ahead for paths, where there is something to be seen.
    pub fn looking_at<'b>(&'b self, prospects: Option<&'b Prospects>) -> Option<Foresight<'b>> {
        prospects.and_then(|prospects| Some(Foresight::new(prospects, self.runner()?)))
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
    /// For each measure of the plan.
    certain: Vec<Option<Certain>>,
}

/// What is certain of a measure.
#[derive(Clone)]
enum Certain {
    /// In these states its condition can no longer be reached; its value there.
    States(Arc<BitSet>, f64),
    /// With an automaton: its place among the words, and the values where a path is not accepted, and where it is.
    Pairs(Arc<Product>, usize, [Option<f64>; 2]),
}

/// States, to be looked up.
struct Looked {
    layout: Layout,
    states: StateTable,
    /// Numbers of states in the order of their packed words.
    order: Vec<u32>,
    /// How many fields a state has.
    fields: usize,
}

impl Prospects {
    /// For a plan whose paths are long: explores the model if it is small enough. `None` if it is not, or nothing is certain.
    pub fn for_long_paths(plan: &Plan, control: &Control<'_>) -> Option<Prospects> {
        plan.measures.iter().find(|measure| may_be_certain(plan, measure))?;
        Prospects::explore(plan, FEW_STATES, control)
    }

    /// Explores the model because a path has not decided some measures; `None` if it is large, or nothing certain of them anywhere.
    pub fn for_measures(plan: &Plan, measures: &[usize], control: &Control<'_>) -> Option<Prospects> {
        measures.iter().find(|&&measure| may_be_certain(plan, &plan.measures[measure]))?;
        let prospects = Prospects::explore(plan, SOME_STATES, control)?;
        measures.iter().any(|&measure| prospects.certain[measure].is_some()).then_some(prospects)
    }

    fn explore(plan: &Plan, most_states: u64, control: &Control<'_>) -> Option<Prospects> {
        let mut program = plan.program.clone();
        let mut labels: Vec<usize> = Vec::new();
        // A label for each condition, which the points of a curve have in common.
        let mut known: BTreeMap<ExprId, usize> = BTreeMap::new();
        let mut label = |expr: ExprId| {
            *known.entry(expr).or_insert_with(|| {
                program.labels.push(Label { name: None, expr });
                labels.push(program.labels.len() - 1);
                program.labels.len() - 1
            })
        };
        let wanted: Vec<Option<Wanted>> = plan
            .measures
            .iter()
            .map(|measure| may_be_certain(plan, measure).then(|| wanted(plan, measure, &mut label)).flatten())
            .collect();
        let observe = Selection { labels, ..Selection::default() };
        let mut control = Control { progress: &Silent, ..*control };
        control.limits.states = Some(control.limits.states.map_or(most_states, |n| n.min(most_states)));
        let options = Options { observe, reusable: false };
        // Why it does not work does not matter: paths are what was asked for.
        let Explored { space, states, layout, .. } =
            engine::run(&program, engine::Tier::Auto, &options, &control).0.ok()?;
        let predecessors = Predecessors::new(&space);
        let mut hopeless: BTreeMap<(Option<usize>, usize), Option<Arc<BitSet>>> = BTreeMap::new();
        // Where paths end by themselves, nobody has to look at them.
        let asked = Cell::new(0);
        let ends = |state: usize| {
            let leads_on = |t: &u32| *t as usize != state;
            if space.columns[space.row(state)].iter().any(leads_on) || asked.get() == MOST_ASKED {
                return false;
            }
            asked.set(asked.get() + 1);
            path_ends(plan, layout.unpack(states.get(state)))
        };
        let certain: Vec<Option<Certain>> = wanted
            .into_iter()
            .map(|wanted| match wanted? {
                Wanted::States { left, right, value } => {
                    let set = hopeless.entry((left, right)).or_insert_with(|| {
                        let left = left.map(|left| &space.labels[left].1);
                        let set = predecessors.reach(&space.labels[right].1, left).complement();
                        let inside =
                            |state| set.contains(state) && left.is_none_or(|left| left.contains(state));
                        goes_on(&space, inside, ends).then(|| Arc::new(set))
                    });
                    set.clone().map(|set| Certain::States(set, value))
                }
                Wanted::Word { word, conditions, values } => {
                    let letter = |state: usize| {
                        let holds = |&condition: &usize| space.labels[condition].1.contains(state);
                        let bits = conditions.iter().enumerate().filter(|(_, condition)| holds(condition));
                        bits.fold(0, |letter, (bit, _)| letter | 1u32 << bit)
                    };
                    let letters: Vec<u32> = (0..space.num_states()).map(letter).collect();
                    let word_of = &plan.words[word];
                    let product = Product::new(&space, &letters, word_of, most_states as usize)?;
                    let tells = |accepted: bool| values[usize::from(accepted)].is_some();
                    product
                        .matters(word_of, &letters, tells, ends)
                        .then(|| Certain::Pairs(Arc::new(product), word, values))
                }
            })
            .collect();
        if certain.iter().all(Option::is_none) {
            return None;
        }
        let fields = program.fields.len();
        let mut order: Vec<u32> = (0..states.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| states.get(a as usize).cmp(states.get(b as usize)));
        Some(Prospects { space: Arc::new(Looked { layout, states, order, fields }), certain })
    }

    /// For a plan with only some of the measures.
    pub fn only(&self, measures: &[usize]) -> Prospects {
        let certain = measures.iter().map(|&measure| self.certain[measure].clone()).collect();
        Prospects { space: self.space.clone(), certain }
    }
}

impl Oracle for Prospects {
    fn decide(&self, state: &[i64], values: &mut [f64]) {
        let Looked { layout, states, order, fields } = &*self.space;
        let (fields, automata) = state.split_at(*fields);
        let packed = layout.pack(fields);
        let place = order.binary_search_by(|&number| states.get(number as usize).cmp(packed.as_slice()));
        let Ok(place) = place else { return };
        let number = order[place];
        for (value, certain) in values.iter_mut().zip(&self.certain) {
            if !is_undecided(*value) {
                continue;
            }
            let known = match certain {
                Some(Certain::States(set, known)) => set.contains(number as usize).then_some(*known),
                Some(Certain::Pairs(product, word, values)) => product
                    .decided(number, automata[*word] as u32)
                    .and_then(|accepted| values[usize::from(accepted)]),
                None => None,
            };
            *value = known.unwrap_or(*value);
        }
    }
}

/// Whether a path ends in a state that it cannot leave: not where something that is enabled would change it, if it had not the
/// probability zero, and not where staying earns something.
fn path_ends(plan: &Plan, state: Vec<i64>) -> bool {
    let walked = || {
        let mut walk = Walk::begin_in(plan, state);
        let stay = walk.stay()?;
        if stay.for_ever {
            return Ok(true);
        }
        walk.go(&stay)?;
        Ok::<bool, Site>(walk.stay()?.for_ever)
    };
    walked().unwrap_or(false)
}

/// Whether paths of a chain may go on for ever in a set of states, without coming to where they end.
fn goes_on(space: &Space, inside: impl Fn(usize) -> bool, ends: impl Fn(usize) -> bool) -> bool {
    let components = components(space.num_states(), |state| space.successors(state), &inside);
    let is_cycle = |component: &[u32]| match component {
        [state] => space.columns[space.row(*state as usize)].contains(state) && !ends(*state as usize),
        _ => true,
    };
    components.iter().any(is_cycle)
}

/// What has to be known of states, by labels.
enum Wanted {
    /// What has to hold until what holds, and the value where that never happens.
    States { left: Option<usize>, right: usize, value: f64 },
    /// The conditions of an automaton, and the values where it does not accept, and where it does.
    Word { word: usize, conditions: Vec<usize>, values: [Option<f64>; 2] },
}

/// Whether states may be certain of a measure.
fn may_be_certain(plan: &Plan, measure: &Measure) -> bool {
    match measure {
        Measure::Indicator { event: Event::Until(..), .. }
        | Measure::Reach { target: Target::States(_), .. } => true,
        // Almost all paths of a chain see all of a bottom component. What a scheduler leaves of one is not known.
        Measure::Indicator { event: Event::Word(_), .. } | Measure::Reach { target: Target::Word(_), .. } => {
            plan.scheduler.is_none()
        }
        _ => false,
    }
}

fn wanted(plan: &Plan, measure: &Measure, label: &mut impl FnMut(ExprId) -> usize) -> Option<Wanted> {
    let of = |negated: bool| f64::from(u8::from(negated));
    let never = f64::INFINITY;
    let (word, values) = match *measure {
        Measure::Indicator { event: Event::Until(left, right, _), negated } => {
            return Some(Wanted::States { left: Some(label(left)), right: label(right), value: of(negated) });
        }
        Measure::Reach { target: Target::States(target), .. } => {
            return Some(Wanted::States { left: None, right: label(target), value: never });
        }
        Measure::Indicator { event: Event::Word(word), negated } => {
            (word, [Some(of(negated)), Some(of(!negated))])
        }
        // What is earned on the way to a word that will be accepted is not known yet.
        Measure::Reach { target: Target::Word(word), .. } => (word, [Some(never), None]),
        _ => return None,
    };
    let conditions = plan.words[word].conditions.iter().map(|&condition| label(condition)).collect();
    Some(Wanted::Word { word, conditions, values })
}
