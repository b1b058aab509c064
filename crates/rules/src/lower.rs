//! Routines to instructions.

use crate::code::{Code, Label, Op, Reg};
use crate::ir::{Blame, Comparison, Expr, FunctionId, Kind, LocalId, Routine, System, Through};
use crate::types::Ty;
use crate::value::Value;
use volvelle_diagnostics::Span;
use volvelle_trees::Interner;

/// The instructions of a routine. `source` is the text at a place, for messages of premises. None where it has more variables than an
/// instruction can name. With `inlines`, bodies of small functions become part of it where they are called: results and failures are the
/// same, but what is noted of applications and derivations does not show them.
pub fn lower(
    system: &System,
    routine: &Routine,
    source: &dyn Fn(Span) -> String,
    texts: &mut Interner,
    inlines: bool,
) -> Option<Code> {
    let mut lowering = Lowering {
        system,
        code: Code::default(),
        next: routine.locals as u32,
        base: 0,
        depth: if inlines { 0 } else { MOST_INLINED },
        span: routine.span,
        source,
        texts,
    };
    lowering.code.registers = lowering.next;
    lowering.code.locals = lowering.next;
    if let Some(body) = &routine.body {
        lowering.effect(body);
    }
    let first = lowering.reserve(routine.results.len());
    for (at, (result, class)) in routine.results.iter().zip(&routine.classes).enumerate() {
        let to = first + at as u32;
        lowering.set(result, to);
        if let Some(class) = *class {
            lowering.span = result.span;
            lowering.push(Op::Cast { value: to as Reg, class });
        }
    }
    lowering.push(Op::Return { first: first as Reg, count: routine.results.len() as u8 });
    (lowering.code.registers <= u32::from(Reg::MAX)).then_some(lowering.code)
}

/// Functions in functions become part of a routine up to this depth.
const MOST_INLINED: usize = 3;

/// Bodies of more expressions are not copied.
const LARGEST_INLINED: usize = 40;

struct Lowering<'s> {
    system: &'s System,
    code: Code,
    /// The first variable of the routine or of the function whose body is copied.
    base: u32,
    /// How many functions are around.
    depth: usize,
    /// The first register that is free. Counted in 32 bits, so that too many are noticed.
    next: u32,
    span: Span,
    source: &'s dyn Fn(Span) -> String,
    texts: &'s mut Interner,
}

impl Lowering<'_> {
    fn push(&mut self, op: Op) -> usize {
        self.code.ops.push(op);
        self.code.spans.push(self.span);
        self.code.ops.len() - 1
    }

    /// The register of a variable.
    fn place(&self, local: LocalId) -> u32 {
        self.base + local.0
    }

    fn reg(&self, local: LocalId) -> Reg {
        self.place(local) as Reg
    }

    fn here(&self) -> Label {
        self.code.ops.len() as Label
    }

    fn reserve(&mut self, count: usize) -> u32 {
        let first = self.next;
        self.next += count as u32;
        self.code.registers = self.code.registers.max(self.next);
        first
    }

    /// Jumps that are taken where a condition is `when`; otherwise what follows is next. [`Lowering::land_all`] says where they go.
    fn branch(&mut self, condition: &Expr, when: bool) -> Vec<usize> {
        let mark = self.next;
        let jumps = self.jumps(condition, when);
        self.next = mark;
        jumps
    }

    fn jumps(&mut self, condition: &Expr, when: bool) -> Vec<usize> {
        match &condition.kind {
            Kind::Not(inner) => self.branch(inner, !when),
            Kind::And(parts) | Kind::Or(parts) => {
                // What the first part decides alone.
                let decides = matches!(condition.kind, Kind::Or(_));
                let mut first = self.branch(&parts[0], decides);
                if decides == when {
                    first.extend(self.branch(&parts[1], when));
                    return first;
                }
                let second = self.branch(&parts[1], when);
                self.land_all(&first);
                second
            }
            Kind::Is(value, class) => {
                let value = self.value(value);
                vec![self.push(Op::JumpIs { value, class: *class, when, to: 0 })]
            }
            Kind::Equal(parts) => {
                let constant = |at: usize| match parts[at].kind {
                    Kind::Const(
                        value @ (Value::Null | Value::Truth(_) | Value::Number(_) | Value::Text(_)),
                    ) => Some(value),
                    _ => None,
                };
                if let Some((constant, other)) =
                    constant(1).map(|value| (value, 0)).or_else(|| constant(0).map(|value| (value, 1)))
                {
                    let value = self.value(&parts[other]);
                    return vec![self.push(Op::JumpSame { value, constant, when, to: 0 })];
                }
                let (a, b) = self.pair(parts);
                vec![self.push(Op::JumpEqual { a, b, when, to: 0 })]
            }
            _ => {
                let condition = self.value(condition);
                vec![self.push(if when {
                    Op::JumpIf { condition, to: 0 }
                } else {
                    Op::JumpUnless { condition, to: 0 }
                })]
            }
        }
    }

    fn land_all(&mut self, jumps: &[usize]) {
        let here = self.here();
        self.land_at(jumps, here);
    }

    fn land_at(&mut self, jumps: &[usize], place: Label) {
        for &at in jumps {
            self.land_on(at, place);
        }
    }

    /// Says where a jump goes.
    fn land(&mut self, at: usize) {
        let here = self.here();
        self.land_on(at, here);
    }

    fn land_on(&mut self, at: usize, here: Label) {
        match &mut self.code.ops[at] {
            Op::Jump { to }
            | Op::JumpIf { to, .. }
            | Op::JumpUnless { to, .. }
            | Op::JumpIs { to, .. }
            | Op::JumpSame { to, .. }
            | Op::JumpEqual { to, .. }
            | Op::JumpUnlessNull { to, .. } => {
                *to = here;
            }
            Op::Try { handler, .. } => *handler = here,
            Op::Item { behind, .. } => *behind = here,
            _ => {}
        }
    }

    /// The register in which a value is: that of a variable, or a new one.
    fn value(&mut self, expr: &Expr) -> Reg {
        if let Kind::Local(local) = expr.kind {
            return self.reg(local);
        }
        let to = self.reserve(1);
        self.set(expr, to);
        to as Reg
    }

    /// Values in registers behind each other.
    fn row<'e>(&mut self, exprs: impl ExactSizeIterator<Item = &'e Expr>) -> Reg {
        let first = self.reserve(exprs.len());
        for (at, expr) in exprs.enumerate() {
            self.set(expr, first + at as u32);
        }
        first as Reg
    }

    /// For what it does.
    fn effect(&mut self, expr: &Expr) {
        let mark = self.next;
        match &expr.kind {
            Kind::Seq(all) => {
                for one in all {
                    self.effect(one);
                }
            }
            Kind::If { condition, then, otherwise } => {
                let skip = self.branch(condition, false);
                self.effect(then);
                match otherwise {
                    Some(otherwise) => {
                        let end = self.push(Op::Jump { to: 0 });
                        self.land_all(&skip);
                        self.effect(otherwise);
                        self.land(end);
                    }
                    None => self.land_all(&skip),
                }
            }
            Kind::Either { alternatives, previous } => self.either(alternatives, *previous),
            Kind::SetLocal(local, value) => self.set(value, self.place(*local)),
            _ => {
                let to = self.reserve(1);
                self.set(expr, to);
            }
        }
        self.next = mark;
    }

    fn either(&mut self, alternatives: &[Expr], previous: LocalId) {
        let mut ends = Vec::new();
        for (at, alternative) in alternatives.iter().enumerate() {
            let here = self.here();
            self.code.alternatives.push((here, alternative.span));
            if at + 1 == alternatives.len() {
                self.effect(alternative);
                break;
            }
            let attempt = self.push(Op::Try { handler: 0, failure: self.reg(previous) });
            self.effect(alternative);
            self.push(Op::EndTry);
            ends.push(self.push(Op::Jump { to: 0 }));
            self.land(attempt);
        }
        for end in ends {
            self.land(end);
        }
    }

    /// Runs what fails or holds, and gives which.
    fn holds(&mut self, to: u32, run: impl FnOnce(&mut Self)) {
        let failure = self.reserve(1) as Reg;
        let attempt = self.push(Op::Try { handler: 0, failure });
        run(self);
        self.push(Op::EndTry);
        self.push(Op::Const { to: to as Reg, value: Value::Truth(true) });
        let end = self.push(Op::Jump { to: 0 });
        self.land(attempt);
        self.push(Op::Const { to: to as Reg, value: Value::Truth(false) });
        self.land(end);
    }

    /// A value to a register.
    fn set(&mut self, expr: &Expr, target: u32) {
        let outer = std::mem::replace(&mut self.span, expr.span);
        let mark = self.next;
        self.write(expr, target);
        self.next = mark;
        self.span = outer;
    }

    #[expect(clippy::too_many_lines, reason = "an arm for each kind")]
    fn write(&mut self, expr: &Expr, target: u32) {
        let to = target as Reg;
        match &expr.kind {
            Kind::Const(value) => {
                self.push(Op::Const { to, value: *value });
            }
            Kind::Local(local) => {
                if self.place(*local) != target {
                    self.push(Op::Move { to, from: self.reg(*local) });
                }
            }
            Kind::Global(global) => {
                self.push(Op::Global { to, global: *global });
            }
            Kind::Bind(parts) => {
                let [env, key, value] = &**parts;
                let (env, key, value) = (self.value(env), self.value(key), self.value(value));
                self.push(Op::Bind { to, env, key, value });
            }
            Kind::Over(parts) => {
                let (below, above) = self.pair(parts);
                self.push(Op::Over { to, below, above });
            }
            Kind::Lookup { env, key, class } => {
                let (env, key) = (self.value(env), self.value(key));
                self.push(Op::Lookup { to, env, key, class: *class });
            }
            Kind::List(items) => {
                let first = self.row(items.iter());
                self.push(Op::List { to, first, count: items.len() as u16 });
            }
            Kind::Field { on, field, safe } => {
                let on = self.value(on);
                self.push(Op::Field { to, on, field: *field, safe: *safe });
            }
            Kind::Half { on, second } => {
                let on = self.value(on);
                self.push(Op::Half { to, on, second: *second });
            }
            Kind::Native { function, args } => {
                let first = self.row(args.iter());
                self.push(Op::Native { to, function: *function, first, count: args.len() as u8 });
            }
            Kind::Call { function, args, boolean } if self.is_inlined(*function) => {
                if *boolean {
                    self.holds(target, |lowering| lowering.inline(*function, args, None));
                } else {
                    self.inline(*function, args, Some(target));
                }
            }
            Kind::Call { function, args, boolean } => {
                let first = self.row(args.iter());
                let call = Op::Call { to, function: *function, first };
                if *boolean {
                    self.holds(target, |lowering| {
                        lowering.push(call);
                    });
                } else {
                    self.push(call);
                }
            }
            Kind::Ask { judgment, env, inputs, outputs, boolean } => {
                let first = self.row(std::iter::once(&**env).chain(inputs).collect::<Vec<_>>().into_iter());
                let out = self.reserve(outputs.len().max(1));
                let ask = Op::Ask { to: out as Reg, judgment: *judgment, first };
                if *boolean {
                    self.holds(target, |lowering| {
                        lowering.push(ask);
                    });
                } else {
                    self.push(ask);
                    for (at, output) in outputs.iter().enumerate() {
                        self.push(Op::Move { to: self.reg(*output), from: (out + at as u32) as Reg });
                    }
                }
            }
            Kind::Host { function, args } => {
                let first = self.row(args.iter());
                self.push(Op::Host { to, function: *function, first, count: args.len() as u8 });
            }
            Kind::Make { class, args } => {
                let first = self.row(args.iter());
                self.push(Op::Make { to, class: *class, first, count: args.len() as u8 });
            }
            Kind::NewMap => {
                self.push(Op::NewMap { to });
            }
            Kind::Seq(all) => match all.split_last() {
                Some((last, before)) => {
                    for one in before {
                        self.effect(one);
                    }
                    if last.ty == Ty::Void { self.effect(last) } else { self.set(last, target) }
                }
                None => {
                    self.push(Op::Const { to, value: Value::Null });
                }
            },
            Kind::Premise(condition) => self.premise(condition, expr.span),
            Kind::If { condition, then, otherwise } => {
                let skip = self.branch(condition, false);
                self.set(then, target);
                let end = self.push(Op::Jump { to: 0 });
                self.land_all(&skip);
                match otherwise {
                    Some(otherwise) => self.set(otherwise, target),
                    None => {
                        self.push(Op::Const { to, value: Value::Null });
                    }
                }
                self.land(end);
            }
            Kind::While { condition, body } => {
                let start = self.here();
                let end = self.branch(condition, false);
                self.effect(body);
                self.push(Op::Jump { to: start });
                self.land_all(&end);
            }
            Kind::Through { how, list, item, body } => self.through(*how, list, *item, body, target),
            Kind::Fold { list, start, total, item, body } => {
                self.set(start, self.place(*total));
                let (list, number) = self.begin_loop(list);
                let again = self.here();
                let next = self.push(Op::Item { to: self.reg(*item), list, number, behind: 0 });
                self.set(body, self.place(*total));
                self.push(Op::Jump { to: again });
                self.land(next);
                self.push(Op::Move { to, from: self.reg(*total) });
            }
            Kind::SetLocal(local, value) => self.set(value, self.place(*local)),
            Kind::SetGlobal(global, value) => {
                let from = self.value(value);
                self.push(Op::SetGlobal { global: *global, from });
            }
            Kind::Is(value, class) => {
                let value = self.value(value);
                self.push(Op::Is { to, value, class: *class });
            }
            Kind::Cast(value, class) => {
                self.set(value, target);
                self.push(Op::Cast { value: to, class: *class });
            }
            Kind::And(parts) => {
                self.set(&parts[0], target);
                let end = self.push(Op::JumpUnless { condition: to, to: 0 });
                self.set(&parts[1], target);
                self.land(end);
            }
            Kind::Or(parts) => {
                self.set(&parts[0], target);
                let end = self.push(Op::JumpIf { condition: to, to: 0 });
                self.set(&parts[1], target);
                self.land(end);
            }
            Kind::Not(value) => {
                let value = self.value(value);
                self.push(Op::Not { to, value });
            }
            Kind::Equal(parts) => {
                let (a, b) = self.pair(parts);
                self.push(Op::Equal { to, a, b });
            }
            Kind::Compare(comparison, parts) => {
                let (a, b) = self.pair(parts);
                self.push(match comparison {
                    Comparison::Less => Op::Less { to, a, b },
                    Comparison::AtMost => Op::AtMost { to, a, b },
                });
            }
            Kind::Arithmetic(operation, parts) => {
                let (a, b) = self.pair(parts);
                self.push(Op::Arithmetic { to, operation: *operation, a, b });
            }
            Kind::Concat(parts) => {
                let (a, b) = self.pair(parts);
                self.push(Op::Concat { to, a, b });
            }
            Kind::Append(parts) => {
                let (list, item) = self.pair(parts);
                self.push(Op::Append { to, list, item });
            }
            Kind::Join(parts) => {
                let (a, b) = self.pair(parts);
                self.push(Op::Join { to, a, b });
            }
            Kind::Elvis(parts) => {
                self.set(&parts[0], target);
                let end = self.push(Op::JumpUnlessNull { value: to, to: 0 });
                self.set(&parts[1], target);
                self.land(end);
            }
            Kind::Closure { routine, captured } => {
                let first = self.reserve(captured.len());
                for (at, local) in captured.iter().enumerate() {
                    self.push(Op::Move { to: (first + at as u32) as Reg, from: self.reg(*local) });
                }
                let count = captured.len() as u8;
                self.push(Op::Closure { to, routine: *routine, first: first as Reg, count });
            }
            Kind::Invoke { on, args } => {
                let first = self.row(std::iter::once(&**on).chain(args).collect::<Vec<_>>().into_iter());
                self.push(Op::Invoke { to, first, count: args.len() as u8 + 1 });
            }
            Kind::Either { alternatives, previous } => self.either(alternatives, *previous),
            Kind::Fail(blame) => self.fail(blame),
        }
    }

    /// Whether the body of a function is copied to where it is called.
    fn is_inlined(&self, function: FunctionId) -> bool {
        self.depth < MOST_INLINED && self.system.functions[function].is_small
    }

    /// The body of a function, whose result goes to a register; of a predicate, what must hold.
    fn inline(&mut self, function: FunctionId, args: &[Expr], target: Option<u32>) {
        let mark = self.next;
        let system = self.system;
        let callee = &system.routines[system.functions[function].bodies[0]];
        let first = self.reserve(callee.locals);
        for (at, arg) in args.iter().enumerate() {
            let to = first + at as u32;
            self.set(arg, to);
            if !is_there(arg) {
                self.push(Op::NotNull { value: to as Reg, function });
            }
        }
        for at in args.len()..callee.locals {
            self.push(Op::Const { to: (first + at as u32) as Reg, value: Value::Null });
        }
        let outer = (std::mem::replace(&mut self.base, first), self.span);
        self.depth += 1;
        if let Some(body) = &callee.body {
            self.effect(body);
        }
        if let (Some(target), Some(result)) = (target, callee.results.first()) {
            self.set(result, target);
        }
        self.depth -= 1;
        (self.base, self.span) = outer;
        self.next = mark;
    }

    fn pair(&mut self, parts: &[Expr; 2]) -> (Reg, Reg) {
        (self.value(&parts[0]), self.value(&parts[1]))
    }

    fn premise(&mut self, condition: &Expr, span: Span) {
        // What holds or fails by itself does so with its own failure.
        match &condition.kind {
            Kind::Call { function, args, boolean: true } if self.is_inlined(*function) => {
                self.inline(*function, args, None);
            }
            Kind::Call { function, args, boolean: true } => {
                let first = self.row(args.iter());
                let to = self.reserve(1) as Reg;
                self.push(Op::Call { to, function: *function, first });
            }
            _ => {
                let text = (self.source)(span);
                let text = self.texts.intern(&text);
                let condition = self.value(condition);
                self.push(Op::Premise { condition, text });
            }
        }
    }

    fn fail(&mut self, blame: &Blame) {
        let parts = [&blame.message, &blame.source, &blame.feature, &blame.data];
        if parts.iter().all(|part| part.is_none()) {
            self.push(Op::Fail { first: None });
            return;
        }
        let first = self.reserve(parts.len());
        for (at, part) in parts.into_iter().enumerate() {
            let to = first + at as u32;
            match part {
                Some(part) => self.set(part, to),
                None => {
                    self.push(Op::Const { to: to as Reg, value: Value::Null });
                }
            }
        }
        self.push(Op::Fail { first: Some(first as Reg) });
    }

    /// The list, and the number of its next item.
    fn begin_loop(&mut self, list: &Expr) -> (Reg, Reg) {
        let held = self.reserve(2);
        self.set(list, held);
        self.push(Op::Const { to: (held + 1) as Reg, value: Value::Number(0) });
        (held as Reg, (held + 1) as Reg)
    }

    fn through(&mut self, how: Through, list: &Expr, item: LocalId, body: &Expr, target: u32) {
        let to = target as Reg;
        let (list, number) = self.begin_loop(list);
        let result = self.reserve(1) as Reg;
        match how {
            Through::Each => {}
            Through::Map | Through::Filter => {
                self.push(Op::List { to: result, first: 0, count: 0 });
            }
            Through::Exists => {
                self.push(Op::Const { to: result, value: Value::Truth(false) });
            }
            Through::Forall => {
                self.push(Op::Const { to: result, value: Value::Truth(true) });
            }
            Through::First => {
                self.push(Op::Const { to: result, value: Value::Null });
            }
        }
        let again = self.here();
        let next = self.push(Op::Item { to: self.reg(item), list, number, behind: 0 });
        let mut out = None;
        match how {
            Through::Each => self.effect(body),
            Through::Map => {
                let value = self.value(body);
                self.push(Op::Append { to: result, list: result, item: value });
            }
            Through::Filter => {
                let skip = self.branch(body, false);
                self.land_at(&skip, again);
                self.push(Op::Append { to: result, list: result, item: self.reg(item) });
            }
            Through::Exists | Through::Forall => {
                self.set(body, u32::from(result));
                out = Some(match how {
                    Through::Exists => self.push(Op::JumpIf { condition: result, to: 0 }),
                    _ => self.push(Op::JumpUnless { condition: result, to: 0 }),
                });
            }
            Through::First => {
                let skip = self.branch(body, false);
                self.land_at(&skip, again);
                self.push(Op::Move { to: result, from: self.reg(item) });
                out = Some(self.push(Op::Jump { to: 0 }));
            }
        }
        self.push(Op::Jump { to: again });
        self.land(next);
        if let Some(out) = out {
            self.land(out);
        }
        if how != Through::Each {
            self.push(Op::Move { to, from: result });
        }
    }
}

/// Whether a value is never null.
fn is_there(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Const(value) => *value != Value::Null,
        Kind::Make { .. }
        | Kind::List(_)
        | Kind::Concat(_)
        | Kind::Not(_)
        | Kind::Equal(_)
        | Kind::Is(..) => true,
        _ => false,
    }
}

/// Whether the body of a function is small and the only one, so that it may be copied.
pub fn is_small(system: &System, function: FunctionId) -> bool {
    let function = &system.functions[function];
    let [body] = function.bodies[..] else { return false };
    let routine = &system.routines[body];
    function.host.is_none()
        && !function.memo.watches()
        && function.blame.is_none()
        && function.dispatch.is_always()
        && routine.results.len() == 1
        && routine.body.iter().chain(&routine.results).all(|expr| expr.is_within(LARGEST_INLINED))
}
