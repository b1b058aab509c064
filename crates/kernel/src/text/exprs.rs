//! Parsing expressions: operator precedence with explicit stacks of operands and of what waits for them
//! (Dijkstra's shunting yard), so that no nesting can exhaust the stack.

use super::lex::{Cursor, Token, literal};
use super::print::precedence::{AND, CONVERSION, OR, PREFIX, RANGE};
use super::print::{checked_infix, infix, math_name, unary_name};
use super::{ParseError, is_reserved};
use crate::entities::{Buffer, ExprId, Local, Site};
use crate::expr::{Exprs, Node};
use crate::kernel::Kernel;
use crate::operations::{BinaryOp, CheckedOp, MathFn, UnaryOp};
use crate::types::{Const, Type};
use rustc_hash::FxHashMap;

/// The meanings of names.
#[derive(Default)]
pub(super) struct Names<'t> {
    pub(super) locals: FxHashMap<&'t str, Local>,
    pub(super) buffers: FxHashMap<&'t str, Buffer>,
    pub(super) lets: Vec<ExprId>,
}

impl<'t> Names<'t> {
    /// A declared local.
    pub(super) fn local(&self, cursor: &mut Cursor<'t>) -> Result<Local, ParseError> {
        let at = cursor.at();
        let name = cursor.name()?;
        let found = self.locals.get(name).copied();
        found.ok_or_else(|| cursor.error_at(at, format!("there is no local `{name}`")))
    }

    /// A declared buffer.
    pub(super) fn buffer(&self, cursor: &mut Cursor<'t>) -> Result<Buffer, ParseError> {
        let at = cursor.at();
        let name = cursor.name()?;
        let found = self.buffers.get(name).copied();
        found.ok_or_else(|| cursor.error_at(at, format!("there is no buffer `{name}`")))
    }
}

/// Parses an expression and leaves the cursor behind it. Nodes go into the kernel's arena.
pub(super) fn parse<'t>(
    cursor: &mut Cursor<'t>,
    names: &Names<'t>,
    kernel: &mut Kernel,
    places: &mut FxHashMap<ExprId, usize>,
) -> Result<ExprId, ParseError> {
    let mut parser = ExprParser { cursor, names, kernel, places, operands: Vec::new(), pending: Vec::new() };
    loop {
        parser.operand()?;
        if !parser.operators()? {
            break;
        }
    }
    Ok(parser.operands.pop().expect("an expression leaves one operand"))
}

/// A site in the text: `@` and its number.
pub(super) fn site(cursor: &mut Cursor<'_>) -> Result<Site, ParseError> {
    let Token::Site(digits) = cursor.peek() else {
        return Err(cursor.expected("a site"));
    };
    let site = digits.parse().map(Site).map_err(|_| cursor.error("the number is too large"))?;
    cursor.take();
    Ok(site)
}

#[derive(Clone, Copy)]
enum Infix {
    Binary(BinaryOp),
    Checked(CheckedOp, Site),
    And,
    Or,
}

#[derive(Clone, Copy)]
enum Function {
    Unary(UnaryOp),
    Binary(BinaryOp),
    Math(MathFn),
    MulAdd,
    Select,
}

/// A construct that waits for an operand or for a closing bracket; `at` is where to report a mismatch.
#[derive(Clone, Copy)]
enum Pending {
    Infix { op: Infix, binds: u8, at: usize },
    Prefix { op: UnaryOp, at: usize },
    Paren,
    Call { function: Function, commas: usize, at: usize },
    Index { buffer: Buffer, at: usize },
}

struct ExprParser<'p, 't> {
    cursor: &'p mut Cursor<'t>,
    names: &'p Names<'t>,
    kernel: &'p mut Kernel,
    /// Where nodes stand first.
    places: &'p mut FxHashMap<ExprId, usize>,
    operands: Vec<ExprId>,
    pending: Vec<Pending>,
}

impl ExprParser<'_, '_> {
    /// Reads up to and with one atom.
    fn operand(&mut self) -> Result<(), ParseError> {
        loop {
            let at = self.cursor.at();
            match self.cursor.peek() {
                Token::Symbol("(") => {
                    self.cursor.take();
                    self.pending.push(Pending::Paren);
                }
                Token::Symbol("!") => {
                    self.cursor.take();
                    self.pending.push(Pending::Prefix { op: UnaryOp::Not, at });
                }
                Token::Symbol("-") => {
                    self.cursor.take();
                    if self.starts_literal() {
                        return self.literal(true, at);
                    }
                    self.pending.push(Pending::Prefix { op: UnaryOp::Neg, at });
                }
                _ if self.starts_literal() => return self.literal(false, at),
                Token::Let(digits) => {
                    let known = digits.parse().ok().and_then(|n: usize| self.names.lets.get(n));
                    let Some(&id) = known else {
                        return Err(self.cursor.error(format!("there is no `${digits}` before this")));
                    };
                    self.cursor.take();
                    self.operands.push(id);
                    return Ok(());
                }
                Token::Word(word) if matches!(word, "true" | "false") => {
                    self.cursor.take();
                    return self.push(Node::Const(Const::bool(word == "true")), at);
                }
                Token::Word(word) if !is_reserved(word) => match self.cursor.peek_second() {
                    Token::Symbol("(") => {
                        if self.call(word, at)? {
                            return Ok(());
                        }
                    }
                    Token::Symbol("[") => self.index(at)?,
                    _ => return self.local(at),
                },
                Token::Quoted(_) if self.cursor.peek_second() == Token::Symbol("[") => self.index(at)?,
                Token::Quoted(_) => return self.local(at),
                _ => return Err(self.cursor.expected("an expression")),
            }
        }
    }

    fn starts_literal(&self) -> bool {
        match self.cursor.peek() {
            Token::Number { .. } => true,
            Token::Word("f32" | "f64") => self.cursor.peek_second() == Token::Symbol("."),
            _ => false,
        }
    }

    fn literal(&mut self, negative: bool, at: usize) -> Result<(), ParseError> {
        let constant = match self.cursor.take() {
            Token::Number { digits, suffix } => {
                let Some(ty) = Type::ALL.into_iter().find(|ty| ty.name() == suffix) else {
                    return Err(self.cursor.error_at(at, "a literal ends with its type, as `1i64` does"));
                };
                literal(negative, digits, ty).map_err(|why| self.cursor.error_at(at, why))?
            }
            Token::Word(word) => self.special(if word == "f32" { Type::F32 } else { Type::F64 })?,
            _ => return Err(self.cursor.expected("a literal")),
        };
        let is_special = matches!(constant.as_f64(), Some(x) if !x.is_finite());
        let constant =
            if negative && is_special { crate::scalar::unary(UnaryOp::Neg, constant) } else { constant };
        self.push(Node::Const(constant), at)
    }

    /// Parses the part behind the type in `f64.inf`, `f64.nan`, `f64.bits(…)`.
    fn special(&mut self, ty: Type) -> Result<Const, ParseError> {
        self.cursor.expect(".")?;
        let value = match self.cursor.peek() {
            Token::Word("inf") => f64::INFINITY,
            Token::Word("nan") => f64::NAN,
            Token::Word("bits") => {
                self.cursor.take();
                self.cursor.expect("(")?;
                let bits_ty = if ty == Type::F64 { Type::U64 } else { Type::U32 };
                let bits = self.cursor.integer(bits_ty)?;
                self.cursor.expect(")")?;
                return Ok(Const { ty, bits });
            }
            _ => return Err(self.cursor.expected("`inf`, `nan` or `bits`")),
        };
        self.cursor.take();
        // Through the definition of conversion, which fixes the bits of NaN.
        let wide = crate::scalar::convert(Type::F64, Const::f32(value as f32));
        Ok(crate::scalar::convert(ty, wide))
    }

    fn local(&mut self, at: usize) -> Result<(), ParseError> {
        let local = self.names.local(self.cursor)?;
        let ty = self.kernel.locals[local.index()].ty;
        self.push(Node::Local(local, ty), at)
    }

    fn index(&mut self, at: usize) -> Result<(), ParseError> {
        let buffer = self.names.buffer(self.cursor)?;
        self.cursor.expect("[")?;
        self.pending.push(Pending::Index { buffer, at });
        Ok(())
    }

    /// `name(`: true if that was a whole atom.
    fn call(&mut self, name: &str, at: usize) -> Result<bool, ParseError> {
        if name == "len" {
            self.cursor.take();
            self.cursor.expect("(")?;
            let buffer = self.names.buffer(self.cursor)?;
            self.cursor.expect(")")?;
            self.push(Node::Len(buffer), at)?;
            return Ok(true);
        }
        let Some(function) = function(name) else {
            return Err(self.cursor.error(format!("there is no function `{name}`")));
        };
        self.cursor.take();
        self.cursor.expect("(")?;
        self.pending.push(Pending::Call { function, commas: 0, at });
        Ok(false)
    }

    /// Reads operators behind an operand; true if the last one waits for another operand.
    fn operators(&mut self) -> Result<bool, ParseError> {
        loop {
            let at = self.cursor.at();
            match self.cursor.peek() {
                Token::Word("as") => self.conversion(at)?,
                Token::Word("in") => self.range(at)?,
                Token::Symbol(close @ (")" | "]")) => {
                    self.reduce(0)?;
                    if !self.close(close)? {
                        return Ok(false);
                    }
                }
                Token::Symbol(",") => {
                    self.reduce(0)?;
                    match self.pending.last_mut() {
                        Some(Pending::Call { commas, .. }) => {
                            *commas += 1;
                            self.cursor.take();
                            return Ok(true);
                        }
                        Some(_) => return Err(self.unclosed()),
                        None => return Ok(false),
                    }
                }
                token => {
                    let Some((op, binds)) = self.infix(token)? else {
                        self.reduce(0)?;
                        return if self.pending.is_empty() { Ok(false) } else { Err(self.unclosed()) };
                    };
                    self.reduce(binds)?;
                    self.pending.push(Pending::Infix { op, binds, at });
                    return Ok(true);
                }
            }
        }
    }

    fn unclosed(&self) -> ParseError {
        let bracket = if matches!(self.pending.last(), Some(Pending::Index { .. })) { "`]`" } else { "`)`" };
        self.cursor.expected(bracket)
    }

    /// Takes an operator that stands between operands, with its site, if one is here.
    fn infix(&mut self, token: Token<'_>) -> Result<Option<(Infix, u8)>, ParseError> {
        let spelling = match token {
            Token::Symbol("&&") => {
                self.cursor.take();
                return Ok(Some((Infix::And, AND)));
            }
            Token::Symbol("||") => {
                self.cursor.take();
                return Ok(Some((Infix::Or, OR)));
            }
            Token::Symbol(spelling) => spelling,
            Token::Word("mod") => "mod",
            _ => return Ok(None),
        };
        let total =
            BinaryOp::ALL.into_iter().find_map(|op| infix(op).filter(|i| i.0 == spelling).map(|i| (op, i.1)));
        let checked = CheckedOp::ALL.into_iter().find(|op| checked_infix(*op).0 == spelling);
        if total.is_none() && checked.is_none() {
            return Ok(None);
        }
        self.cursor.take();
        let has_site = matches!(self.cursor.peek(), Token::Site(_));
        match (total, checked) {
            (Some((op, binds)), None) => Ok(Some((Infix::Binary(op), binds))),
            (Some((op, binds)), Some(_)) if !has_site => Ok(Some((Infix::Binary(op), binds))),
            (_, Some(op)) => {
                let site = site(self.cursor)?;
                Ok(Some((Infix::Checked(op, site), checked_infix(op).1)))
            }
            (None, None) => Ok(None),
        }
    }

    /// `as type`, `as@0 type` or `as bits type`.
    fn conversion(&mut self, at: usize) -> Result<(), ParseError> {
        self.reduce(CONVERSION)?;
        self.cursor.take();
        let checked = matches!(self.cursor.peek(), Token::Site(_));
        let site = if checked { Some(site(self.cursor)?) } else { None };
        let bits = !checked && self.cursor.eat_word("bits");
        let to = self.cursor.ty()?;
        let arg = self.pop();
        self.push(
            match site {
                None if bits => Node::Reinterpret { to, arg },
                None => Node::Convert { to, arg },
                Some(site) => Node::CheckedConvert { to, arg, site },
            },
            at,
        )
    }

    /// `in@0 lo..=hi`.
    fn range(&mut self, at: usize) -> Result<(), ParseError> {
        self.reduce(RANGE)?;
        self.cursor.take();
        let site = site(self.cursor)?;
        let arg = self.pop();
        let bounds_ty = if self.kernel.exprs.ty(arg) == Type::U64 { Type::U64 } else { Type::I64 };
        let lo = self.cursor.integer(bounds_ty)? as i64;
        self.cursor.expect("..=")?;
        let hi = self.cursor.integer(bounds_ty)? as i64;
        self.push(Node::Range { arg, lo, hi, site }, at)
    }

    /// Takes a closing bracket that belongs to the innermost open one; false if none is open here.
    fn close(&mut self, bracket: &str) -> Result<bool, ParseError> {
        match (self.pending.last().copied(), bracket) {
            (None, _) => return Ok(false),
            (Some(Pending::Paren), ")") => {}
            (Some(Pending::Index { buffer, at }), "]") => {
                let index = self.pop();
                let ty = self.kernel.buffers[buffer.index()].ty;
                self.push(Node::Load { buffer, ty, index }, at)?;
            }
            (Some(Pending::Call { function, commas, at }), ")") => self.apply(function, commas + 1, at)?,
            _ => return Err(self.unclosed()),
        }
        self.pending.pop();
        self.cursor.take();
        Ok(true)
    }

    fn apply(&mut self, function: Function, args: usize, at: usize) -> Result<(), ParseError> {
        let arity = match function {
            Function::Unary(_) => 1,
            Function::Binary(_) => 2,
            Function::Math(f) => f.arity(),
            Function::MulAdd | Function::Select => 3,
        };
        if args != arity {
            let message = format!("the function takes {arity} arguments, here are {args}");
            return Err(self.cursor.error_at(at, message));
        }
        let node = match function {
            Function::Unary(op) => Node::Unary { op, arg: self.pop() },
            Function::Binary(op) => {
                let rhs = self.pop();
                Node::Binary { op, lhs: self.pop(), rhs }
            }
            Function::Math(f) => {
                let last = self.pop();
                let first = if arity == 2 { self.pop() } else { last };
                Node::Math { f, args: [first, last] }
            }
            Function::MulAdd => {
                let (z, y) = (self.pop(), self.pop());
                Node::MulAdd { args: [self.pop(), y, z] }
            }
            Function::Select => {
                let no = self.pop();
                let yes = self.pop();
                Node::Select { cond: self.pop(), yes, no }
            }
        };
        self.push(node, at)
    }

    /// Applies what waits and binds at least as tightly as `binds`.
    fn reduce(&mut self, binds: u8) -> Result<(), ParseError> {
        loop {
            match self.pending.last().copied() {
                Some(Pending::Prefix { op, at }) if PREFIX >= binds => {
                    self.pending.pop();
                    let arg = self.pop();
                    self.push(Node::Unary { op, arg }, at)?;
                }
                Some(Pending::Infix { op, binds: waiting, at }) if waiting >= binds => {
                    self.pending.pop();
                    let rhs = self.pop();
                    let lhs = self.pop();
                    let node = match op {
                        Infix::Binary(op) => Node::Binary { op, lhs, rhs },
                        Infix::Checked(op, site) => Node::Checked { op, lhs, rhs, site },
                        Infix::And => Node::And { lhs, rhs },
                        Infix::Or => Node::Or { lhs, rhs },
                    };
                    self.push(node, at)?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Adds a node if it is well-typed.
    fn push(&mut self, node: Node, at: usize) -> Result<(), ParseError> {
        let exprs = &mut self.kernel.exprs;
        if let Err(why) = exprs.type_of(&node) {
            let mut types = Vec::new();
            Exprs::each_operand(&node, |operand| types.push(exprs.ty(operand).name()));
            return Err(self.cursor.error_at(at, format!("{why} (here: {})", types.join(", "))));
        }
        let id = exprs.add(node);
        self.places.entry(id).or_insert(at);
        self.operands.push(id);
        Ok(())
    }

    fn pop(&mut self) -> ExprId {
        self.operands.pop().expect("an operator waits until its operands are there")
    }
}

fn function(name: &str) -> Option<Function> {
    let math = [MathFn::Exp, MathFn::Log, MathFn::Pow];
    match name {
        "select" => Some(Function::Select),
        "fma" => Some(Function::MulAdd),
        "min" => Some(Function::Binary(BinaryOp::Min)),
        "max" => Some(Function::Binary(BinaryOp::Max)),
        _ => {
            let unary =
                UnaryOp::ALL.into_iter().find(|op| unary_name(*op) == Some(name)).map(Function::Unary);
            unary.or_else(|| math.into_iter().find(|f| math_name(*f) == name).map(Function::Math))
        }
    }
}
