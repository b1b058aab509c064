//! Expressions: infix text, preceded by statements for operations that may fail or values that are used several times.
//!
//! Expressions are walked with a stack of tasks and a stack of values, so their depth does not matter here; text that nests
//! too deep for compilers (and readers) is cut by intermediate constants.

use crate::Unsupported;
use crate::laziness::is_lazy;
use crate::library::Helper;
use crate::printer::{Fact, Printer};
use crate::sharing::{Region, Sharing};
use crate::value::{Level, Value, View, infix};
use volvelle_kernel::{BinaryOp, Buffer, CheckedOp, ExprId, Exprs, Node, Site, Type, UnaryOp};

/// Operators inside of one another in one text.
const MAX_DEPTH: u32 = 24;

enum Task {
    /// Put a value on the stack.
    Eval(ExprId),
    /// The values of the operands are on the stack: replace them by that of the node.
    Apply(ExprId),
    /// The value of something shared is on the stack: give it a name.
    Keep(ExprId),
    /// The operand that decides about lazy ones is on the stack.
    Decide(ExprId),
    /// The value of the first lazy operand is on the stack; there is another one.
    Otherwise(ExprId, Value),
    /// The value of the last lazy operand is on the stack.
    Join(ExprId, Value),
}

impl Printer<'_> {
    /// Starts a statement that evaluates these expressions, in this order.
    pub(crate) fn begin(&mut self, roots: &[ExprId]) -> Result<(), Unsupported> {
        self.sharing = Sharing::of(&self.kernel.exprs, &self.fallible, roots);
        self.memo.clear();
        self.scopes.clear();
        self.scopes.push(Vec::new());
        let mut tasks = Vec::new();
        self.push_head(0, &mut tasks);
        self.work(tasks)?;
        Ok(())
    }

    /// The value of an expression of the statement that was begun.
    pub(crate) fn value(&mut self, root: ExprId) -> Result<Value, Unsupported> {
        let mut values = self.work(vec![Task::Eval(root)])?;
        Ok(values.pop().expect("an expression has a value"))
    }

    /// Schedules the shared expressions at the head of a region.
    fn push_head(&self, region: Region, tasks: &mut Vec<Task>) {
        for &id in self.sharing.head(region).iter().rev() {
            tasks.extend([Task::Keep(id), Task::Eval(id)]);
        }
    }

    fn work(&mut self, mut tasks: Vec<Task>) -> Result<Vec<Value>, Unsupported> {
        let mut values: Vec<Value> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Eval(id) => {
                    if let Some(value) = self.memo.get(&id) {
                        values.push(value.clone());
                    } else {
                        self.enter(id, &mut tasks, &mut values);
                    }
                }
                Task::Apply(id) => {
                    self.check_size()?;
                    let value = self.apply(id, &mut values);
                    let value = if value.depth > MAX_DEPTH { self.named(value) } else { value };
                    let kept = self.sharing.is_shared(id) && self.fallible[id.index()];
                    let value = if kept { self.keep(id, value) } else { value };
                    values.push(value);
                }
                Task::Keep(id) => {
                    let value = pop(&mut values);
                    self.keep(id, value);
                }
                Task::Decide(id) => self.decide(id, &mut tasks, &mut values)?,
                Task::Otherwise(id, result) => {
                    let value = pop(&mut values);
                    self.assign(&result, value);
                    self.close();
                    self.out.line("} else {");
                    self.open()?;
                    let Node::Select { cond, no, .. } = self.kernel.exprs.node(id) else {
                        unreachable!("only a choice has two lazy operands")
                    };
                    self.learn_not(cond);
                    tasks.extend([Task::Join(id, result), Task::Eval(no)]);
                    self.push_head(self.sharing.arms(id)[1], &mut tasks);
                }
                Task::Join(id, result) => {
                    let value = pop(&mut values);
                    self.assign(&result, value);
                    self.close();
                    self.out.line("}");
                    if self.sharing.is_shared(id) {
                        self.keep(id, result.clone());
                    }
                    values.push(result);
                }
            }
        }
        Ok(values)
    }

    fn enter(&mut self, id: ExprId, tasks: &mut Vec<Task>, values: &mut Vec<Value>) {
        let node = self.kernel.exprs.node(id);
        match node {
            Node::Const(c) => values.push(self.constant(c)),
            Node::Local(local, ty) => {
                let name = self.local(local);
                values.push(Value::name(ty, name));
            }
            Node::Len(buffer) => values.push(Value::name(Type::U64, self.names.lens[buffer.index()].clone())),
            _ => {
                if let Some((first, _)) = is_lazy(&node, &self.fallible) {
                    tasks.extend([Task::Decide(id), Task::Eval(first)]);
                    return;
                }
                tasks.push(Task::Apply(id));
                let first = tasks.len();
                Exprs::each_operand(&node, |operand| tasks.push(Task::Eval(operand)));
                tasks[first..].reverse();
            }
        }
    }

    /// Begins the branch of the first lazy operand.
    fn decide(
        &mut self,
        id: ExprId,
        tasks: &mut Vec<Task>,
        values: &mut Vec<Value>,
    ) -> Result<(), Unsupported> {
        let first = pop(values);
        let ty = self.kernel.exprs.ty(id);
        let result = Value::name(ty, self.names.temporary());
        let node = self.kernel.exprs.node(id);
        let lazy = match node {
            Node::Select { yes, .. } => {
                self.out.line(&format!("{ty} {};", result.text));
                self.out.line(&format!("if ({}) {{", first.text));
                yes
            }
            Node::And { rhs, .. } => {
                self.out.line(&format!("bool {} = {};", result.text, first.text));
                self.out.line(&format!("if ({}) {{", result.text));
                rhs
            }
            Node::Or { rhs, .. } => {
                self.out.line(&format!("bool {} = {};", result.text, first.text));
                self.out.line(&format!("if (!{}) {{", result.text));
                rhs
            }
            _ => unreachable!("other nodes are not lazy"),
        };
        self.open()?;
        match node {
            Node::Select { cond, .. } => self.learn(cond),
            Node::And { lhs, .. } => self.learn(lhs),
            Node::Or { lhs, .. } => self.learn_not(lhs),
            _ => {}
        }
        let after =
            if let Node::Select { .. } = node { Task::Otherwise(id, result) } else { Task::Join(id, result) };
        tasks.extend([after, Task::Eval(lazy)]);
        self.push_head(self.sharing.arms(id)[0], tasks);
        Ok(())
    }

    fn apply(&mut self, id: ExprId, values: &mut Vec<Value>) -> Value {
        match self.kernel.exprs.node(id) {
            Node::Const(_) | Node::Local(..) | Node::Len(_) => unreachable!("a leaf has no operands"),
            Node::Load { buffer, ty, index } => {
                let value = pop(values);
                let at = self.checked_index(buffer, index, value);
                let depth = at.depth + 1;
                let element = format!("{}[{}]", self.names.buffers[buffer.index()], at.text);
                let byte = Value::primary(if ty == Type::Bool { Type::U8 } else { ty }, element, depth);
                self.writer.convert(ty, byte)
            }
            Node::Unary { op, .. } => {
                let arg = pop(values);
                self.writer.unary(op, arg)
            }
            Node::Binary { op, .. } => {
                let (lhs, rhs) = pop_pair(values);
                self.writer.binary(op, lhs, rhs)
            }
            Node::Checked { op, site, .. } => {
                let (lhs, rhs) = pop_pair(values);
                let (lhs, rhs) = (self.simple(lhs), self.simple(rhs));
                if op == CheckedOp::Pow {
                    return self.power(lhs, rhs, site);
                }
                let checked = self.writer.checked(op, lhs, rhs);
                self.fail_if(checked.fails, site);
                checked.value
            }
            Node::Convert { to, .. } => {
                let arg = pop(values);
                self.writer.convert(to, arg)
            }
            Node::Reinterpret { to, arg } => {
                let is_number = self.magnitudes[arg.index()].is_finite();
                let arg = pop(values);
                self.writer.reinterpret(to, arg, is_number)
            }
            Node::CheckedConvert { to, site, .. } => {
                let arg = pop(values);
                let arg = self.simple(arg);
                let fails = self.writer.conversion_fails(to, &arg);
                self.fail_if(fails, site);
                if arg.ty.is_float() { arg.cast(to) } else { self.writer.convert(to, arg) }
            }
            Node::Range { lo, hi, site, .. } => {
                let arg = pop(values);
                let arg = self.simple(arg);
                let bound =
                    |bound: i64| if arg.ty == Type::U64 { i128::from(bound as u64) } else { bound.into() };
                let fails = self.writer.out_of(&arg, bound(lo), bound(hi));
                self.fail_if(fails, site);
                arg
            }
            Node::Select { .. } => {
                let (yes, no) = pop_pair(values);
                let cond = pop(values);
                self.choice(cond, yes, no)
            }
            Node::And { .. } => {
                let (lhs, rhs) = pop_pair(values);
                infix(Type::Bool, View::Exact, "&&", Level::And, &lhs, &rhs)
            }
            Node::Or { .. } => {
                let (lhs, rhs) = pop_pair(values);
                infix(Type::Bool, View::Exact, "||", Level::Or, &lhs, &rhs)
            }
            Node::Math { f, .. } => {
                if f.arity() == 2 {
                    let (x, y) = pop_pair(values);
                    return self.writer.math(f, &[&x, &y]);
                }
                let x = pop(values);
                self.writer.math(f, &[&x])
            }
            Node::MulAdd { .. } => {
                let z = pop(values);
                let (x, y) = pop_pair(values);
                self.writer.mul_add(&[&x, &y, &z])
            }
        }
    }

    fn choice(&mut self, cond: Value, yes: Value, no: Value) -> Value {
        let (view, yes, no) = if yes.view == no.view {
            (yes.view, yes, no)
        } else {
            (View::Low, yes.low(self.writer.dialect), no.low(self.writer.dialect))
        };
        let depth = cond.depth.max(yes.depth).max(no.depth) + 1;
        let [cond, first] = [&cond, &yes].map(|value| value.within(Level::Or));
        // Chains of choices read well without parentheses.
        let second = no.within(Level::Choice);
        Value {
            ty: yes.ty,
            text: format!("{cond} ? {first} : {second}"),
            level: Level::Choice,
            view,
            depth,
            constant: None,
            simple: false,
        }
    }

    /// A power of integers: a variable that a function sets.
    fn power(&mut self, base: Value, exponent: Value, site: Site) -> Value {
        let ty = base.ty;
        let result = Value::name(ty, self.names.temporary());
        self.out.line(&format!("{ty} {};", result.text));
        let place = Value::name(ty, format!("&{}", result.text));
        let fails = self.writer.call(Helper::PowerFails(ty), Type::Bool, &[&base, &exponent, &place]);
        self.fail_if(Some(fails), site);
        result
    }

    /// Leaves the kernel unless an element exists; returns the checked index.
    pub(crate) fn checked_index(&mut self, buffer: Buffer, index: ExprId, value: Value) -> Value {
        if self.facts.iter().any(|fact| (fact.buffer, fact.index) == (buffer, index)) {
            return value;
        }
        let value = self.simple(value);
        let len = Value::name(Type::U64, self.names.lens[buffer.index()].clone());
        let beyond = self.writer.binary(BinaryOp::Ge, value.clone(), len);
        self.writer.helpers.insert(Helper::OutOfBounds);
        self.out.line(&format!("if ({}) {}({});", beyond.text, Helper::OutOfBounds.name(), buffer.0));
        self.facts.push(Fact { depth: self.out.depth, buffer, index });
        value
    }

    fn fail_if(&mut self, condition: Option<Value>, site: Site) {
        if let Some(condition) = condition {
            let leave = self.failed(site);
            self.out.line(&format!("if ({}) {leave}", condition.text));
        }
    }

    /// The statement that leaves the kernel at a site.
    pub(crate) fn failed(&mut self, site: Site) -> String {
        self.writer.helpers.insert(Helper::Failed);
        let note = self.site_notes.get(&site).map_or(String::new(), |note| format!("  // {note}"));
        format!("{}({});{note}", Helper::Failed.name(), site.0)
    }

    /// The exact value with a text that may be repeated.
    fn simple(&mut self, value: Value) -> Value {
        if value.simple { value.exact() } else { self.named(value) }
    }

    /// Gives a value a name.
    pub(crate) fn named(&mut self, value: Value) -> Value {
        let name = self.names.temporary();
        self.out.line(&format!("const {} {name} = {};", value.ty, value.text));
        Value::name(value.ty, name)
    }

    /// Remembers a value until the block ends.
    fn keep(&mut self, id: ExprId, value: Value) -> Value {
        let value = if value.simple { value } else { self.named(value) };
        self.memo.insert(id, value.clone());
        self.scopes.last_mut().expect("there is a statement").push(id);
        value
    }

    fn assign(&mut self, to: &Value, value: Value) {
        self.out.line(&format!("{} = {};", to.text, value.text));
    }

    fn open(&mut self) -> Result<(), Unsupported> {
        self.scopes.push(Vec::new());
        self.deeper()
    }

    fn close(&mut self) {
        for id in self.scopes.pop().unwrap_or_default() {
            self.memo.remove(&id);
        }
        self.shallower();
    }

    /// Records which elements exist where a condition holds.
    pub(crate) fn learn(&mut self, condition: ExprId) {
        let mut conjuncts = vec![condition];
        while let Some(id) = conjuncts.pop() {
            match self.kernel.exprs.node(id) {
                Node::And { lhs, rhs } => conjuncts.extend([lhs, rhs]),
                Node::Unary { op: UnaryOp::Not, arg } => self.learn_not(arg),
                Node::Binary { op: BinaryOp::Lt, lhs, rhs } => self.learn_below(lhs, rhs),
                Node::Binary { op: BinaryOp::Gt, lhs, rhs } => self.learn_below(rhs, lhs),
                _ => {}
            }
        }
    }

    /// Records which elements exist where a condition does not hold.
    pub(crate) fn learn_not(&mut self, condition: ExprId) {
        let mut disjuncts = vec![condition];
        while let Some(id) = disjuncts.pop() {
            match self.kernel.exprs.node(id) {
                Node::Or { lhs, rhs } => disjuncts.extend([lhs, rhs]),
                Node::Binary { op: BinaryOp::Ge, lhs, rhs } => self.learn_below(lhs, rhs),
                Node::Binary { op: BinaryOp::Le, lhs, rhs } => self.learn_below(rhs, lhs),
                _ => {}
            }
        }
    }

    fn learn_below(&mut self, index: ExprId, len: ExprId) {
        if let Node::Len(buffer) = self.kernel.exprs.node(len) {
            self.facts.push(Fact { depth: self.out.depth, buffer, index });
        }
    }
}

fn pop(values: &mut Vec<Value>) -> Value {
    values.pop().expect("operands were evaluated before")
}

fn pop_pair(values: &mut Vec<Value>) -> (Value, Value) {
    let rhs = pop(values);
    (pop(values), rhs)
}
