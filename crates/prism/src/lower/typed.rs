//! Lowered expressions with their PRISM types.

use super::bounds::{Bounds, INT};
use dashu_ratio::RBig;
use std::sync::Arc;
use volvelle_kernel::{ExprId, Type};

/// Types of PRISM's expressions. An `int` is also a `double` where one is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// 32-bit integers, computed with 64 bits: `i64` of the kernel IR.
    Int,
    /// `f64`
    Double,
    /// `bool`
    Bool,
}

impl Ty {
    /// Name in the language.
    pub fn name(self) -> &'static str {
        match self {
            Ty::Int => "int",
            Ty::Double => "double",
            Ty::Bool => "bool",
        }
    }

    /// With its article: `an int`.
    pub fn a_name(self) -> &'static str {
        match self {
            Ty::Int => "an int",
            Ty::Double => "a double",
            Ty::Bool => "a bool",
        }
    }

    /// The type that carries it in the kernel IR.
    pub fn kernel(self) -> Type {
        match self {
            Ty::Int => Type::I64,
            Ty::Double => Type::F64,
            Ty::Bool => Type::Bool,
        }
    }

    /// `int` or `double`.
    pub fn is_number(self) -> bool {
        self != Ty::Bool
    }
}

/// A lowered expression.
#[derive(Clone, Debug)]
pub struct Typed {
    /// Its type.
    pub ty: Ty,
    /// The expression in the program's arena.
    pub expr: ExprId,
    /// It reads no variable. (If its value could be computed, `expr` is a constant of the arena.)
    pub constant: bool,
    /// For a constant number: its value in rational arithmetic, where it has one.
    pub exact: Option<Arc<RBig>>,
    /// For a number: what it lies between, where that is known; always known of an `int`.
    pub bounds: Option<Bounds>,
}

impl Typed {
    /// Bounds of a number; all integers where nothing better is known of an `int`.
    pub fn int_bounds(&self) -> Bounds {
        self.bounds.unwrap_or(INT)
    }
}
