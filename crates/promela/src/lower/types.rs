//! Types of variables, and constants.

use super::Lowering;
use crate::ast::{self, BinaryOp, ExprKind, TypeName, UnaryOp};
use crate::parse::TYPE_NAMES;
use rustc_hash::FxHashMap;
use volvelle_diagnostics::{codes, suggest};
use volvelle_model::Domain;

/// Type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `bit`, `bool`
    Bit,
    /// `byte`
    Byte,
    /// Numbers of processes.
    Pid,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `unsigned x : n`
    Unsigned(u32),
    /// `mtype`, with the number of its set.
    Mtype(u32),
    /// Numbers of channels; 0 is none.
    Chan,
}

impl Scalar {
    /// What a field of this type holds. Process and channel numbers have no limit of 255 here.
    pub fn bounds(self) -> (i64, i64) {
        match self {
            Scalar::Bit => (0, 1),
            Scalar::Byte | Scalar::Mtype(_) => (0, 255),
            Scalar::Pid | Scalar::Chan => (0, 65_535),
            Scalar::Short => (i64::from(i16::MIN), i64::from(i16::MAX)),
            Scalar::Int => (i64::from(i32::MIN), i64::from(i32::MAX)),
            Scalar::Unsigned(bits) => (0, (1 << bits) - 1),
        }
    }

    /// The same as the domain of a field.
    pub fn domain(self) -> Domain {
        let (lo, hi) = self.bounds();
        Domain::Int { lo, hi }
    }

    /// A value cut to the type as SPIN cuts it on a store.
    pub fn wrap(self, value: i64) -> i64 {
        match self {
            Scalar::Short => i64::from(value as i16),
            Scalar::Int => i64::from(value as i32),
            _ => value & self.bounds().1,
        }
    }
}

/// Type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A scalar.
    Scalar(Scalar),
    /// A `typedef`, by number.
    Struct(usize),
}

/// A `typedef`.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// Name, type, length, initial value of each member.
    pub members: Vec<Member>,
}

/// A member of a structure.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its length; `None` for a single one.
    pub length: Option<u32>,
    /// What it starts as.
    pub initial: Option<ast::Initial>,
}

/// Greatest length of an array, and greatest capacity of a channel.
pub(super) const MAX_LENGTH: i64 = 1 << 20;

/// Names of `mtype` and what they stand for.
#[derive(Clone, Debug, Default)]
pub struct Mtypes {
    /// Names of the sets; the first has none.
    pub sets: Vec<Option<String>>,
    /// Names in each set, in the order of declaration; their values are counted as SPIN does.
    pub values: FxHashMap<String, (u32, i64)>,
}

impl Mtypes {
    /// The number of a set, which is made if it is not there.
    pub fn set(&mut self, name: Option<&str>) -> u32 {
        if let Some(found) = self.sets.iter().position(|s| s.as_deref() == name) {
            return found as u32;
        }
        self.sets.push(name.map(str::to_owned));
        (self.sets.len() - 1) as u32
    }

    /// The name of a value.
    pub fn name(&self, set: u32, value: i64) -> Option<&str> {
        self.values.iter().find(|(_, v)| **v == (set, value)).map(|(name, _)| name.as_str())
    }
}

impl Lowering<'_> {
    /// Collects the names of all `mtype` declarations. Within one the last name is the smallest number; a further
    /// declaration of the same set counts on.
    pub(super) fn collect_mtypes(&mut self) {
        self.mtypes.set(None);
        let mut counts: FxHashMap<u32, i64> = FxHashMap::default();
        for unit in &self.model.units {
            let ast::Unit::Mtype { set, names } = unit else { continue };
            let set = self.mtypes.set(set.as_ref().map(|s| s.text.as_str()));
            let count = counts.entry(set).or_insert(0);
            let before = *count;
            *count += names.len() as i64;
            for (i, name) in names.iter().enumerate() {
                let value = before + (names.len() - i) as i64;
                if self.mtypes.values.insert(name.text.clone(), (set, value)).is_some() {
                    let message = format!("`{}` is declared twice", name.text);
                    self.error(codes::DUPLICATE_NAME, message, name.place, "");
                }
            }
        }
    }

    /// Collects the structures.
    pub(super) fn collect_structs(&mut self) {
        let model = self.model;
        for unit in &model.units {
            let ast::Unit::Typedef { name, fields } = unit else { continue };
            if self.structs.iter().any(|s| s.name == name.text) {
                let message = format!("the type `{}` is declared twice", name.text);
                self.error(codes::DUPLICATE_NAME, message, name.place, "");
                continue;
            }
            let mut members = Vec::new();
            for declaration in fields {
                for variable in &declaration.variables {
                    let Some(ty) = self.type_of(&declaration.ty, variable.bits, declaration.place) else {
                        continue;
                    };
                    let length = variable.length.and_then(|l| self.length(l));
                    let initial = variable.initial.clone();
                    members.push(Member { name: variable.name.text.clone(), ty, length, initial });
                }
            }
            self.structs.push(Struct { name: name.text.clone(), members });
        }
    }

    /// The type that a declaration names.
    pub(super) fn type_of(
        &mut self,
        ty: &TypeName,
        bits: Option<ast::ExprId>,
        place: ast::Place,
    ) -> Option<Type> {
        let scalar = match ty {
            TypeName::Bit | TypeName::Bool => Scalar::Bit,
            TypeName::Byte => Scalar::Byte,
            TypeName::Pid => Scalar::Pid,
            TypeName::Short => Scalar::Short,
            TypeName::Int => Scalar::Int,
            TypeName::Chan => Scalar::Chan,
            TypeName::Mtype(set) => Scalar::Mtype(self.mtypes.set(set.as_ref().map(|s| s.text.as_str()))),
            TypeName::Unsigned => {
                let Some(bits) = bits else {
                    self.error(
                        codes::TYPE_MISMATCH,
                        "an `unsigned` needs a width",
                        place,
                        "write `unsigned x : 3`",
                    );
                    return None;
                };
                match self.constant(bits) {
                    Some(n @ 1..=32) => Scalar::Unsigned(n as u32),
                    _ => {
                        let place = self.place(bits);
                        self.error(codes::TYPE_MISMATCH, "a width is a number from 1 to 32", place, "");
                        return None;
                    }
                }
            }
            TypeName::User(name) => {
                let found = self.structs.iter().position(|s| s.name == name.text);
                if found.is_none() {
                    let message = format!("`{}` is not a type", name.text);
                    let own = self.structs.iter().map(|s| s.name.as_str());
                    let near = suggest(&name.text, TYPE_NAMES.iter().copied().chain(own));
                    let help = near.map_or(String::new(), |near| format!("did you mean `{near}`?"));
                    self.error(codes::UNKNOWN_NAME, message, name.place, &help);
                }
                return found.map(Type::Struct);
            }
        };
        Some(Type::Scalar(scalar))
    }

    /// The length of an array.
    pub(super) fn length(&mut self, length: ast::ExprId) -> Option<u32> {
        let place = self.place(length);
        match self.constant(length) {
            Some(n) if (1..=MAX_LENGTH).contains(&n) => Some(n as u32),
            Some(n) => {
                let message = format!("an array cannot have {n} elements");
                self.error(codes::TYPE_MISMATCH, message, place, "");
                Some(1)
            }
            None => {
                self.error(codes::TYPE_MISMATCH, "the length of an array must be a constant", place, "");
                Some(1)
            }
        }
    }

    /// The value of an expression of constants.
    ///
    /// Recursion is as deep as the parser lets expressions nest.
    pub(super) fn constant(&self, expr: ast::ExprId) -> Option<i64> {
        let int = |v: i64| i64::from(v as i32);
        Some(match &self.model.exprs.get(expr).kind {
            ExprKind::Number(n) => int(*n),
            ExprKind::Name(name) => self.mtypes.values.get(&name.text)?.1,
            ExprKind::Unary { op, arg } => {
                let a = self.constant(*arg)?;
                match op {
                    UnaryOp::Neg => int(-a),
                    UnaryOp::Not => i64::from(a == 0),
                    UnaryOp::Complement => !a,
                    _ => return None,
                }
            }
            ExprKind::Binary { op, lhs, rhs } => {
                let (a, b) = (self.constant(*lhs)?, self.constant(*rhs)?);
                use BinaryOp::*;
                match op {
                    Add => int(a + b),
                    Sub => int(a - b),
                    Mul => int(a.wrapping_mul(b)),
                    Div => int(a.checked_div(b)?),
                    Rem => int(a.checked_rem(b)?),
                    BitAnd => a & b,
                    BitOr => a | b,
                    BitXor => a ^ b,
                    Shl => int(a << (b & 31)),
                    Shr => a >> (b & 31),
                    Lt => i64::from(a < b),
                    Le => i64::from(a <= b),
                    Gt => i64::from(a > b),
                    Ge => i64::from(a >= b),
                    Eq => i64::from(a == b),
                    Ne => i64::from(a != b),
                    And => i64::from(a != 0 && b != 0),
                    Or => i64::from(a != 0 || b != 0),
                    _ => return None,
                }
            }
            ExprKind::Conditional { cond, yes, no } => {
                self.constant(if self.constant(*cond)? != 0 { *yes } else { *no })?
            }
            _ => return None,
        })
    }
}
