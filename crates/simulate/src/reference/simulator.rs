//! One path, step by step, in a slow and direct way: the definition of a path. It serves traces, simulations
//! whose steps the user chooses, and tests of compiled paths.
//!
//! Expressions are evaluated by the reference interpreter on the program itself; random numbers come from the
//! plain streams.

use crate::path::Plan;
use crate::table::{Earns, Rows};
use crate::weights::{Arithmetic, Weights};
use volvelle_kernel::interp::{EvalError, Evaluator};
use volvelle_kernel::{Const, ExprId, Site};
use volvelle_model::{ActionId, Assignment, Domain, Kind, RowSum};
use volvelle_streams::plain::PlainStream;

/// A walk along a path.
pub struct ReferenceSimulator<'p> {
    plan: &'p Plan,
    stream: PlainStream,
    state: Vec<i64>,
    /// The number of the state, in an explicit model.
    row: u32,
    locals: Vec<Const>,
    steps: u32,
    now: f64,
    absorbed: bool,
    evaluator: Evaluator,
}

impl Clone for ReferenceSimulator<'_> {
    /// A copy that continues independently. It does not copy the evaluator's memory, so many copies take
    /// little room.
    fn clone(&self) -> Self {
        ReferenceSimulator {
            plan: self.plan,
            stream: self.stream.clone(),
            state: self.state.clone(),
            row: self.row,
            locals: self.locals.clone(),
            steps: self.steps,
            now: self.now,
            absorbed: self.absorbed,
            evaluator: Evaluator::new(),
        }
    }
}

/// How long a path stays in a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stay {
    /// When the state is left, if time is drawn; infinite if it never is.
    pub until: f64,
    /// Total weight of the enabled steps: the exit rate in continuous time, else the number of choices.
    pub weight: f64,
    /// Whether the state is never left.
    pub for_ever: bool,
}

/// A step that was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    /// Index of the combination; in an explicit model, of the transition.
    pub combination: usize,
    /// Index of the branch of each of its stages.
    pub branches: Vec<usize>,
    /// The action of the step.
    pub action: ActionId,
}

/// A sum of weights, in their arithmetic.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sum {
    Exact(i64),
    Float(f64),
}

impl Sum {
    fn is_zero(self) -> bool {
        matches!(self, Sum::Exact(0)) || self == Sum::Float(0.0)
    }

    fn to_f64(self) -> f64 {
        match self {
            Sum::Exact(sum) => sum as f64,
            Sum::Float(sum) => sum,
        }
    }
}

/// The weights with these partial sums, times `unit`.
fn differences(sums: &[Sum], unit: f64) -> Vec<f64> {
    let mut before = Sum::Exact(0);
    let mut difference = |sum: Sum| {
        let weight = match (sum, before) {
            (Sum::Exact(sum), Sum::Exact(before)) => (sum - before) as f64,
            (sum, before) => sum.to_f64() - before.to_f64(),
        };
        before = sum;
        weight * unit
    };
    sums.iter().map(|&sum| difference(sum)).collect()
}

impl<'p> ReferenceSimulator<'p> {
    /// A path from its beginning.
    pub fn new(plan: &'p Plan, seed: u64, path: u64) -> Self {
        let stream = PlainStream::new(plan.generator, seed, path);
        ReferenceSimulator::resume(plan, stream, plan.initial.clone(), 0, 0.0)
    }

    /// A path that begins in a state, with any numbers.
    pub fn begin_in(plan: &'p Plan, state: Vec<i64>) -> Self {
        ReferenceSimulator::resume(plan, PlainStream::new(plan.generator, 0, 0), state, 0, 0.0)
    }

    /// A path that continues from a state, entered at a time after a number of steps, with the given stream.
    pub fn resume(plan: &'p Plan, stream: PlainStream, state: Vec<i64>, steps: u32, now: f64) -> Self {
        let mut walk = ReferenceSimulator {
            plan,
            stream,
            state,
            row: plan.rows.as_ref().map_or(0, |rows| rows.initial),
            locals: Vec::new(),
            steps,
            now,
            absorbed: false,
            evaluator: Evaluator::new(),
        };
        walk.load();
        walk
    }

    /// Values of the fields.
    pub fn state(&self) -> &[i64] {
        &self.state
    }

    /// Steps so far.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// When the state was entered, if time is drawn.
    pub fn now(&self) -> f64 {
        self.now
    }

    fn load(&mut self) {
        let fields = self.plan.program.fields.iter().zip(&self.state);
        self.locals = fields
            .map(|(field, &value)| match field.domain {
                Domain::Bool => Const::bool(value != 0),
                _ => Const::i64(value),
            })
            .collect();
    }

    /// The value of an expression of the program in the state.
    pub fn value(&mut self, expr: ExprId) -> Result<Const, Site> {
        self.evaluator.eval(&self.plan.program.exprs, expr, &self.locals).map_err(|error| match error {
            EvalError::Failed(site) => site,
            other => panic!("expressions of programs read fields only: {other}"),
        })
    }

    /// The value of a condition.
    pub fn holds(&mut self, expr: ExprId) -> Result<bool, Site> {
        Ok(self.value(expr)?.as_bool() == Some(true))
    }

    /// The value of a number.
    pub fn number(&mut self, expr: ExprId) -> Result<f64, Site> {
        let value = self.value(expr)?;
        Ok(value.as_f64().or(value.as_i64().map(|v| v as f64)).unwrap_or(f64::NAN))
    }

    fn add_up(&mut self, guards: Option<usize>, weights: &Weights) -> Result<Vec<Sum>, Site> {
        let mut sums = Vec::with_capacity(weights.values.len());
        let mut sum = if weights.arithmetic == Arithmetic::Float { Sum::Float(0.0) } else { Sum::Exact(0) };
        for (i, &weight) in weights.values.iter().enumerate() {
            let mut enabled = true;
            if guards.is_some() {
                for guard in &self.plan.combinations[i].guards {
                    enabled = enabled && self.holds(*guard)?;
                }
            }
            if enabled {
                let value = self.value(weight)?;
                sum = match sum {
                    Sum::Exact(sum) => Sum::Exact(sum + value.as_i64().unwrap_or(0)),
                    Sum::Float(sum) => Sum::Float(sum + value.as_f64().unwrap_or(f64::NAN)),
                };
            }
            sums.push(sum);
        }
        Ok(sums)
    }

    /// The weights of the combinations, added up.
    fn sums(&mut self) -> Result<Vec<Sum>, Site> {
        let plan = self.plan;
        self.add_up(Some(0), &plan.weights)
    }

    /// The weight of every combination; zero if it is not enabled.
    pub fn weights(&mut self) -> Result<Vec<f64>, Site> {
        let sums = self.sums()?;
        Ok(differences(&sums, self.plan.weights.unit))
    }

    /// The enabled combinations with their weights; in an explicit model, the transitions.
    pub fn enabled(&mut self) -> Result<Vec<(usize, f64)>, Site> {
        if let Some(rows) = &self.plan.rows {
            if let Some(site) = rows.site.filter(|_| rows.is_undecided(self.row)) {
                return Err(site);
            }
            let row = rows.table.row(self.row);
            return Ok(row.map(|transition| (transition, rows.table.weight(transition))).collect());
        }
        Ok(self.weights()?.into_iter().enumerate().filter(|&(_, weight)| weight > 0.0).collect())
    }

    /// The probability of every branch of a stage of an enabled combination.
    pub fn branch_weights(&mut self, combination: usize, stage: usize) -> Result<Vec<f64>, Site> {
        let plan = self.plan;
        let Some(weights) = &plan.stage_weights[combination][stage] else { return Ok(vec![1.0]) };
        let sums = self.add_up(None, weights)?;
        Ok(differences(&sums, weights.unit))
    }

    /// The reward of the state, per step or unit of time: the sum of the items whose guards hold.
    pub fn state_reward(&mut self, structure: usize) -> Result<f64, Site> {
        let plan = self.plan;
        if let Some(rows) = &plan.rows {
            return Ok(rows.table.reward(structure, Earns::State, self.row));
        }
        let items = plan.program.rewards[structure].states.iter();
        self.sum_of_rewards(items.map(|item| (item.guard, item.value, item.site)), f64::NEG_INFINITY)
    }

    /// The reward of staying in the state, if it is spent; it must not be negative.
    pub fn spent_by_staying(&mut self, structure: usize) -> Result<f64, Site> {
        let plan = self.plan;
        if plan.rows.is_some() {
            return self.reward_of_stay(structure);
        }
        let items = plan.program.rewards[structure].states.iter();
        self.sum_of_rewards(items.map(|item| (item.guard, item.value, item.site)), 0.0)
    }

    /// The reward of a step with an action, if it is spent; it must not be negative.
    pub fn spent_by_step(&mut self, structure: usize, action: ActionId) -> Result<f64, Site> {
        let plan = self.plan;
        let items = plan.program.rewards[structure].transitions.iter().filter(|item| item.action == action);
        self.sum_of_rewards(items.map(|item| (item.guard, item.value, item.site)), 0.0)
    }

    /// The reward of staying in the state, per step or unit of time. In a table it includes that of the steps
    /// out of the state.
    pub fn reward_of_stay(&mut self, structure: usize) -> Result<f64, Site> {
        match &self.plan.rows {
            Some(rows) => Ok(rows.table.reward(structure, Earns::Stay, self.row)),
            None => self.state_reward(structure),
        }
    }

    /// The reward of a step with an action out of the state.
    pub fn transition_reward(&mut self, structure: usize, action: ActionId) -> Result<f64, Site> {
        let plan = self.plan;
        let items = plan.program.rewards[structure].transitions.iter().filter(|item| item.action == action);
        self.sum_of_rewards(items.map(|item| (item.guard, item.value, item.site)), f64::NEG_INFINITY)
    }

    fn sum_of_rewards(
        &mut self,
        items: impl Iterator<Item = (ExprId, ExprId, Site)>,
        least: f64,
    ) -> Result<f64, Site> {
        let mut sum = 0.0;
        for (guard, value, site) in items {
            if self.holds(guard)? {
                let value = self.number(value)?;
                if !(value.is_finite() && value >= least) {
                    return Err(site);
                }
                sum += value;
            }
        }
        Ok(sum)
    }

    /// How long the path stays in the state; draws the holding time if time matters.
    pub fn stay(&mut self) -> Result<Stay, Site> {
        if let Some(rows) = &self.plan.rows {
            return Ok(self.stay_in_row(rows));
        }
        let total = self.sums()?.last().copied();
        let spends = self.absorbed && self.plan.spends.map_or(Ok(false), |spends| self.holds(spends))?;
        let for_ever = self.absorbed && !spends || total.is_none_or(Sum::is_zero);
        let weight = total.map_or(0.0, Sum::to_f64) * self.plan.weights.unit;
        let until = if !self.plan.clock || for_ever {
            f64::INFINITY
        } else {
            let rate = total.map_or(0.0, Sum::to_f64);
            let rate = if self.plan.weights.unit == 1.0 { rate } else { rate * self.plan.weights.unit };
            self.now + self.stream.exponential() / rate
        };
        Ok(Stay { until, weight, for_ever })
    }

    fn stay_in_row(&mut self, rows: &Rows) -> Stay {
        let for_ever = rows.stays(self.row);
        let rate = rows.table.rate(self.row);
        let weight = if rows.table.is_deadlock(self.row) { 0.0 } else { rate };
        let until = if !self.plan.clock || for_ever {
            f64::INFINITY
        } else {
            self.now + self.stream.exponential() / rate
        };
        Stay { until, weight, for_ever }
    }

    /// Draws a variate of the exponential distribution with mean one.
    pub fn exponential(&mut self) -> f64 {
        self.stream.exponential()
    }

    /// Takes a step out of a state that is not stayed in forever.
    pub fn go(&mut self, stay: &Stay) -> Result<Taken, Site> {
        let combination = self.draw()?;
        self.take(combination, None, stay)
    }

    /// Draws the combination of the next step.
    pub fn draw(&mut self) -> Result<usize, Site> {
        if let Some(rows) = &self.plan.rows {
            return match rows.site.filter(|_| rows.is_undecided(self.row)) {
                Some(site) => Err(site),
                None => Ok(rows.table.draw(self.row, || self.stream.unit())),
            };
        }
        let sums = self.sums()?;
        if let Some(decided) = self.decided(&sums)? {
            return Ok(decided);
        }
        let often_alone = self.plan.program.kind() == Kind::Dtmc;
        let arithmetic = self.plan.weights.arithmetic;
        Ok(self.choose(&sums, arithmetic, often_alone))
    }

    /// The combination that the scheduler takes; `None` without a scheduler, and where there is no choice.
    pub fn decision(&mut self) -> Result<Option<usize>, Site> {
        if self.plan.scheduler.is_none() {
            return Ok(None);
        }
        let sums = self.sums()?;
        self.decided(&sums)
    }

    fn decided(&mut self, sums: &[Sum]) -> Result<Option<usize>, Site> {
        let is_choice = sums.len() > 1 && sums.last().is_some_and(|total| total.to_f64() > 1.0);
        let Some(scheduler) = self.plan.scheduler.as_ref().filter(|_| is_choice) else { return Ok(None) };
        let mut key = Vec::with_capacity(scheduler.words.len());
        for &word in &scheduler.words {
            key.push(self.value(word)?.as_i64().unwrap_or(0) as u64);
        }
        let choice = scheduler.choice(&key).ok_or(scheduler.site)?;
        let found = sums.iter().position(|sum| (choice as f64) < sum.to_f64());
        found.map(Some).ok_or(scheduler.site)
    }

    /// Takes this combination, and in each of its stages the given branch; if none are given, draws them.
    pub fn take(&mut self, combination: usize, chosen: Option<&[usize]>, stay: &Stay) -> Result<Taken, Site> {
        let plan = self.plan;
        if let Some(rows) = &plan.rows {
            self.row = rows.table.target(combination);
            self.state = rows.table.values(self.row, plan.program.fields.len());
            self.arrived(stay);
            return Ok(Taken { combination, branches: Vec::new(), action: rows.table.action(combination) });
        }
        let of_combination = &plan.combinations[combination];
        for sum in &of_combination.sums {
            self.check_sum(sum)?;
        }
        let mut next = self.state.clone();
        let mut branches = Vec::with_capacity(of_combination.stages.len());
        for (stage, options) in of_combination.stages.iter().enumerate() {
            let branch = match (&plan.stage_weights[combination][stage], chosen) {
                (_, Some(chosen)) => chosen[stage],
                (Some(weights), None) => {
                    let sums = self.add_up(None, weights)?;
                    self.choose(&sums, weights.arithmetic, false)
                }
                (None, None) => 0,
            };
            for assignment in &options[branch].assignments {
                next[assignment.field.index()] = self.assigned(assignment)?;
            }
            branches.push(branch);
        }
        if next == self.state && plan.ends_where_nothing_changes() {
            self.absorbed = self.nothing_changes()?;
        }
        self.state = next;
        self.arrived(stay);
        Ok(Taken { combination, branches, action: of_combination.action })
    }

    /// A step has led to the state that is there now.
    fn arrived(&mut self, stay: &Stay) {
        self.load();
        self.steps += 1;
        if self.plan.clock {
            self.now = stay.until;
        }
    }

    fn check_sum(&mut self, sum: &RowSum) -> Result<(), Site> {
        if sum.is_free || RowSum::is_near_one(self.number(sum.expr)?) { Ok(()) } else { Err(sum.site) }
    }

    fn assigned(&mut self, assignment: &Assignment) -> Result<i64, Site> {
        let value = self.value(assignment.value)?;
        let value = value.as_bool().map(i64::from).or(value.as_i64()).unwrap_or(0);
        let range = self.plan.domain(assignment.field.index());
        if range.lo <= value && value <= range.hi { Ok(value) } else { Err(assignment.site) }
    }

    /// The choice that a number drawn below the total falls on.
    fn choose(&mut self, sums: &[Sum], arithmetic: Arithmetic, often_alone: bool) -> usize {
        if sums.len() == 1 {
            return 0;
        }
        let total = sums.last().copied().unwrap_or(Sum::Exact(0));
        if often_alone && (total == Sum::Exact(1) || total == Sum::Float(1.0)) {
            return sums.iter().position(|sum| !sum.is_zero()).unwrap_or(0);
        }
        let drawn = match (arithmetic, total) {
            (Arithmetic::Exact32, Sum::Exact(total)) => Sum::Exact(self.stream.below32(total as u32).into()),
            (_, Sum::Exact(total)) => Sum::Exact(self.stream.below64(total as u64) as i64),
            (_, Sum::Float(total)) => {
                let product = self.stream.unit() * total;
                Sum::Float(if product < total { product } else { 0.0 })
            }
        };
        let below = |sum: &Sum| match (drawn, *sum) {
            (Sum::Exact(drawn), Sum::Exact(sum)) => drawn < sum,
            (drawn, sum) => drawn.to_f64() < sum.to_f64(),
        };
        sums.iter().position(below).unwrap_or(sums.len() - 1)
    }

    /// Whether everything that is enabled leads back to the state.
    fn nothing_changes(&mut self) -> Result<bool, Site> {
        let weights = self.weights()?;
        for (combination, _) in weights.into_iter().enumerate().filter(|(_, weight)| *weight != 0.0) {
            for branch in self.plan.combinations[combination].stages.iter().flatten() {
                for assignment in &branch.assignments {
                    let value = self.value(assignment.value)?;
                    let value = value.as_bool().map(i64::from).or(value.as_i64());
                    if value != Some(self.state[assignment.field.index()]) {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }
}
