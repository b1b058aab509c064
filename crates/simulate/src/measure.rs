//! What is measured on a path: a number for every property, from the path alone.
//!
//! A [`Measure`] is a property over expressions of a program. Probabilities are means of 0 and 1, expected rewards means of what
//! paths earn.

use crate::error::Refusal;
use crate::word::{Word, word};
use volvelle_kernel::{BinaryOp, Const, ExprId, Exprs, Type, UnaryOp};
use volvelle_logic::{
    Bound, Comparison, Formula, FormulaId, Formulas, Property, Query, RewardQuery, TimeBound,
};
use volvelle_model::{Initial, Kind, Program};

/// Steps are counted in 32 bits.
pub const MAX_STEPS: f64 = 4e9;

/// From when to when; steps (integers) or time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Earliest.
    pub lower: f64,
    /// Latest; `None`: never too late.
    pub upper: Option<f64>,
}

impl Window {
    /// Whether it restricts nothing.
    pub fn is_everything(self) -> bool {
        self.lower == 0.0 && self.upper.is_none()
    }
}

/// What a path has to show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// A condition on the first state.
    Now(ExprId),
    /// The second state satisfies a condition, and is entered in the window.
    Next(ExprId, Window),
    /// The first condition until the second holds within the window.
    Until(ExprId, ExprId, Window),
    /// The path, as a word, is accepted by this automaton of the plan.
    Word(usize),
}

/// A number that a path has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// 1 where the path shows something, else 0; the other way round if `negated`.
    Indicator {
        /// What.
        event: Event,
        /// Whether it must not happen.
        negated: bool,
    },
    /// What is earned up to a time or number of steps.
    Cumulative {
        /// Reward structure.
        structure: usize,
        /// Time or steps.
        until: f64,
    },
    /// The reward of the state at a time or after a number of steps.
    Instantaneous {
        /// Reward structure.
        structure: usize,
        /// Time or steps.
        at: f64,
    },
    /// What is earned until a condition holds; infinite if that never happens.
    Reach {
        /// Reward structure; `None`: time, or steps.
        structure: Option<usize>,
        /// Where that is.
        target: Target,
    },
}

/// Up to where something is earned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// A condition on states.
    States(ExprId),
    /// This automaton of the plan accepts all continuations.
    Word(usize),
}

impl Measure {
    /// Whether it is 0 or 1.
    pub fn is_indicator(&self) -> bool {
        matches!(self, Measure::Indicator { .. })
    }

    /// Whether it depends on how much time passes.
    pub fn needs_clock(&self) -> bool {
        match self {
            Measure::Indicator { event, .. } => match event {
                Event::Now(_) | Event::Word(_) => false,
                Event::Next(_, window) | Event::Until(_, _, window) => !window.is_everything(),
            },
            Measure::Cumulative { .. } | Measure::Instantaneous { .. } => true,
            Measure::Reach { .. } => false,
        }
    }

    /// The reward structure.
    pub fn structure(&self) -> Option<usize> {
        match *self {
            Measure::Indicator { .. } => None,
            Measure::Cumulative { structure, .. } | Measure::Instantaneous { structure, .. } => {
                Some(structure)
            }
            Measure::Reach { structure, .. } => structure,
        }
    }
}

/// What a property asks for, and how the answer is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked {
    /// What is measured.
    pub measure: Measure,
    /// Whether the mean is compared with something.
    pub bound: Option<Bound>,
}

/// What a property measures. New conditions go into the arena of the program, new automata to `words`.
pub fn measure(program: &mut Program, words: &mut Vec<Word>, property: &Property) -> Result<Asked, Refusal> {
    let formulas = &property.formulas;
    let states = Conditions::new(program, formulas);
    let (measure, query) = match *formulas.get(property.root) {
        Formula::Prob { path, query, .. } => (indicator(program, words, formulas, &states, path)?, query),
        Formula::Reward { rewards, query, what, .. } => {
            let structure = rewards.0 as usize;
            let measure = match what {
                RewardQuery::Cumulative(until) => {
                    Measure::Cumulative { structure, until: horizon(program.kind, until)? }
                }
                RewardQuery::Instantaneous(at) => {
                    Measure::Instantaneous { structure, at: horizon(program.kind, at)? }
                }
                RewardQuery::Reach(path) => Measure::Reach {
                    structure: Some(structure),
                    target: target(program.kind, words, formulas, &states, path)?,
                },
                RewardQuery::Total => {
                    return Err(Refusal::Property("what is earned for ever is no matter of finite paths"));
                }
                RewardQuery::LongRun => {
                    return Err(Refusal::Property("a long-run average is no matter of finite paths"));
                }
            };
            (measure, query)
        }
        Formula::Time { path, query, .. } => {
            let target = target(program.kind, words, formulas, &states, path)?;
            (Measure::Reach { structure: None, target }, query)
        }
        Formula::Steady { .. } => {
            return Err(Refusal::Property("a long-run probability is no matter of finite paths"));
        }
        Formula::Conditional { .. } => {
            return Err(Refusal::Property("conditional probabilities are not simulated"));
        }
        Formula::Multi(_) => return Err(Refusal::Property("several objectives ask for a scheduler")),
        Formula::Filter { .. } => {
            return Err(Refusal::Property("paths start in the initial state: there is nothing to filter"));
        }
        Formula::ForAll(_) | Formula::Exists(_) => {
            return Err(Refusal::Property("samples of paths do not tell what all paths do"));
        }
        _ => return Err(Refusal::Property("only a single operator P or R is simulated")),
    };
    let bound = match query {
        Query::Value => None,
        Query::Bound(bound) => Some(bound),
    };
    Ok(Asked { measure, bound })
}

/// The condition that a property is, if it is one on states alone. New ones go into the arena of the program.
pub fn condition(program: &mut Program, property: &Property) -> Option<ExprId> {
    let found = Conditions::new(program, &property.formulas).get(property.root)?;
    (program.exprs.ty(found) == Type::Bool).then_some(found)
}

fn horizon(kind: Kind, time: f64) -> Result<f64, Refusal> {
    if !time.is_finite() || time < 0.0 {
        return Err(Refusal::BadBound("a time bound must be finite and not negative"));
    }
    if kind != Kind::Ctmc {
        if time.fract() != 0.0 {
            return Err(Refusal::BadBound("a step bound must be an integer"));
        }
        if time >= MAX_STEPS {
            return Err(Refusal::BadBound("the step bound is too large"));
        }
    }
    Ok(time)
}

/// A time bound made regular; `None`: no time is within it.
pub(crate) fn window(kind: Kind, bound: &TimeBound) -> Result<Option<Window>, Refusal> {
    let (mut lower, mut upper) = (horizon(kind, bound.lower)?, bound.upper);
    if let Some(upper) = upper {
        horizon(kind, upper)?;
    }
    if kind == Kind::Ctmc {
        let strict = bound.lower_strict || bound.upper_strict;
        let empty = upper == Some(0.0) && bound.upper_strict;
        let empty = empty || upper.is_some_and(|u| u < lower || (u == lower && strict));
        return Ok((!empty).then_some(Window { lower, upper }));
    }
    lower += f64::from(u8::from(bound.lower_strict));
    if let (Some(u), true) = (upper, bound.upper_strict) {
        if u == 0.0 {
            return Ok(None);
        }
        upper = Some(u - 1.0);
    }
    Ok(upper.is_none_or(|u| lower <= u).then_some(Window { lower, upper }))
}

fn indicator(
    program: &mut Program,
    words: &mut Vec<Word>,
    formulas: &Formulas,
    states: &Conditions,
    mut path: FormulaId,
) -> Result<Measure, Refusal> {
    let mut negated = false;
    while let Formula::Not(inner) = *formulas.get(path)
        && states.get(path).is_none()
    {
        negated = !negated;
        path = inner;
    }
    if let Some(condition) = states.get(path) {
        return Ok(Measure::Indicator { event: Event::Now(condition), negated });
    }
    let never = |exprs: &mut Exprs| Event::Now(exprs.bool(false));
    let kind = program.kind;
    if !is_plain(formulas, states, path) {
        let word = word(kind, formulas, states, path, false)?;
        return Ok(Measure::Indicator { event: Event::Word(keep(words, word)), negated });
    }
    let nested = Refusal::Property("operators that are asked of states on the way are not simulated");
    let condition = |id: FormulaId| states.get(id).ok_or(nested.clone());
    let exprs = &mut program.exprs;
    let (event, flip) = match *formulas.get(path) {
        Formula::Next(inner, bound) => {
            let inner = condition(inner)?;
            (window(kind, &bound)?.map(|window| Event::Next(inner, window)), false)
        }
        Formula::Until(left, right, bound) => {
            let (left, right) = (condition(left)?, condition(right)?);
            (window(kind, &bound)?.map(|window| Event::Until(left, right, window)), false)
        }
        // `a W b` fails where `!b U (!a & !b)` holds, `a R b` where `!a U !b` does.
        Formula::WeakUntil(left, right, bound) => {
            let (left, right) = (condition(left)?, condition(right)?);
            let (not_left, not_right) = (exprs.not(left), exprs.not(right));
            let fails = exprs.and(not_left, not_right);
            (window(kind, &bound)?.map(|window| Event::Until(not_right, fails, window)), true)
        }
        Formula::Release(left, right, bound) => {
            let (left, right) = (condition(left)?, condition(right)?);
            let (not_left, not_right) = (exprs.not(left), exprs.not(right));
            (window(kind, &bound)?.map(|window| Event::Until(not_left, not_right, window)), true)
        }
        _ => return Err(nested),
    };
    let event = event.unwrap_or_else(|| never(exprs));
    Ok(Measure::Indicator { event, negated: negated != flip })
}

/// Whether a path formula is one temporal operator over conditions.
fn is_plain(formulas: &Formulas, states: &Conditions, path: FormulaId) -> bool {
    let is_condition = |id: FormulaId| states.get(id).is_some();
    match *formulas.get(path) {
        Formula::Next(a, _) => is_condition(a),
        Formula::Until(a, b, _) | Formula::WeakUntil(a, b, _) | Formula::Release(a, b, _) => {
            is_condition(a) && is_condition(b)
        }
        _ => false,
    }
}

/// The place of an automaton among others. Each measure has its own: it reads a letter once in every state.
fn keep(words: &mut Vec<Word>, word: Word) -> usize {
    words.push(word);
    words.len() - 1
}

/// The condition of a plain `F condition`, or the automaton of something else.
fn target(
    kind: Kind,
    words: &mut Vec<Word>,
    formulas: &Formulas,
    states: &Conditions,
    path: FormulaId,
) -> Result<Target, Refusal> {
    if let Formula::Until(left, right, bound) = *formulas.get(path)
        && *formulas.get(left) == Formula::Bool(true)
        && bound.is_none()
        && let Some(condition) = states.get(right)
    {
        return Ok(Target::States(condition));
    }
    Ok(Target::Word(keep(words, word(kind, formulas, states, path, true)?)))
}

/// For every formula the expression that has its value, if the state alone tells it.
pub(crate) struct Conditions(Vec<Option<ExprId>>);

impl Conditions {
    /// The expression, if there is one.
    pub(crate) fn get(&self, id: FormulaId) -> Option<ExprId> {
        self.0[id.0 as usize]
    }

    fn new(program: &mut Program, formulas: &Formulas) -> Self {
        let mut found: Vec<Option<ExprId>> = Vec::with_capacity(formulas.len());
        for id in formulas.ids() {
            let of = |operand: FormulaId| found[operand.0 as usize];
            let value = value(program, formulas.get(id), of);
            found.push(value);
        }
        Conditions(found)
    }
}

fn value(
    program: &mut Program,
    formula: &Formula,
    of: impl Fn(FormulaId) -> Option<ExprId>,
) -> Option<ExprId> {
    match formula {
        Formula::Label(label) => return program.labels.get(label.0 as usize).map(|label| label.expr),
        Formula::Observation(number) => return program.numbers.get(number.0 as usize).map(|n| n.expr),
        Formula::Init => return is_initial(program),
        Formula::Deadlock => return Some(is_deadlock(program)),
        _ => {}
    }
    let exprs = &mut program.exprs;
    let both = |a: FormulaId, b: FormulaId| of(a).zip(of(b));
    Some(match *formula {
        Formula::Bool(truth) => exprs.bool(truth),
        Formula::Number(number) => exprs.f64(number),
        Formula::Not(a) => {
            let a = of(a)?;
            match exprs.as_const(a).and_then(Const::as_bool) {
                Some(truth) => exprs.bool(!truth),
                None => exprs.not(a),
            }
        }
        Formula::And(a, b) => both(a, b).map(|(a, b)| exprs.and(a, b))?,
        Formula::Or(a, b) => both(a, b).map(|(a, b)| exprs.or(a, b))?,
        Formula::Compare(comparison, a, b) => {
            let op = match comparison {
                Comparison::Lt => BinaryOp::Lt,
                Comparison::Le => BinaryOp::Le,
                Comparison::Gt => BinaryOp::Gt,
                Comparison::Ge => BinaryOp::Ge,
            };
            both(a, b).map(|(a, b)| exprs.binary(op, a, b))?
        }
        Formula::Equal(a, b) => both(a, b).map(|(a, b)| exprs.binary(BinaryOp::Eq, a, b))?,
        Formula::Add(a, b) => both(a, b).map(|(a, b)| exprs.binary(BinaryOp::Add, a, b))?,
        Formula::Sub(a, b) => both(a, b).map(|(a, b)| exprs.binary(BinaryOp::Sub, a, b))?,
        Formula::Mul(a, b) => both(a, b).map(|(a, b)| exprs.binary(BinaryOp::Mul, a, b))?,
        Formula::Min(a, b) => both(a, b).map(|(a, b)| exprs.binary(BinaryOp::Min, a, b))?,
        Formula::Max(a, b) => both(a, b).map(|(a, b)| exprs.binary(BinaryOp::Max, a, b))?,
        Formula::Floor(a) => of(a).map(|a| exprs.unary(UnaryOp::Floor, a))?,
        Formula::Ceil(a) => of(a).map(|a| exprs.unary(UnaryOp::Ceil, a))?,
        Formula::IfThenElse(c, a, b) => {
            let (c, (a, b)) = of(c).zip(both(a, b))?;
            exprs.select(c, a, b)
        }
        _ => return None,
    })
}

/// Whether a state is the initial one.
fn is_initial(program: &mut Program) -> Option<ExprId> {
    match &program.initial {
        Initial::Predicate(predicate) => Some(*predicate),
        Initial::States(states) => {
            let [state] = states.as_slice() else { return None };
            let state = state.clone();
            Some(program.is_state(&state))
        }
    }
}

/// Whether nothing is enabled in a state: no group has an enabled alternative of every participant, with an outcome of
/// positive weight.
fn is_deadlock(program: &mut Program) -> ExprId {
    use volvelle_model::Weight;
    let Program { exprs, groups, .. } = program;
    let mut some = exprs.bool(false);
    for group in groups.iter() {
        let mut all = exprs.bool(true);
        for participant in &group.participants {
            let mut any = exprs.bool(false);
            for alternative in &participant.alternatives {
                let mut positive = exprs.bool(false);
                for outcome in &alternative.outcomes {
                    let happens = match outcome.weight {
                        Weight::Constant { .. } => exprs.bool(true),
                        Weight::Expr { expr, .. } => {
                            debug_assert!(exprs.ty(expr) == Type::F64);
                            let zero = exprs.f64(0.0);
                            exprs.binary(BinaryOp::Gt, expr, zero)
                        }
                    };
                    positive = exprs.or(positive, happens);
                }
                let enabled = exprs.and(alternative.guard, positive);
                any = exprs.or(any, enabled);
            }
            all = exprs.and(all, any);
        }
        some = exprs.or(some, all);
    }
    exprs.not(some)
}
