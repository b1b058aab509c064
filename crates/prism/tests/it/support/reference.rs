//! PRISM's semantics once more, straight from the syntax tree: names are looked up while expressions are
//! evaluated, renaming is substitution, commands are multiplied out state by state, compositions are walked
//! for every state. Slow, recursive, and independent of lowering: the second opinion on it.

use super::behaviour::{Behaviour, Choice, State};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use volvelle_prism::ast::{
    BinaryOp, Command, ExprId, ExprKind, Function, Model, ModelType, ModuleBody, Name, System, VarType,
    Variable,
};

/// A value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Int(i64),
    Double(f64),
    Bool(bool),
}

use Value::{Bool, Double, Int};

impl Value {
    fn bool(self) -> bool {
        match self {
            Bool(value) => value,
            other => panic!("{other:?} is no bool"),
        }
    }

    fn int(self) -> i64 {
        match self {
            Int(value) => value,
            other => panic!("{other:?} is no int"),
        }
    }

    pub fn f64(self) -> f64 {
        match self {
            Int(value) => value as f64,
            Double(value) => value,
            Bool(_) => panic!("a bool is no number"),
        }
    }
}

/// Why there is no behaviour.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// Evaluation failed, or a value left its range, in a reachable state.
    Failed(String),
    Limit,
}

type Result<T> = std::result::Result<T, Stop>;
type Renames = HashMap<String, String>;

fn fail<T>(why: impl Into<String>) -> Result<T> {
    Err(Stop::Failed(why.into()))
}

/// A variable of the state.
struct Slot {
    name: String,
    is_bool: bool,
    /// Range; none for an `int` without bounds.
    range: Option<(i64, i64)>,
    start: i64,
}

/// A module with the renaming under which its text is read.
struct Module<'m> {
    name: &'m str,
    commands: &'m [Command],
    renames: Renames,
}

/// A model with values for its constants.
pub struct Reference<'m> {
    model: &'m Model,
    given: HashMap<String, Value>,
    slots: Vec<Slot>,
    modules: Vec<Module<'m>>,
}

/// A move of a process in a state: its action, and the commands that make it together, by module.
type Move = (String, Vec<(usize, usize)>);

/// Outcomes of a command: weights with assigned values.
type Outcomes = Vec<(f64, Vec<(usize, i64)>)>;

impl<'m> Reference<'m> {
    pub fn new(model: &'m Model, given: HashMap<String, Value>) -> Self {
        let mut reference = Reference { model, given, slots: Vec::new(), modules: Vec::new() };
        for variable in &model.globals {
            reference.declare(variable, &Renames::new());
        }
        for module in &model.modules {
            // From the copy to the original, collecting renamings on the way.
            let mut chain = Vec::new();
            let mut at = module;
            let (variables, commands) = loop {
                match &at.body {
                    ModuleBody::Plain { variables, commands, .. } => break (variables, commands),
                    ModuleBody::Renamed { base, renames } => {
                        chain.push(renames);
                        at =
                            model.modules.iter().find(|m| m.name.text == base.text).expect("the base exists");
                    }
                }
            };
            // Every name that occurs anywhere, sent through the renamings from the original outwards.
            let mut names: BTreeSet<String> = BTreeSet::new();
            for renames in &chain {
                names.extend(renames.iter().flat_map(|r| [r.from.text.clone(), r.to.text.clone()]));
            }
            let renames: Renames = names
                .into_iter()
                .map(|name| {
                    let mut to = name.clone();
                    for renames in chain.iter().rev() {
                        if let Some(rename) = renames.iter().find(|r| r.from.text == to) {
                            to = rename.to.text.clone();
                        }
                    }
                    (name, to)
                })
                .collect();
            for variable in variables {
                reference.declare(variable, &renames);
            }
            reference.modules.push(Module { name: &module.name.text, commands, renames });
        }
        reference
    }

    fn declare(&mut self, variable: &Variable, renames: &Renames) {
        let constant = |id| self.eval(id, &[], renames).expect("bounds are constant");
        let init = variable.init.map(constant);
        let (is_bool, range) = match variable.ty {
            VarType::Bool => (true, Some((0, 1))),
            VarType::Int => (false, None),
            VarType::Range { lo, hi } => (false, Some((constant(lo).int(), constant(hi).int()))),
            VarType::Double | VarType::Clock => panic!("not supported"),
        };
        let start = match init {
            Some(Bool(value)) => i64::from(value),
            Some(value) => value.int(),
            None => range.map_or(0, |(lo, _)| lo),
        };
        let name = rename(&variable.name.text, renames).to_owned();
        self.slots.push(Slot { name, is_bool, range, start });
    }

    fn slot(&self, name: &str) -> Option<usize> {
        self.slots.iter().position(|slot| slot.name == name)
    }

    fn int(&self, value: i64) -> Result<Value> {
        if i32::try_from(value).is_ok() { Ok(Int(value)) } else { fail(format!("{value} has no 32 bits")) }
    }

    /// Evaluates an expression of the model in a state, under a renaming.
    pub fn eval(&self, id: ExprId, state: &[i64], renames: &Renames) -> Result<Value> {
        let eval = |id: ExprId| self.eval(id, state, renames);
        match &self.model.exprs.get(id).kind {
            ExprKind::Int(value) => Ok(Int(*value)),
            ExprKind::Real(value) => Ok(Double(*value)),
            ExprKind::Bool(value) => Ok(Bool(*value)),
            ExprKind::Paren(inner) => eval(*inner),
            ExprKind::Ident(name) => self.name(name, state, renames),
            ExprKind::Not(arg) => Ok(Bool(!eval(*arg)?.bool())),
            ExprKind::Neg(arg) => match eval(*arg)? {
                Int(value) => self.int(-value),
                value => Ok(Double(-value.f64())),
            },
            ExprKind::Ite { cond, yes, no } => {
                let chosen = if eval(*cond)?.bool() { eval(*yes)? } else { eval(*no)? };
                // The type does not depend on the choice.
                let double = self.is_double(*yes, renames) || self.is_double(*no, renames);
                Ok(if double { Double(chosen.f64()) } else { chosen })
            }
            ExprKind::Binary { op, lhs, rhs } => self.binary(*op, *lhs, *rhs, state, renames),
            ExprKind::Call { function, args } => {
                let args = args.iter().map(|&arg| eval(arg)).collect::<Result<Vec<_>>>()?;
                self.call(*function, &args)
            }
            other => panic!("{other:?} in a model"),
        }
    }

    fn name(&self, name: &str, state: &[i64], renames: &Renames) -> Result<Value> {
        if let Some(formula) = self.model.formulas.iter().find(|f| f.name.text == name) {
            return self.eval(formula.body, state, renames);
        }
        let name = rename(name, renames);
        if let Some(slot) = self.slot(name) {
            return Ok(if self.slots[slot].is_bool { Bool(state[slot] != 0) } else { Int(state[slot]) });
        }
        let constant = self.model.constants.iter().find(|c| c.name.text == name).expect("a known name");
        let value = match constant.value {
            Some(value) => self.eval(value, &[], &Renames::new())?,
            None => self.given[name],
        };
        Ok(if constant.ty == volvelle_prism::ast::ConstType::Double { Double(value.f64()) } else { value })
    }

    /// Whether an expression has type double.
    fn is_double(&self, id: ExprId, renames: &Renames) -> bool {
        let double = |id: ExprId| self.is_double(id, renames);
        match &self.model.exprs.get(id).kind {
            ExprKind::Real(_) => true,
            ExprKind::Paren(inner) | ExprKind::Neg(inner) => double(*inner),
            ExprKind::Ident(name) => {
                if let Some(formula) = self.model.formulas.iter().find(|f| f.name.text == *name) {
                    return double(formula.body);
                }
                let name = rename(name, renames);
                let constant = self.model.constants.iter().find(|c| c.name.text == name);
                constant.is_some_and(|c| c.ty == volvelle_prism::ast::ConstType::Double)
            }
            ExprKind::Ite { yes, no, .. } => double(*yes) || double(*no),
            ExprKind::Binary { op, lhs, rhs } => match op {
                BinaryOp::Div => true,
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Pow => double(*lhs) || double(*rhs),
                _ => false,
            },
            ExprKind::Call { function, args } => match function {
                Function::Min | Function::Max | Function::Pow => args.iter().any(|&arg| double(arg)),
                Function::Log => true,
                _ => false,
            },
            _ => false,
        }
    }

    fn binary(
        &self,
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
        state: &[i64],
        renames: &Renames,
    ) -> Result<Value> {
        let a = self.eval(lhs, state, renames)?;
        match (op, a) {
            (BinaryOp::And, Bool(false)) => return Ok(Bool(false)),
            (BinaryOp::Or, Bool(true)) | (BinaryOp::Implies, Bool(false)) => return Ok(Bool(true)),
            _ => {}
        }
        let b = self.eval(rhs, state, renames)?;
        Ok(match (op, a, b) {
            (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies, ..) => b,
            (BinaryOp::Iff, ..) => Bool(a == b),
            (BinaryOp::Eq, Bool(x), Bool(y)) => Bool(x == y),
            (BinaryOp::Ne, Bool(x), Bool(y)) => Bool(x != y),
            (BinaryOp::Eq, ..) => Bool(a.f64() == b.f64()),
            (BinaryOp::Ne, ..) => Bool(a.f64() != b.f64()),
            (BinaryOp::Lt, ..) => Bool(a.f64() < b.f64()),
            (BinaryOp::Le, ..) => Bool(a.f64() <= b.f64()),
            (BinaryOp::Gt, ..) => Bool(a.f64() > b.f64()),
            (BinaryOp::Ge, ..) => Bool(a.f64() >= b.f64()),
            (BinaryOp::Add, Int(x), Int(y)) => self.int(x + y)?,
            (BinaryOp::Sub, Int(x), Int(y)) => self.int(x - y)?,
            (BinaryOp::Mul, Int(x), Int(y)) => self.int(x * y)?,
            (BinaryOp::Add, ..) => Double(a.f64() + b.f64()),
            (BinaryOp::Sub, ..) => Double(a.f64() - b.f64()),
            (BinaryOp::Mul, ..) => Double(a.f64() * b.f64()),
            (BinaryOp::Div, ..) if b.f64() == 0.0 => return fail("division by zero"),
            (BinaryOp::Div, ..) => Double(a.f64() / b.f64()),
            (BinaryOp::Pow, ..) => self.call(Function::Pow, &[a, b])?,
        })
    }

    fn call(&self, function: Function, args: &[Value]) -> Result<Value> {
        let ints: Option<Vec<i64>> =
            args.iter().map(|arg| if let Int(value) = arg { Some(*value) } else { None }).collect();
        Ok(match (function, ints.as_deref()) {
            (Function::Min, Some(ints)) => Int(*ints.iter().min().expect("arguments")),
            (Function::Max, Some(ints)) => Int(*ints.iter().max().expect("arguments")),
            (Function::Min, None) => Double(args.iter().map(|a| a.f64()).fold(f64::INFINITY, f64::min)),
            (Function::Max, None) => Double(args.iter().map(|a| a.f64()).fold(f64::NEG_INFINITY, f64::max)),
            (Function::Floor | Function::Ceil | Function::Round, Some(ints)) => Int(ints[0]),
            (Function::Floor, None) => self.rounded(args[0].f64().floor())?,
            (Function::Ceil, None) => self.rounded(args[0].f64().ceil())?,
            (Function::Round, None) => {
                let x = args[0].f64();
                self.rounded(if x - x.floor() >= 0.5 { x.floor() + 1.0 } else { x.floor() })?
            }
            (Function::Pow, Some(&[base, exponent])) => {
                if exponent < 0 {
                    return fail("a negative exponent");
                }
                let power = (base as f64).powi(exponent as i32);
                if power.abs() > 2f64.powi(40) {
                    return fail("a large power");
                }
                self.int(base.pow(exponent as u32))?
            }
            (Function::Pow, _) => Double(libm_pow(args[0].f64(), args[1].f64())),
            (Function::Mod, Some(&[dividend, divisor])) => {
                if divisor <= 0 {
                    return fail("a divisor that is not positive");
                }
                Int(dividend.rem_euclid(divisor))
            }
            (Function::Log, _) => Double(libm_log(args[0].f64()) / libm_log(args[1].f64())),
            other => panic!("{other:?}"),
        })
    }

    fn rounded(&self, value: f64) -> Result<Value> {
        if value.is_finite() && value.abs() < 2f64.powi(33) {
            self.int(value as i64)
        } else {
            fail(format!("{value} is no int"))
        }
    }

    pub fn initial(&self) -> Vec<State> {
        let Some((condition, _)) = self.model.init else {
            return vec![self.slots.iter().map(|slot| slot.start).collect()];
        };
        let mut all: Vec<State> = vec![Vec::new()];
        for slot in &self.slots {
            let (lo, hi) = slot.range.expect("bounded");
            all = all.iter().flat_map(|s| (lo..=hi).map(move |v| [s.as_slice(), &[v]].concat())).collect();
        }
        all.retain(|state| self.eval(condition, state, &Renames::new()).expect("no failure").bool());
        all
    }

    /// Actions in the commands of a module.
    fn alphabet(&self, module: usize) -> BTreeSet<String> {
        let Module { commands, renames, .. } = &self.modules[module];
        let actions = commands.iter().filter_map(|command| command.action.as_ref());
        actions.map(|action| rename(&action.text, renames).to_owned()).collect()
    }

    fn module_moves(&self, module: usize, state: &[i64]) -> Result<Vec<Move>> {
        let Module { commands, renames, .. } = &self.modules[module];
        let mut moves = Vec::new();
        for (i, command) in commands.iter().enumerate() {
            if self.eval(command.guard, state, renames)?.bool() {
                let action = command.action.as_ref().map_or("", |action| rename(&action.text, renames));
                moves.push((action.to_owned(), vec![(module, i)]));
            }
        }
        Ok(moves)
    }

    fn outcomes(&self, module: usize, command: usize, state: &[i64]) -> Result<Outcomes> {
        let Module { commands, renames, .. } = &self.modules[module];
        let mut outcomes = Outcomes::new();
        for update in &commands[command].updates {
            let weight = match update.weight {
                None => 1.0,
                Some(weight) => self.eval(weight, state, renames)?.f64(),
            };
            if !(weight.is_finite() && weight >= 0.0) {
                return fail("a bad weight");
            }
            if weight == 0.0 {
                continue;
            }
            let mut effect = Vec::new();
            for assignment in &update.assignments {
                let slot = self.slot(rename(&assignment.target.text, renames)).expect("a variable");
                let value = match self.eval(assignment.value, state, renames)? {
                    Bool(value) => i64::from(value),
                    value => value.int(),
                };
                if self.slots[slot].range.is_some_and(|(lo, hi)| value < lo || value > hi) {
                    return fail(format!("{} leaves its range", self.slots[slot].name));
                }
                effect.push((slot, value));
            }
            outcomes.push((weight, effect));
        }
        let sum: f64 = outcomes.iter().map(|(weight, _)| weight).sum();
        let is_ctmc = matches!(self.model.ty, Some((ModelType::Ctmc, _)));
        if !is_ctmc && (sum - 1.0).abs() > 1e-5 {
            return fail(format!("a sum of {sum}"));
        }
        Ok(outcomes)
    }

    /// Alphabet and moves of a process in a state.
    fn process(&self, system: &System, state: &[i64]) -> Result<(BTreeSet<String>, Vec<Move>)> {
        match system {
            System::Name(name) => match self.modules.iter().position(|m| m.name == name.text) {
                Some(module) => Ok((self.alphabet(module), self.module_moves(module, state)?)),
                None => {
                    let named = |n: &Option<Name>| n.as_ref().is_some_and(|n| n.text == name.text);
                    let (_, system, _) =
                        self.model.systems.iter().find(|(n, _, _)| named(n)).expect("a known system");
                    self.process(system, state)
                }
            },
            System::Parallel(operands) => self.fold(operands, state, |a, b| a & b),
            System::Interleave(operands) => self.fold(operands, state, |_, _| BTreeSet::new()),
            System::Sync(left, actions, right) => {
                let actions = actions.iter().map(|action| action.text.clone()).collect();
                Ok(together(self.process(left, state)?, self.process(right, state)?, &actions))
            }
            System::Hide(operand, actions) => {
                let (mut alphabet, mut moves) = self.process(operand, state)?;
                for action in actions {
                    alphabet.remove(&action.text);
                    moves.iter_mut().filter(|m| m.0 == action.text).for_each(|m| m.0.clear());
                }
                Ok((alphabet, moves))
            }
            System::Rename(operand, renames) => {
                let to = |action: &str| {
                    let rename = renames.iter().find(|r| r.from.text == action);
                    rename.map_or(action, |r| &r.to.text).to_owned()
                };
                let (alphabet, moves) = self.process(operand, state)?;
                let moves = moves.into_iter().map(|(action, outcomes)| (to(&action), outcomes)).collect();
                Ok((alphabet.iter().map(|action| to(action)).collect(), moves))
            }
        }
    }

    fn fold(
        &self,
        operands: &[System],
        state: &[i64],
        shared: fn(&BTreeSet<String>, &BTreeSet<String>) -> BTreeSet<String>,
    ) -> Result<(BTreeSet<String>, Vec<Move>)> {
        let mut process = self.process(&operands[0], state)?;
        for operand in &operands[1..] {
            let operand = self.process(operand, state)?;
            let actions = shared(&process.0, &operand.0);
            process = together(process, operand, &actions);
        }
        Ok(process)
    }

    fn moves(&self, state: &[i64]) -> Result<Vec<Move>> {
        let systems = &self.model.systems;
        if let Some((_, system, _)) = systems.iter().find(|(name, _, _)| name.is_none()).or(systems.first()) {
            return Ok(self.process(system, state)?.1);
        }
        let mut process = (self.alphabet(0), self.module_moves(0, state)?);
        for module in 1..self.modules.len() {
            let next = (self.alphabet(module), self.module_moves(module, state)?);
            let actions = &process.0 & &next.0;
            process = together(process, next, &actions);
        }
        Ok(process.1)
    }

    pub fn choices(&self, state: &State) -> Result<Vec<Choice>> {
        let mut choices = Vec::new();
        for (action, commands) in self.moves(state)? {
            let parts: Vec<Result<Outcomes>> =
                commands.iter().map(|&(module, command)| self.outcomes(module, command, state)).collect();
            // What has the rate zero does not happen, and cannot fail.
            if parts.iter().any(|part| part.as_ref().is_ok_and(Vec::is_empty)) {
                continue;
            }
            let mut outcomes = vec![(1.0, state.clone())];
            for part in parts {
                let mut next = Vec::new();
                for (weight, effect) in part? {
                    for (partial, target) in &outcomes {
                        let mut target = target.clone();
                        effect.iter().for_each(|&(slot, value)| target[slot] = value);
                        next.push((weight * partial, target));
                    }
                }
                outcomes = next;
            }
            let mut successors = BTreeMap::new();
            for (weight, target) in outcomes {
                *successors.entry(target).or_insert(0.0) += weight;
            }
            choices.push((action, successors));
        }
        Ok(choices)
    }

    /// All reachable states with their choices.
    pub fn explore(&self, limit: usize) -> Result<Behaviour> {
        let mut behaviour = Behaviour::new();
        let mut queue = self.initial();
        while let Some(state) = queue.pop() {
            if behaviour.contains_key(&state) {
                continue;
            }
            if behaviour.len() == limit {
                return Err(Stop::Limit);
            }
            let choices = self.choices(&state)?;
            queue.extend(choices.iter().flat_map(|(_, successors)| successors.keys().cloned()));
            behaviour.insert(state, choices);
        }
        Ok(behaviour)
    }

    /// The value of a label of the model in a state.
    pub fn label(&self, name: &str, state: &State) -> Result<bool> {
        let label = self.model.labels.iter().find(|label| label.name.text == name).expect("a label");
        Ok(self.eval(label.body, state, &Renames::new())?.bool())
    }

    /// The state reward of a structure in a state.
    pub fn state_reward(&self, structure: usize, state: &State) -> Result<f64> {
        let mut sum = 0.0;
        for item in self.model.rewards[structure].items.iter().filter(|item| item.action.is_none()) {
            if self.eval(item.guard, state, &Renames::new())?.bool() {
                sum += self.eval(item.value, state, &Renames::new())?.f64();
            }
        }
        Ok(sum)
    }
}

fn rename<'a>(name: &'a str, renames: &'a Renames) -> &'a str {
    renames.get(name).map_or(name, String::as_str)
}

/// Two processes, synchronised on some actions.
fn together(
    left: (BTreeSet<String>, Vec<Move>),
    right: (BTreeSet<String>, Vec<Move>),
    shared: &BTreeSet<String>,
) -> (BTreeSet<String>, Vec<Move>) {
    let is_shared = |m: &Move| !m.0.is_empty() && shared.contains(&m.0);
    let own = left.1.iter().chain(&right.1).filter(|m| !is_shared(m));
    let mut moves: Vec<Move> = own.cloned().collect();
    for l in left.1.iter().filter(|m| is_shared(m)) {
        for r in right.1.iter().filter(|r| r.0 == l.0) {
            moves.push((l.0.clone(), [l.1.as_slice(), &r.1].concat()));
        }
    }
    (&left.0 | &right.0, moves)
}

/// The powers and logarithms of the kernel IR, whose bits are defined there.
fn libm_pow(x: f64, y: f64) -> f64 {
    volvelle_kernel::math::apply(volvelle_kernel::MathFn::Pow, x, y)
}

fn libm_log(x: f64) -> f64 {
    volvelle_kernel::math::apply(volvelle_kernel::MathFn::Log, x, x)
}
