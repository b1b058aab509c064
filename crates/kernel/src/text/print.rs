//! Printing: a kernel in, its text out. Total: what an invalid kernel names but does not have is shown by
//! its number.

use super::is_reserved;
use crate::entities::{Buffer, ExprId, Local};
use crate::expr::{Exprs, Node};
use crate::kernel::{Access, Block, FailKind, Kernel, Stmt};
use crate::operations::{BinaryOp, CheckedOp, MathFn, UnaryOp};
use crate::types::{Const, QUIET_NAN_F32, QUIET_NAN_F64, Type};
use crate::verify::is_identifier;
use std::borrow::Cow;
use std::fmt::Write;

/// An expression of at least this many nodes that occurs more than once gets a `let`. Thus the text is at
/// most so much longer than the arena, although sharing could make trees of exponential size.
const LET_SIZE: u64 = 16;

impl std::fmt::Display for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut printer = Printer { kernel: self, lets: vec![None; self.exprs.len()], out: String::new() };
        printer.kernel();
        f.write_str(&printer.out)
    }
}

/// How tightly operators bind, from 1 (loosest); shared with the parser.
pub(super) mod precedence {
    pub const OR: u8 = 1;
    pub const AND: u8 = 2;
    pub const COMPARISON: u8 = 3;
    pub const RANGE: u8 = 4;
    pub const BIT_OR: u8 = 5;
    pub const BIT_XOR: u8 = 6;
    pub const BIT_AND: u8 = 7;
    pub const SHIFT: u8 = 8;
    pub const SUM: u8 = 9;
    pub const PRODUCT: u8 = 10;
    pub const POWER: u8 = 11;
    pub const CONVERSION: u8 = 12;
    pub const PREFIX: u8 = 13;
    pub const ATOM: u8 = 14;
}

use precedence::*;

/// Spelling and precedence of an operation that is written between its operands.
pub(super) fn infix(op: BinaryOp) -> Option<(&'static str, u8)> {
    Some(match op {
        BinaryOp::Add => ("+", SUM),
        BinaryOp::Sub => ("-", SUM),
        BinaryOp::Mul => ("*", PRODUCT),
        BinaryOp::Div => ("/", PRODUCT),
        BinaryOp::Min | BinaryOp::Max => return None,
        BinaryOp::BitAnd => ("&", BIT_AND),
        BinaryOp::BitOr => ("|", BIT_OR),
        BinaryOp::BitXor => ("^", BIT_XOR),
        BinaryOp::Shl => ("<<", SHIFT),
        BinaryOp::Shr => (">>", SHIFT),
        BinaryOp::Eq => ("==", COMPARISON),
        BinaryOp::Ne => ("!=", COMPARISON),
        BinaryOp::Lt => ("<", COMPARISON),
        BinaryOp::Le => ("<=", COMPARISON),
        BinaryOp::Gt => (">", COMPARISON),
        BinaryOp::Ge => (">=", COMPARISON),
    })
}

/// Spelling (without the site) and precedence.
pub(super) fn checked_infix(op: CheckedOp) -> (&'static str, u8) {
    match op {
        CheckedOp::Add => ("+", SUM),
        CheckedOp::Sub => ("-", SUM),
        CheckedOp::Mul => ("*", PRODUCT),
        CheckedOp::Div => ("/", PRODUCT),
        CheckedOp::Rem => ("%", PRODUCT),
        CheckedOp::Mod => ("mod", PRODUCT),
        CheckedOp::Pow => ("**", POWER),
    }
}

/// Name of an operation that is written as a function.
pub(super) fn unary_name(op: UnaryOp) -> Option<&'static str> {
    match op {
        UnaryOp::Not | UnaryOp::Neg => None,
        UnaryOp::Abs => Some("abs"),
        UnaryOp::Sqrt => Some("sqrt"),
        UnaryOp::Floor => Some("floor"),
        UnaryOp::Ceil => Some("ceil"),
        UnaryOp::Trunc => Some("trunc"),
    }
}

/// Name of a mathematical function.
pub(super) fn math_name(f: MathFn) -> &'static str {
    match f {
        MathFn::Exp => "exp",
        MathFn::Log => "log",
        MathFn::Pow => "pow",
    }
}

/// Name of a reason to fail.
pub(super) fn fail_name(kind: FailKind) -> &'static str {
    match kind {
        FailKind::Division => "division",
        FailKind::Overflow => "overflow",
        FailKind::Range => "range",
        FailKind::Conversion => "conversion",
        FailKind::Assertion => "assertion",
    }
}

/// Name of a permission.
pub(super) fn access_name(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
        Access::Append => "append",
    }
}

struct Printer<'k> {
    kernel: &'k Kernel,
    /// The number of the `let` that names a node.
    lets: Vec<Option<usize>>,
    out: String,
}

/// A part of an expression that is still to be printed.
enum Piece {
    /// In parentheses where it binds less tightly than this.
    Expr(ExprId, u8),
    Text(Cow<'static, str>),
}

impl<'k> Printer<'k> {
    fn kernel(&mut self) {
        let kernel = self.kernel;
        let _ = write!(self.out, "kernel {}(", quoted(&kernel.name));
        for (i, decl) in kernel.locals.iter().take(kernel.params).enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            let _ = write!(self.out, "{comma}{}: {}", quoted(&decl.name), decl.ty);
        }
        self.out.push_str(") {\n");
        for decl in &kernel.buffers {
            let access = access_name(decl.access);
            let _ = writeln!(self.out, "    buffer {}: {access} {};", quoted(&decl.name), decl.ty);
        }
        for (i, decl) in kernel.sites.iter().enumerate() {
            let _ = writeln!(self.out, "    site @{i}: {}, tag {};", fail_name(decl.kind), decl.tag);
        }
        for decl in kernel.locals.iter().skip(kernel.params) {
            let _ = writeln!(self.out, "    local {}: {};", quoted(&decl.name), decl.ty);
        }
        self.lets();
        let declared = kernel.buffers.len() + kernel.sites.len() + kernel.locals.len() > kernel.params;
        if declared && !kernel.body.is_empty() {
            self.out.push('\n');
        }
        self.block(&kernel.body, 1);
        self.out.push_str("}\n");
    }

    /// Declares names for what is large and occurs more than once.
    fn lets(&mut self) {
        let exprs = &self.kernel.exprs;
        let order = self.kernel.use_order();
        let mut uses = vec![0u32; exprs.len()];
        let mut sizes = vec![0u64; exprs.len()];
        crate::canonical::each_root(&self.kernel.body, &mut |id| {
            if let Some(n) = uses.get_mut(id.index()) {
                *n += 1;
            }
        });
        for &id in &order {
            let mut size = 1u64;
            Exprs::each_operand(&exprs.node(id), |operand| {
                uses[operand.index()] += 1;
                size = size.saturating_add(sizes[operand.index()]);
            });
            sizes[id.index()] = size;
        }
        let named = order.into_iter().filter(|id| uses[id.index()] > 1 && sizes[id.index()] >= LET_SIZE);
        for (n, id) in named.enumerate() {
            let _ = write!(self.out, "    let ${n} = ");
            self.expr(id);
            self.out.push_str(";\n");
            self.lets[id.index()] = Some(n);
        }
    }

    fn block(&mut self, block: &Block, depth: usize) {
        for statement in block {
            self.indent(depth);
            self.statement(statement, depth);
        }
    }

    fn indent(&mut self, depth: usize) {
        for _ in 0..depth {
            self.out.push_str("    ");
        }
    }

    /// `{`, the block, `}`.
    fn braces(&mut self, block: &Block, depth: usize) {
        self.out.push_str("{\n");
        self.block(block, depth + 1);
        self.indent(depth);
        self.out.push('}');
    }

    fn statement(&mut self, statement: &Stmt, depth: usize) {
        match *statement {
            Stmt::Set { local, value } => {
                let name = self.local(local);
                self.out.push_str(&name);
                self.out.push_str(" = ");
                self.expr(value);
                self.out.push_str(";\n");
            }
            Stmt::Store { buffer, index, value } => {
                let name = self.buffer(buffer);
                self.out.push_str(&name);
                self.out.push('[');
                self.expr(index);
                self.out.push_str("] = ");
                self.expr(value);
                self.out.push_str(";\n");
            }
            Stmt::Take { local, buffer, index } => {
                let (local, buffer) = (self.local(local), self.buffer(buffer));
                let _ = write!(self.out, "take {local}, {buffer}[");
                self.expr(index);
                self.out.push_str("];\n");
            }
            Stmt::Emit { buffer, value } => self.on_buffer("emit", buffer, value),
            Stmt::Copy { buffer, from, start, count } => {
                let (name, from) = (self.buffer(buffer), self.buffer(from));
                let _ = write!(self.out, "copy {name}, {from}[");
                self.expr(start);
                let _ = writeln!(self.out, "; {count}];");
            }
            Stmt::Truncate { buffer, len } => self.on_buffer("truncate", buffer, len),
            Stmt::If { cond, ref then, ref otherwise } => self.choice(cond, then, otherwise, depth),
            Stmt::Switch { on, ref cases, ref default } => self.switch(on, cases, default, depth),
            Stmt::For { local, from, to, ref body } => {
                self.counter("for", local, from, to);
                self.out.push(' ');
                self.braces(body, depth);
                self.out.push('\n');
            }
            Stmt::Machine { local, from, to, start, ref blocks } => {
                self.counter("machine", local, from, to);
                self.out.push_str(" at ");
                self.expr(start);
                self.out.push_str(" {\n");
                for (i, block) in blocks.iter().enumerate() {
                    self.indent(depth + 1);
                    let _ = write!(self.out, "block {i} ");
                    self.braces(block, depth + 1);
                    self.out.push('\n');
                }
                self.indent(depth);
                self.out.push_str("}\n");
            }
            Stmt::Goto { block } => {
                let _ = writeln!(self.out, "goto {block};");
            }
            Stmt::Break => self.out.push_str("break;\n"),
            Stmt::Fail { site } => {
                let _ = writeln!(self.out, "fail @{};", site.0);
            }
            Stmt::Return => self.out.push_str("return;\n"),
        }
    }

    /// `for i in from..to`.
    fn counter(&mut self, word: &str, local: Local, from: ExprId, to: ExprId) {
        let name = self.local(local);
        let _ = write!(self.out, "{word} {name} in ");
        self.expr(from);
        self.out.push_str("..");
        self.expr(to);
    }

    fn on_buffer(&mut self, verb: &str, buffer: Buffer, value: ExprId) {
        let name = self.buffer(buffer);
        let _ = write!(self.out, "{verb} {name}, ");
        self.expr(value);
        self.out.push_str(";\n");
    }

    fn choice<'b>(&mut self, mut cond: ExprId, mut then: &'b Block, mut otherwise: &'b Block, depth: usize) {
        loop {
            self.out.push_str("if ");
            self.expr(cond);
            self.out.push(' ');
            self.braces(then, depth);
            match otherwise.as_slice() {
                [] => break,
                [Stmt::If { cond: c, then: t, otherwise: o }] => {
                    self.out.push_str(" else ");
                    (cond, then, otherwise) = (*c, t, o);
                }
                _ => {
                    self.out.push_str(" else ");
                    self.braces(otherwise, depth);
                    break;
                }
            }
        }
        self.out.push('\n');
    }

    fn switch(&mut self, on: ExprId, cases: &[(i64, Block)], default: &Block, depth: usize) {
        self.out.push_str("switch ");
        self.expr(on);
        self.out.push_str(" {\n");
        let unsigned = self.is_u64(on);
        for (key, block) in cases {
            self.indent(depth + 1);
            let _ = write!(self.out, "case {} ", integer(*key, unsigned));
            self.braces(block, depth + 1);
            self.out.push('\n');
        }
        if !default.is_empty() {
            self.indent(depth + 1);
            self.out.push_str("default ");
            self.braces(default, depth + 1);
            self.out.push('\n');
        }
        self.indent(depth);
        self.out.push_str("}\n");
    }

    fn is_u64(&self, id: ExprId) -> bool {
        id.index() < self.kernel.exprs.len() && self.kernel.exprs.ty(id) == Type::U64
    }

    fn local(&self, local: Local) -> Cow<'k, str> {
        match self.kernel.locals.get(local.index()) {
            Some(decl) => quoted(&decl.name),
            None => format!("`local {}`", local.0).into(),
        }
    }

    fn buffer(&self, buffer: Buffer) -> Cow<'k, str> {
        match self.kernel.buffers.get(buffer.index()) {
            Some(decl) => quoted(&decl.name),
            None => format!("`buffer {}`", buffer.0).into(),
        }
    }

    /// Prints an expression with an explicit stack: it may be deep.
    fn expr(&mut self, root: ExprId) {
        let mut stack = vec![Piece::Expr(root, OR)];
        while let Some(piece) = stack.pop() {
            match piece {
                Piece::Text(text) => self.out.push_str(&text),
                Piece::Expr(id, least) => {
                    let first = stack.len();
                    let binds = self.pieces(id, &mut stack);
                    if binds < least {
                        self.out.push('(');
                        stack.push(Piece::Text(")".into()));
                    }
                    stack[first..].reverse();
                }
            }
        }
    }

    /// Pushes the pieces of a node, the first one first; gives how tightly it binds.
    fn pieces(&self, id: ExprId, out: &mut Vec<Piece>) -> u8 {
        let exprs = &self.kernel.exprs;
        if id.index() >= exprs.len() {
            out.push(text(format!("`expression {}`", id.0)));
            return ATOM;
        }
        if let Some(n) = self.lets[id.index()] {
            out.push(text(format!("${n}")));
            return ATOM;
        }
        match exprs.node(id) {
            Node::Const(c) => out.push(text(literal(c))),
            Node::Local(local, _) => out.push(text(self.local(local).into_owned())),
            Node::Len(buffer) => out.push(text(format!("len({})", self.buffer(buffer)))),
            Node::Load { buffer, index, .. } => {
                out.push(text(format!("{}[", self.buffer(buffer))));
                out.push(Piece::Expr(index, OR));
                out.push(Piece::Text("]".into()));
            }
            Node::Unary { op, arg } => match unary_name(op) {
                Some(name) => call(name, &[arg], out),
                None => {
                    out.push(Piece::Text(if op == UnaryOp::Neg { "-" } else { "!" }.into()));
                    // `-5i64` is a literal, `-(5i64)` an operation.
                    let is_literal = exprs.as_const(arg).is_some();
                    out.push(Piece::Expr(arg, if is_literal { ATOM + 1 } else { PREFIX }));
                    return PREFIX;
                }
            },
            Node::Binary { op, lhs, rhs } => match infix(op) {
                Some((spelling, binds)) => return between(lhs, spelling.into(), rhs, binds, out),
                None => call(if op == BinaryOp::Min { "min" } else { "max" }, &[lhs, rhs], out),
            },
            Node::Checked { op, lhs, rhs, site } => {
                let (spelling, binds) = checked_infix(op);
                return between(lhs, format!("{spelling}@{}", site.0).into(), rhs, binds, out);
            }
            Node::And { lhs, rhs } => return between(lhs, "&&".into(), rhs, AND, out),
            Node::Or { lhs, rhs } => return between(lhs, "||".into(), rhs, OR, out),
            Node::Convert { to, arg } => return behind(arg, format!(" as {to}"), CONVERSION, out),
            Node::Reinterpret { to, arg } => return behind(arg, format!(" as bits {to}"), CONVERSION, out),
            Node::CheckedConvert { to, arg, site } => {
                return behind(arg, format!(" as@{} {to}", site.0), CONVERSION, out);
            }
            Node::Range { arg, lo, hi, site } => {
                let unsigned = self.is_u64(arg);
                let (lo, hi) = (integer(lo, unsigned), integer(hi, unsigned));
                return behind(arg, format!(" in@{} {lo}..={hi}", site.0), RANGE, out);
            }
            Node::Select { cond, yes, no } => call("select", &[cond, yes, no], out),
            Node::Math { f, args } => call(math_name(f), &args[..f.arity()], out),
            Node::MulAdd { args } => call("fma", &args, out),
        }
        ATOM
    }
}

fn text(text: String) -> Piece {
    Piece::Text(text.into())
}

fn call(name: &'static str, args: &[ExprId], out: &mut Vec<Piece>) {
    out.push(Piece::Text(name.into()));
    for (i, &arg) in args.iter().enumerate() {
        out.push(Piece::Text(if i == 0 { "(" } else { ", " }.into()));
        out.push(Piece::Expr(arg, OR));
    }
    out.push(Piece::Text(")".into()));
}

fn between(lhs: ExprId, op: Cow<'static, str>, rhs: ExprId, binds: u8, out: &mut Vec<Piece>) -> u8 {
    out.push(Piece::Expr(lhs, binds));
    out.push(Piece::Text(" ".into()));
    out.push(Piece::Text(op));
    out.push(Piece::Text(" ".into()));
    out.push(Piece::Expr(rhs, binds + 1));
    binds
}

fn behind(arg: ExprId, suffix: String, binds: u8, out: &mut Vec<Piece>) -> u8 {
    out.push(Piece::Expr(arg, binds));
    out.push(text(suffix));
    binds
}

/// An integer without suffix.
fn integer(value: i64, unsigned: bool) -> String {
    if unsigned { (value as u64).to_string() } else { value.to_string() }
}

/// A constant, so that parsing gives the same bits.
fn literal(c: Const) -> String {
    let ty = c.ty;
    match ty {
        Type::Bool => (c.bits != 0).to_string(),
        Type::F64 => float(f64::from_bits(c.bits), c, QUIET_NAN_F64),
        Type::F32 => float(f32::from_bits(c.bits as u32), c, QUIET_NAN_F32 as u64),
        _ if ty.is_signed() => format!("{}{ty}", c.bits as i64),
        _ => format!("{}{ty}", c.bits),
    }
}

/// `Debug` of a float is the shortest decimal that gives it back.
fn float<F: std::fmt::Debug + Into<f64> + Copy>(value: F, c: Const, nan: u64) -> String {
    let (ty, wide) = (c.ty, value.into());
    if wide.is_finite() {
        format!("{value:?}{ty}")
    } else if wide.is_infinite() {
        format!("{}{ty}.inf", if wide < 0.0 { "-" } else { "" })
    } else if c.bits == nan {
        format!("{ty}.nan")
    } else {
        format!("{ty}.bits({:#x})", c.bits)
    }
}

fn quoted(name: &str) -> Cow<'_, str> {
    if is_identifier(name) && !is_reserved(name) { name.into() } else { format!("`{name}`").into() }
}
