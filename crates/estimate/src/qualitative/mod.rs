//! The qualitative oracle: states that decide a measure almost surely, because its target is unreachable, or
//! because a formula of linear temporal logic holds or fails from there on. They are found by exploring small
//! models.
//!
//! The state space is built only if paths turn out to be long: most paths end before it would be ready.

mod product;
mod single;

pub use single::{SinglePathRunner, are_long};

use product::Product;
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use volvelle_control::{Control, Silent};
use volvelle_explore::{ExploreError, Explored, Options, StateTable, explore};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{Const, ExprId, Site};
use volvelle_markov::Predecessors;
use volvelle_model::kernels::Selection;
use volvelle_model::{Label, Layout, Program};
use volvelle_native::Native;
use volvelle_simulate::early_termination::Oracle;
use volvelle_simulate::measure::{Event, Measure, Target, is_undecided};
use volvelle_simulate::path::Plan;
use volvelle_simulate::reference::ReferenceSimulator;
use volvelle_simulate::table::Rows;
use volvelle_space::{BitSet, Space, components};

/// Limit of states of a model explored because its paths are long; this takes some tenths of a second.
const FEW_STATES: u64 = 1 << 17;
/// Limit of states of a model explored because a path decided nothing within the step limit.
const SOME_STATES: u64 = 1 << 20;
/// Most states that are checked for whether paths end there.
const MOST_CHECKED: u32 = 1 << 12;

/// Decides measures in the states of an explored model.
pub struct QualitativeOracle {
    states: Arc<StateIndex>,
    /// For each measure of the plan.
    verdicts: Vec<Option<AlmostSure>>,
}

/// The almost-sure verdicts on a measure.
#[derive(Clone)]
enum AlmostSure {
    /// The states from which the target is unreachable, and the value of the measure there.
    States(Arc<BitSet>, f64),
    /// The product with an automaton, the index of the automaton, and the values if almost no path, or almost
    /// every path, is accepted.
    Pairs(Arc<Product>, usize, [Option<f64>; 2]),
}

/// Looks up the numbers of states.
enum StateIndex {
    /// By the values of their fields.
    Packed {
        layout: Layout,
        states: Box<StateTable>,
        /// Numbers of states in the order of their packed automata.
        order: Vec<u32>,
        /// Number of fields of a state.
        fields: usize,
    },
    /// A path reports the number of its state.
    Numbered,
}

impl StateIndex {
    /// The number of a state, and the states of the automata.
    fn number<'a>(&self, state: &'a [i64]) -> Option<(u32, &'a [i64])> {
        match self {
            StateIndex::Packed { layout, states, order, fields } => {
                let (fields, automata) = state.split_at(*fields);
                let packed = layout.pack(fields);
                let place =
                    order.binary_search_by(|&number| states.get(number as usize).cmp(packed.as_slice()));
                Some((order[place.ok()?], automata))
            }
            StateIndex::Numbered => {
                let (number, automata) = state.split_first()?;
                Some((u32::try_from(*number).ok()?, automata))
            }
        }
    }
}

/// A sufficiently small model: its states, and where conditions hold.
struct Known<'a> {
    space: Cow<'a, Space>,
    labels: Vec<BitSet>,
    index: StateIndex,
}

impl Known<'_> {
    /// Whether a path ends in a state because it is never left.
    fn ends(&self, plan: &Plan, state: usize) -> bool {
        match (&plan.rows, &self.index) {
            (Some(rows), _) => rows.stays(state as u32),
            (None, StateIndex::Packed { layout, states, .. }) => {
                path_ends(plan, layout.unpack(states.get(state)))
            }
            (None, StateIndex::Numbered) => false,
        }
    }
}

impl QualitativeOracle {
    /// Explores the model of a plan whose paths are long. `None` if it is too large, or if no state has a
    /// verdict.
    pub fn for_long_paths(plan: &Plan, control: &Control<'_>) -> Option<QualitativeOracle> {
        plan.measures.iter().find(|measure| may_have_verdicts(plan, measure))?;
        QualitativeOracle::explore(plan, FEW_STATES, control)
    }

    /// Explores the model because a path has not decided some measures. `None` if it is too large, or if no
    /// state has a verdict on them.
    pub fn for_measures(plan: &Plan, measures: &[usize], control: &Control<'_>) -> Option<QualitativeOracle> {
        measures.iter().find(|&&measure| may_have_verdicts(plan, &plan.measures[measure]))?;
        let oracle = QualitativeOracle::explore(plan, SOME_STATES, control)?;
        measures.iter().any(|&measure| oracle.verdicts[measure].is_some()).then_some(oracle)
    }

    fn explore(plan: &Plan, most_states: u64, control: &Control<'_>) -> Option<QualitativeOracle> {
        let mut conditions: Vec<ExprId> = Vec::new();
        // A label for each condition: the points of a curve share theirs.
        let mut known: BTreeMap<ExprId, usize> = BTreeMap::new();
        let mut label = |expr: ExprId| {
            *known.entry(expr).or_insert_with(|| {
                conditions.push(expr);
                conditions.len() - 1
            })
        };
        let questions: Vec<Option<Question>> = plan
            .measures
            .iter()
            .map(|measure| {
                may_have_verdicts(plan, measure).then(|| question(plan, measure, &mut label)).flatten()
            })
            .collect();
        // Without a state space paths are run to their ends.
        let model = match &plan.rows {
            Some(rows) => of_rows(plan, rows, &conditions, most_states)?,
            None => by_exploring(plan, &conditions, most_states, control)?,
        };
        let (space, labels) = (&*model.space, &model.labels);
        let predecessors = Predecessors::new(space);
        let mut hopeless: BTreeMap<(Option<usize>, usize), Option<Arc<BitSet>>> = BTreeMap::new();
        // If paths end by themselves, no verdict is needed.
        let checked = Cell::new(0);
        let ends = |state: usize| {
            let leads_on = |t: &u32| *t as usize != state;
            if space.columns[space.row(state)].iter().any(leads_on) || checked.get() == MOST_CHECKED {
                return false;
            }
            checked.set(checked.get() + 1);
            model.ends(plan, state)
        };
        let verdicts: Vec<Option<AlmostSure>> = questions
            .into_iter()
            .map(|question| match question? {
                Question::States { left, right, value } => {
                    let set = hopeless.entry((left, right)).or_insert_with(|| {
                        let left = left.map(|left| &labels[left]);
                        let set = predecessors.reach(&labels[right], left).complement();
                        let inside =
                            |state| set.contains(state) && left.is_none_or(|left| left.contains(state));
                        goes_on(space, inside, ends).then(|| Arc::new(set))
                    });
                    set.clone().map(|set| AlmostSure::States(set, value))
                }
                Question::Automaton { automaton, conditions, values } => {
                    let letter = |state: usize| {
                        let holds = |&condition: &usize| labels[condition].contains(state);
                        let bits = conditions.iter().enumerate().filter(|(_, condition)| holds(condition));
                        bits.fold(0, |letter, (bit, _)| letter | 1u32 << bit)
                    };
                    let letters: Vec<u32> = (0..space.num_states()).map(letter).collect();
                    let word_of = &plan.automata[automaton];
                    let product = Product::new(space, &letters, word_of, most_states as usize)?;
                    let tells = |accepted: bool| values[usize::from(accepted)].is_some();
                    product
                        .matters(word_of, &letters, tells, ends)
                        .then(|| AlmostSure::Pairs(Arc::new(product), automaton, values))
                }
            })
            .collect();
        if verdicts.iter().all(Option::is_none) {
            return None;
        }
        Some(QualitativeOracle { states: Arc::new(model.index), verdicts })
    }

    /// The oracle for a plan with only some of the measures.
    pub fn only(&self, measures: &[usize]) -> QualitativeOracle {
        let verdicts = measures.iter().map(|&measure| self.verdicts[measure].clone()).collect();
        QualitativeOracle { states: self.states.clone(), verdicts }
    }
}

impl Oracle for QualitativeOracle {
    fn decide(&self, state: &[i64], values: &mut [f64]) {
        let Some((number, automata)) = self.states.number(state) else { return };
        for (value, verdicts) in values.iter_mut().zip(&self.verdicts) {
            if !is_undecided(*value) {
                continue;
            }
            let known = match verdicts {
                Some(AlmostSure::States(set, known)) => set.contains(number as usize).then_some(*known),
                Some(AlmostSure::Pairs(product, automaton, values)) => product
                    .decided(number, automata[*automaton] as u32)
                    .and_then(|accepted| values[usize::from(accepted)]),
                None => None,
            };
            *value = known.unwrap_or(*value);
        }
    }
}

/// A model that is given by its states, unless they are too many.
fn of_rows<'a>(plan: &Plan, rows: &'a Rows, conditions: &[ExprId], most_states: u64) -> Option<Known<'a>> {
    let space = rows.table.space();
    let count = space.num_states();
    // In states whose choice is not resolved, paths must fail; no verdict may end them before.
    if count as u64 > most_states || rows.site.is_some() {
        return None;
    }
    let label = |&condition: &ExprId| {
        let constant = plan.program.exprs.as_const(condition).and_then(Const::as_bool);
        let mut set = BitSet::new(count);
        let holds = |state: &usize| rows.holds(condition, *state).or(constant) == Some(true);
        (0..count).filter(holds).for_each(|state| _ = set.insert(state));
        set
    };
    let labels = conditions.iter().map(label).collect();
    Some(Known { space: Cow::Borrowed(space), labels, index: StateIndex::Numbered })
}

/// Explores a model.
fn by_exploring(
    plan: &Plan,
    conditions: &[ExprId],
    most_states: u64,
    control: &Control<'_>,
) -> Option<Known<'static>> {
    let mut program = plan.program.clone();
    let first = program.labels.len();
    program.labels.extend(conditions.iter().map(|&expr| Label { name: None, expr, origin: None }));
    let observe = Selection { labels: (first..program.labels.len()).collect(), ..Selection::default() };
    let mut control = Control { progress: &Silent, ..*control };
    control.limits.states = Some(control.limits.states.map_or(most_states, |n| n.min(most_states)));
    let options = Options { observe, ..Options::default() };
    let Explored { mut space, states, layout, .. } = explored(&program, &options, &control).ok()?;
    let labels = space.labels.drain(..).skip(first).map(|(_, states)| states).collect();
    let fields = program.fields.len();
    let mut order: Vec<u32> = (0..states.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| states.get(a as usize).cmp(states.get(b as usize)));
    let index = StateIndex::Packed { layout, states: Box::new(states), order, fields };
    Some(Known { space: Cow::Owned(space), labels, index })
}

/// Whether a path ends in a state that it cannot leave. It does not if an enabled command of probability zero
/// would change the state, or if staying earns a reward.
fn path_ends(plan: &Plan, state: Vec<i64>) -> bool {
    let walked = || {
        let mut walk = ReferenceSimulator::begin_in(plan, state);
        let stay = walk.stay()?;
        if stay.for_ever {
            return Ok(true);
        }
        walk.go(&stay)?;
        Ok::<bool, Site>(walk.stay()?.for_ever)
    };
    walked().unwrap_or(false)
}

/// Whether paths of a chain may stay in a set of states forever, without reaching a state in which they end.
fn goes_on(space: &Space, inside: impl Fn(usize) -> bool, ends: impl Fn(usize) -> bool) -> bool {
    let components = components(space.num_states(), |state| space.successors(state), &inside);
    let is_cycle = |component: &[u32]| match component {
        [state] => space.columns[space.row(*state as usize)].contains(state) && !ends(*state as usize),
        _ => true,
    };
    components.iter().any(is_cycle)
}

/// The question about a measure, in terms of labels.
enum Question {
    /// Whether `right` is reachable through `left`; and the value if it is not.
    States { left: Option<usize>, right: usize, value: f64 },
    /// Whether an automaton accepts: its conditions, and the values if it rejects and if it accepts.
    Automaton { automaton: usize, conditions: Vec<usize>, values: [Option<f64>; 2] },
}

/// Whether states may have verdicts on a measure.
fn may_have_verdicts(plan: &Plan, measure: &Measure) -> bool {
    match measure {
        Measure::Indicator { event: Event::Until(..) | Event::Spending(..), .. }
        | Measure::Reach { target: Target::States(_), .. } => true,
        // Almost all paths of a chain visit all states of a bottom component. With a scheduler, it is unknown
        // which states are left.
        Measure::Indicator { event: Event::Automaton(_), .. }
        | Measure::Reach { target: Target::Automaton(_), .. } => plan.scheduler.is_none(),
        _ => false,
    }
}

fn question(plan: &Plan, measure: &Measure, label: &mut impl FnMut(ExprId) -> usize) -> Option<Question> {
    let of = |negated: bool| f64::from(u8::from(negated));
    let never = f64::INFINITY;
    let (automaton, values) = match *measure {
        Measure::Indicator {
            event: Event::Until(left, right, _) | Event::Spending(left, right, _),
            negated,
        } => {
            return Some(Question::States {
                left: Some(label(left)),
                right: label(right),
                value: of(negated),
            });
        }
        Measure::Reach { target: Target::States(target), .. } => {
            return Some(Question::States { left: None, right: label(target), value: never });
        }
        Measure::Indicator { event: Event::Automaton(automaton), negated } => {
            (automaton, [Some(of(negated)), Some(of(!negated))])
        }
        // The reward up to the acceptance of a automaton is not known before.
        Measure::Reach { target: Target::Automaton(automaton), .. } => (automaton, [Some(never), None]),
        _ => return None,
    };
    let conditions = plan.automata[automaton].conditions.iter().map(|&condition| label(condition)).collect();
    Some(Question::Automaton { automaton, conditions, values })
}

/// Explores with native code, or with the interpreter if there is none.
fn explored(program: &Program, options: &Options, control: &Control<'_>) -> Result<Explored, ExploreError> {
    if let Ok(native) = Native::new(volvelle_native::Options::default()) {
        match explore(program, &native, options, control) {
            Err(ExploreError::Compile(_)) => {}
            explored => return explored,
        }
    }
    explore(program, &Interpreter, options, control)
}
