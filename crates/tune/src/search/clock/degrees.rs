//! How the values of a program move with its clock.
//!
//! In: a program of processes and a question about it. Out: the *degree* of every field:
//!
//! - 1 if its values move with the clock: the cost itself, and fields set to the cost plus or minus something
//!   that does not depend on it;
//! - -1 if they move against it;
//! - 0 if they do not depend on it.
//!
//! Expressions have degrees, too. The degree of a sum is the sum of the degrees. A comparison needs two
//! operands of the same degree, and has degree 0. Everything else needs operands of degree 0. Example:
//! `until = time + 5` gives `until` the degree 1, and `time >= until` has degree 0.
//!
//! If all statements of a program obey these rules, the program does the same whenever the clock starts: from
//! a state in which all fields have moved, the same steps lead to states in which they have moved alike. If
//! some statement breaks them, there is no answer.
//!
//! The degrees are the least fixed point over all assignments, starting from the cost; a second pass checks
//! the rules. Initial values do not matter, since they are values like others. A process field may be set to
//! a constant where its value is not read any more (module `dead` of the model), or where a process is
//! created.

use crate::search::Question;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use volvelle_kernel::{BinaryOp, Block, ExprId, Exprs, Node, Stmt, Type, UnaryOp};
use volvelle_model::dead::Liveness;
use volvelle_model::{Alternative, FieldId, LocationId, Offer, Place, PlaceId, PoolId, Program, TemporaryId};

/// The pools of a network.
const PROCESSES: PoolId = PoolId(0);
const CHANNELS: PoolId = PoolId(1);

/// The degrees of all fields and messages.
#[derive(Clone, Debug)]
pub struct Degrees {
    /// By field.
    pub fields: Vec<i8>,
    /// By position in a message.
    offered: Vec<i8>,
}

/// A statement may depend on the absolute value of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Absolute;

/// The degrees of some expressions; an error for those without one.
pub type Known = FxHashMap<ExprId, Result<i8, Absolute>>;

/// The use of a value by a statement.
#[derive(Clone, Copy, Debug)]
enum Use {
    /// The value must have degree 0.
    Plain(ExprId),
    /// A place is set to the value.
    Write(Place, ExprId),
}

/// Code that is analysed: an alternative, or a condition.
#[derive(Clone, Copy)]
struct Code<'p> {
    guard: Option<ExprId>,
    offer: Option<&'p Offer>,
    effect: &'p [Stmt],
    target: Option<LocationId>,
}

impl Degrees {
    /// The degrees of a program. Its labels must cover the question.
    pub fn new(program: &Program, question: &Question, live: Option<&Liveness>) -> Result<Self, Absolute> {
        let network = &program.network;
        if network.has_remote_reads || network.last.is_some() || network.priority.is_some() {
            return Err(Absolute);
        }
        let fields = program.fields_read([question.cost]);
        let first = |(field, degree): (FieldId, i8)| {
            let mut found =
                Degrees { fields: vec![0; program.fields.len()], offered: vec![0; network.offered as usize] };
            found.fields[field.index()] = degree;
            found.complete(program, question, live).then_some(found)
        };
        let all = fields.into_iter().flat_map(|field| [(field, 1), (field, -1)]);
        all.into_iter().find_map(first).ok_or(Absolute)
    }

    /// All expressions that a program evaluates, except the checks whether values fit where they are stored.
    pub fn roots(program: &Program, question: &Question) -> Vec<ExprId> {
        let mut uses = Vec::new();
        for code in codes(program, question) {
            uses.extend(code.guard.map(Use::Plain));
            uses.extend(code.offer.into_iter().flat_map(Offer::expressions).map(Use::Plain));
            uses_of(program, code.effect, &mut uses);
        }
        let root = |one: Use| match one {
            Use::Plain(value) | Use::Write(_, value) => value,
        };
        uses.into_iter().map(root).collect()
    }

    /// Adds the degrees that follow from known ones. Returns whether the whole program obeys the rules.
    fn complete(&mut self, program: &Program, question: &Question, live: Option<&Liveness>) -> bool {
        if self.of_condition(program, question.cost) != Ok(1) {
            return false;
        }
        let codes = codes(program, question);
        loop {
            let before = (self.fields.clone(), self.offered.clone());
            codes.iter().for_each(|code| self.learn(program, code));
            if before == (self.fields.clone(), self.offered.clone()) {
                break;
            }
        }
        let of_channels = |field: usize| program.pool_of(FieldId(field as u32)) == Some(CHANNELS);
        // An empty place of a message buffer holds a constant, so messages must not move.
        let has_messages = (0..self.fields.len()).any(|field| self.fields[field] != 0 && of_channels(field));
        !has_messages && codes.iter().all(|code| self.holds(program, code, live))
    }

    /// The degree of an expression that is evaluated between steps.
    fn of_condition(&self, program: &Program, root: ExprId) -> Result<i8, Absolute> {
        self.of_code(program, &Code::of_condition(root)).1[&root]
    }

    /// The degrees of all expressions of an alternative.
    pub fn of_alternative(&self, program: &Program, alternative: &Alternative) -> Known {
        self.of_code(program, &Code::of(alternative)).1
    }

    /// The uses of values in some code, and the degrees of its expressions. Degrees of temporaries follow
    /// from what is assigned to them.
    fn of_code(&self, program: &Program, code: &Code<'_>) -> (Vec<Use>, Known) {
        let mut uses: Vec<Use> = code.guard.map(Use::Plain).into_iter().collect();
        if let Some(offer) = code.offer {
            uses.extend(offer.at.map(Use::Plain));
            let given = offer.given().zip(0..);
            uses.extend(given.map(|(value, number)| Use::Write(Place::Offered(number), value)));
        }
        uses_of(program, code.effect, &mut uses);
        let needed = needed(program, &uses);
        let mut variables: FxHashMap<TemporaryId, i8> = FxHashMap::default();
        loop {
            let mut known = Known::default();
            for &id in &needed {
                let degree = self.degree(program, id, &variables, &known);
                known.insert(id, degree);
            }
            let mut changed = false;
            for one in &uses {
                if let Use::Write(Place::Temporary(variable), value) = one
                    && let Ok(degree @ (1 | -1)) = known[value]
                {
                    changed |= variables.insert(*variable, degree).is_none();
                }
            }
            if !changed {
                return (uses, known);
            }
        }
    }

    fn learn(&mut self, program: &Program, code: &Code<'_>) {
        let (uses, known) = self.of_code(program, code);
        for one in uses {
            let Use::Write(place, value) = one else { continue };
            let Ok(degree @ (1 | -1)) = known[&value] else { continue };
            if let Some(of_place) = self.of_place(place)
                && *of_place == 0
            {
                *of_place = degree;
            }
        }
    }

    fn of_place(&mut self, place: Place) -> Option<&mut i8> {
        match place {
            Place::Field(field) | Place::Slot { field, .. } => self.fields.get_mut(field.index()),
            Place::Offered(number) => self.offered.get_mut(number as usize),
            _ => None,
        }
    }

    /// Whether some code obeys the rules.
    fn holds(&self, program: &Program, code: &Code<'_>, live: Option<&Liveness>) -> bool {
        let (uses, known) = self.of_code(program, code);
        let mut variables: FxHashMap<TemporaryId, i8> = FxHashMap::default();
        for one in &uses {
            if let Use::Write(Place::Temporary(variable), value) = one
                && let Ok(degree @ (1 | -1)) = known[value]
            {
                variables.insert(*variable, degree);
            }
        }
        let has_wrap = |slot: ExprId| {
            let mut is_wrapped = false;
            for &id in &needed(program, &[Use::Plain(slot)]) {
                is_wrapped |= wrapped(&program.exprs, id).is_some() && known[&id] != Ok(0);
            }
            is_wrapped
        };
        let slots_hold = known.keys().all(|&id| {
            let slot = program.place_read(&program.exprs.node(id)).and_then(Place::slot);
            slot.is_none_or(|slot| !has_wrap(slot))
        });
        slots_hold
            && uses.iter().all(|one| match *one {
                Use::Plain(value) => known[&value] == Ok(0),
                Use::Write(place, value) => {
                    let of_place = match place {
                        Place::Field(field) | Place::Slot { field, .. } => self.fields[field.index()],
                        Place::Offered(number) => self.offered.get(number as usize).copied().unwrap_or(0),
                        Place::Temporary(variable) => variables.get(&variable).copied().unwrap_or(0),
                        _ => 0,
                    };
                    known[&value] == Ok(of_place)
                        || known[&value] == Ok(0) && forgets(program, code, place, live)
                }
            })
    }

    fn degree(
        &self,
        program: &Program,
        id: ExprId,
        variables: &FxHashMap<TemporaryId, i8>,
        known: &Known,
    ) -> Result<i8, Absolute> {
        let exprs = &program.exprs;
        let plain = |value: Result<i8, Absolute>| if value == Ok(0) { Ok(0) } else { Err(Absolute) };
        let node = exprs.node(id);
        if let Some(inner) = wrapped(exprs, id) {
            // Whether it fits is checked where it is evaluated.
            return known[&inner]
                .and_then(|degree| if degree.abs() <= 1 { Ok(degree) } else { Err(Absolute) });
        }
        match node {
            Node::Local(..) | Node::Load { .. } => {
                let place = program.place_read(&node).ok_or(Absolute)?;
                if let Some(slot) = place.slot() {
                    plain(known[&slot])?;
                }
                if let Node::Load { index, .. } = node {
                    plain(known[&index])?;
                }
                Ok(match place {
                    Place::Field(field) | Place::Slot { field, .. } => self.fields[field.index()],
                    Place::Offered(number) => self.offered.get(number as usize).copied().unwrap_or(0),
                    Place::Temporary(variable) => variables.get(&variable).copied().unwrap_or(0),
                    _ => 0,
                })
            }
            Node::Unary { op: UnaryOp::Neg, arg } => Ok(-known[&arg]?),
            Node::Binary { op: BinaryOp::Add, lhs, rhs } => small(known[&lhs]? + known[&rhs]?),
            Node::Binary { op: BinaryOp::Sub, lhs, rhs } => small(known[&lhs]? - known[&rhs]?),
            Node::Binary { op: BinaryOp::Min | BinaryOp::Max, lhs, rhs } => same(known[&lhs], known[&rhs]),
            Node::Binary { op, lhs, rhs } if op.is_comparison() && exprs.ty(lhs) == Type::I64 => {
                same(known[&lhs], known[&rhs]).map(|_| 0)
            }
            Node::Select { cond, yes, no } => {
                plain(known[&cond])?;
                same(known[&yes], known[&no])
            }
            _ => {
                let mut result = Ok(0);
                Exprs::each_operand(&node, |operand| result = result.and(plain(known[&operand])));
                result
            }
        }
    }
}

impl<'p> Code<'p> {
    fn of(alternative: &'p Alternative) -> Self {
        let (guard, offer) = (Some(alternative.guard), alternative.offer.as_ref());
        Code { guard, offer, effect: alternative.effect(), target: Some(alternative.target()) }
    }

    fn of_condition(root: ExprId) -> Self {
        Code { guard: Some(root), offer: None, effect: &[], target: None }
    }
}

/// All code of a program, and the question.
fn codes<'p>(program: &'p Program, question: &Question) -> Vec<Code<'p>> {
    let mut codes: Vec<Code<'_>> = program.network.alternatives().map(Code::of).collect();
    let completion = program.network.completion.map(|(condition, _)| condition);
    let guards = program.network.types.iter().filter_map(|ty| ty.guard);
    let asked = question.parameters.iter().copied().chain([question.goal]);
    codes.extend(asked.chain(guards).chain(completion).map(Code::of_condition));
    codes
}

fn small(degree: i8) -> Result<i8, Absolute> {
    if degree.abs() <= 8 { Ok(degree) } else { Err(Absolute) }
}

fn same(a: Result<i8, Absolute>, b: Result<i8, Absolute>) -> Result<i8, Absolute> {
    if a? == b? { a } else { Err(Absolute) }
}

/// The value `x` of an expression that truncates `x` to fewer bits and extends it to 64 again.
pub fn wrapped(exprs: &Exprs, id: ExprId) -> Option<ExprId> {
    let Node::Convert { to: Type::I64, arg } = exprs.node(id) else { return None };
    let Node::Convert { to: Type::I32 | Type::I16, arg } = exprs.node(arg) else { return None };
    (exprs.ty(arg) == Type::I64).then_some(arg)
}

/// Whether a block begins by noting that a value does not fit where it is stored.
pub fn is_note(program: &Program, block: &Block) -> bool {
    let is_noted = |place: PlaceId| program.place(place) == Place::Noted;
    matches!(block.first(), Some(Stmt::Set { local, .. }) if is_noted((*local).into()))
}

/// Collects the uses in statements. Of values that may not fit, only the branch where they fit is followed.
/// Recursion is as deep as blocks nest, which front ends limit.
fn uses_of(program: &Program, block: &[Stmt], out: &mut Vec<Use>) {
    for statement in block {
        match statement {
            Stmt::Set { local, value } => {
                let place = program.place(*local);
                out.extend(place.slot().map(Use::Plain));
                out.push(Use::Write(place, *value));
            }
            Stmt::Store { buffer, index, value } => {
                let place = program.place(*buffer);
                out.extend(place.slot().into_iter().chain([*index]).map(Use::Plain));
                out.push(Use::Write(place, *value));
            }
            Stmt::If { then, otherwise, .. } if is_note(program, then) => uses_of(program, otherwise, out),
            Stmt::If { cond, then, otherwise } => {
                out.push(Use::Plain(*cond));
                uses_of(program, then, out);
                uses_of(program, otherwise, out);
            }
            Stmt::Switch { on, cases, default } => {
                out.push(Use::Plain(*on));
                cases.iter().for_each(|(_, case)| uses_of(program, case, out));
                uses_of(program, default, out);
            }
            Stmt::For { local, from, to, body } => {
                out.extend([Use::Plain(*from), Use::Plain(*to), Use::Write(program.place(*local), *from)]);
                uses_of(program, body, out);
            }
            Stmt::Machine { local, from, to, start, blocks } => {
                out.extend([from, to, start].map(|&value| Use::Plain(value)));
                out.push(Use::Write(program.place(*local), *from));
                blocks.iter().for_each(|block| uses_of(program, block, out));
            }
            _ => {}
        }
    }
}

/// The expressions that some uses evaluate, operands first.
fn needed(program: &Program, uses: &[Use]) -> Vec<ExprId> {
    let root = |one: &Use| match *one {
        Use::Plain(value) | Use::Write(_, value) => value,
    };
    let mut stack: Vec<ExprId> = uses.iter().map(root).collect();
    let mut needed = BTreeSet::new();
    while let Some(id) = stack.pop() {
        if needed.insert(id) {
            program.each_operand(&program.exprs.node(id), |operand| stack.push(operand));
        }
    }
    needed.into_iter().collect()
}

/// Whether the stored value is not read any more, so that any constant will do.
fn forgets(program: &Program, code: &Code<'_>, place: Place, live: Option<&Liveness>) -> bool {
    let (Some(target), Some(live)) = (code.target, live) else { return false };
    let network = &program.network;
    let (field, location) = match place {
        Place::Field(field) if program.pool_of(field) == Some(PROCESSES) => (field, target),
        // A field of a process that is being created.
        Place::Slot { pool: PROCESSES, field, .. } => {
            let component = program.fields[field.index()].component;
            match network.types.iter().find(|ty| Some(ty.component) == component) {
                Some(ty) => (field, ty.first),
                None => return false,
            }
        }
        _ => return false,
    };
    if target == LocationId::NOWHERE && matches!(place, Place::Field(_)) {
        return true;
    }
    let mut roots = Vec::new();
    program.expressions(&code.effect.to_vec(), &mut roots);
    !live.may_be_read(field, location) && !program.fields_read(roots).contains(&field)
}
