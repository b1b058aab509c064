//! Measures by their definitions, on a path that was written down from beginning to end.

use volvelle_kernel::Site;
use volvelle_model::{ActionId, Kind};
use volvelle_simulate::amounts::Amounts;
use volvelle_simulate::automaton::{ACCEPTS, REJECTS, STATE_BITS};
use volvelle_simulate::measure::{Event, Measure, Target, Window};
use volvelle_simulate::path::Plan;
use volvelle_simulate::reference::ReferenceSimulator;

/// A visit of a state: `entered..left`, in time or steps.
#[derive(Clone, Debug)]
struct Visit {
    entered: f64,
    left: f64,
    rate: f64,
    state: Vec<i64>,
    action: Option<ActionId>,
}

/// A path: its number of steps, and whether its last state is never left.
#[derive(Clone, Debug)]
pub struct Record {
    visits: Vec<Visit>,
    for_ever: bool,
}

impl Record {
    /// Whether its last state is never left.
    pub fn is_for_ever(&self) -> bool {
        self.for_ever
    }
}

/// Walks a number of steps, or to a state that is never left.
pub fn record(plan: &Plan, seed: u64, path: u64, steps: u32) -> Result<Record, Site> {
    let mut walk = ReferenceSimulator::new(plan, seed, path);
    let mut visits: Vec<Visit> = Vec::new();
    let discrete = plan.program.kind() == Kind::Dtmc;
    loop {
        let stay = walk.stay()?;
        let entered = if discrete { f64::from(walk.steps()) } else { walk.now() };
        let left = if discrete && !stay.for_ever { entered + 1.0 } else { stay.until };
        visits.push(Visit { entered, left, rate: stay.weight, state: walk.state().to_vec(), action: None });
        if stay.for_ever || walk.steps() >= steps {
            return Ok(Record { visits, for_ever: stay.for_ever });
        }
        let taken = walk.go(&stay)?;
        visits.last_mut().expect("pushed").action = Some(taken.action);
    }
}

/// The value of a measure; `None` where the path is too short to tell.
pub fn value(plan: &Plan, record: &Record, measure: &Measure) -> Option<f64> {
    match *measure {
        Measure::Indicator { event, negated } => {
            let truth = happens(plan, record, event)?;
            Some(f64::from(u8::from(truth != negated)))
        }
        Measure::Cumulative { structure, until } => {
            let mut sum = 0.0;
            for visit in &record.visits {
                if visit.entered >= until {
                    return Some(sum);
                }
                let end = visit.left.min(until);
                let amount = state_reward(plan, structure, &visit.state);
                if plan.program.kind() == Kind::Dtmc && visit.left < until + 1.0 && visit.left.is_finite() {
                    sum += amount;
                } else if amount != 0.0 {
                    sum += amount * (end - visit.entered);
                }
                if plan.program.kind() == Kind::Ctmc && visit.left >= until {
                    return Some(sum);
                }
                if let Some(action) = visit.action {
                    sum += step_reward(plan, structure, &visit.state, action);
                }
            }
            record.for_ever.then_some(sum)
        }
        Measure::Within { structure, amounts } => {
            let mut spent = vec![0.0; amounts.all().len()];
            let (mut sum, mut last) = (0.0, 0.0);
            for visit in repeated(record) {
                let (amount, action) = (state_reward(plan, structure, &visit.state), visit.action);
                let by_step = action.map_or(0.0, |action| step_reward(plan, structure, &visit.state, action));
                let all = spend(plan, &amounts, &mut spent, visit);
                if all.iter().zip(amounts.all()).any(|(&spent, amount)| spent > amount.upper) {
                    return Some(sum);
                }
                sum += amount;
                sum += by_step;
                last = amount + by_step;
            }
            record.for_ever.then_some(if last == 0.0 { sum } else { sum + f64::INFINITY.copysign(last) })
        }
        Measure::Instantaneous { structure, at } => {
            let visit = record.visits.iter().find(|v| v.entered <= at && at < v.left)?;
            Some(state_reward(plan, structure, &visit.state))
        }
        Measure::Reach { structure, target } => {
            let (mut sum, mut at) = (0.0, 0);
            for visit in &record.visits {
                match target {
                    Target::States(target) if truth(plan, target, &visit.state) => return Some(sum),
                    Target::States(_) => {}
                    Target::Automaton(automaton) => match read(plan, automaton, &mut at, &visit.state) {
                        ACCEPTS => return Some(sum),
                        REJECTS => return Some(f64::INFINITY),
                        _ => {}
                    },
                }
                let amount = structure.map_or(1.0, |s| state_reward(plan, s, &visit.state));
                if plan.program.kind() == Kind::Dtmc {
                    sum += amount;
                } else if amount != 0.0 {
                    sum +=
                        amount / if visit.left.is_infinite() && visit.rate == 0.0 { 1.0 } else { visit.rate };
                }
                if let (Some(action), Some(structure)) = (visit.action, structure) {
                    sum += step_reward(plan, structure, &visit.state, action);
                }
            }
            if let (Target::Automaton(automaton), Some(last), true) =
                (target, record.visits.last(), record.for_ever)
            {
                // The letter of the last state again and again, with what is earned in between.
                for times in 0..1000 {
                    match read(plan, automaton, &mut at, &last.state) {
                        ACCEPTS => {
                            let reward = structure.map_or(1.0, |s| state_reward(plan, s, &last.state));
                            return Some(sum + reward * f64::from(times));
                        }
                        REJECTS => return Some(f64::INFINITY),
                        _ => {}
                    }
                }
            }
            record.for_ever.then_some(f64::INFINITY)
        }
    }
}

/// The visits of a record; the last again and again where it is never left.
fn repeated(record: &Record) -> impl Iterator<Item = &Visit> {
    let more = if record.for_ever { 200 } else { 0 };
    record.visits.iter().chain(record.visits.last().into_iter().cycle().take(more))
}

/// Adds what a visit and the step out of it spend.
fn spend(plan: &Plan, amounts: &Amounts, spent: &mut [f64], visit: &Visit) -> Vec<f64> {
    for (amount, spent) in amounts.all().iter().zip(spent.iter_mut()) {
        let Some(structure) = amount.structure else {
            *spent += 1.0;
            continue;
        };
        *spent += state_reward(plan, structure, &visit.state);
        *spent += visit.action.map_or(0.0, |action| step_reward(plan, structure, &visit.state, action));
    }
    spent.to_vec()
}

/// Reads a letter, step by step.
fn read(plan: &Plan, automaton: usize, at: &mut u32, state: &[i64]) -> u32 {
    let automaton = &plan.automata[automaton];
    let bit =
        |(i, &condition): (usize, &volvelle_kernel::ExprId)| usize::from(truth(plan, condition, state)) << i;
    let letter: usize = automaton.conditions.iter().enumerate().map(bit).sum();
    let entry = automaton.steps[*at as usize * automaton.letters() + letter];
    *at = entry & ((1 << STATE_BITS) - 1);
    entry >> STATE_BITS
}

fn happens(plan: &Plan, record: &Record, event: Event) -> Option<bool> {
    match event {
        Event::Now(condition) => Some(truth(plan, condition, &record.visits[0].state)),
        Event::Next(condition, window) => {
            let visit = match record.visits.get(1) {
                Some(visit) => visit.clone(),
                // A state that is never left is its own successor.
                None if record.for_ever && window == (Window { lower: 0.0, upper: None }) => {
                    record.visits[0].clone()
                }
                None if record.for_ever && plan.program.kind() == Kind::Dtmc => {
                    Visit { entered: 1.0, ..record.visits[0].clone() }
                }
                None => return None,
            };
            let within = window.lower <= visit.entered && window.upper.is_none_or(|u| visit.entered <= u);
            Some(within && truth(plan, condition, &visit.state))
        }
        Event::Automaton(automaton) => {
            let mut at = 0;
            for visit in &record.visits {
                match read(plan, automaton, &mut at, &visit.state) {
                    ACCEPTS => return Some(true),
                    REJECTS => return Some(false),
                    _ => {}
                }
            }
            let last = record.visits.last().filter(|_| record.for_ever)?;
            let automaton = &plan.automata[automaton];
            let bits = automaton.conditions.iter().enumerate();
            let letter: usize = bits.map(|(i, &c)| usize::from(truth(plan, c, &last.state)) << i).sum();
            Some(automaton.for_ever[at as usize * automaton.letters() + letter] != 0)
        }
        Event::Spending(left, right, amounts) => {
            let mut spent = vec![0.0; amounts.all().len()];
            for visit in repeated(record) {
                let mut sums = amounts.all().iter().zip(&spent);
                if sums.clone().any(|(amount, &spent)| spent > amount.upper) {
                    return Some(false);
                }
                if sums.all(|(amount, &spent)| spent >= amount.lower) && truth(plan, right, &visit.state) {
                    return Some(true);
                }
                if !truth(plan, left, &visit.state) {
                    return Some(false);
                }
                spend(plan, &amounts, &mut spent, visit);
            }
            record.for_ever.then_some(false)
        }
        Event::Until(left, right, window) => {
            let upper = window.upper.unwrap_or(f64::INFINITY);
            for visit in &record.visits {
                if visit.entered > upper {
                    return Some(false);
                }
                let (left_holds, right_holds) =
                    (truth(plan, left, &visit.state), truth(plan, right, &visit.state));
                // The first moment of the visit that counts.
                let first = visit.entered.max(window.lower);
                if first < visit.left && right_holds && (first == visit.entered || left_holds) {
                    return Some(true);
                }
                if !left_holds {
                    return Some(false);
                }
                let beyond = if plan.program.kind() == Kind::Ctmc {
                    visit.left > upper
                } else {
                    visit.left >= upper + 1.0
                };
                if beyond {
                    return Some(false);
                }
            }
            record.for_ever.then_some(false)
        }
    }
}

fn evaluate(plan: &Plan, expr: volvelle_kernel::ExprId, state: &[i64]) -> volvelle_kernel::Const {
    use volvelle_kernel::Const;
    use volvelle_model::Domain;
    let locals: Vec<Const> = plan
        .program
        .fields
        .iter()
        .zip(state)
        .map(|(f, &v)| if f.domain == Domain::Bool { Const::bool(v != 0) } else { Const::i64(v) })
        .collect();
    volvelle_kernel::interp::eval(&plan.program.exprs, expr, &locals).expect("does not fail")
}

fn truth(plan: &Plan, expr: volvelle_kernel::ExprId, state: &[i64]) -> bool {
    evaluate(plan, expr, state).as_bool().expect("a condition")
}

fn state_reward(plan: &Plan, structure: usize, state: &[i64]) -> f64 {
    let items = plan.program.rewards[structure].states.iter();
    let items = items.filter(|item| truth(plan, item.guard, state));
    items.map(|item| evaluate(plan, item.value, state).as_f64().expect("a number")).fold(0.0, |a, b| a + b)
}

fn step_reward(plan: &Plan, structure: usize, state: &[i64], action: ActionId) -> f64 {
    let items = plan.program.rewards[structure].transitions.iter().filter(|item| item.action == action);
    let items = items.filter(|item| truth(plan, item.guard, state));
    items.map(|item| evaluate(plan, item.value, state).as_f64().expect("a number")).fold(0.0, |a, b| a + b)
}
