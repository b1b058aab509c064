//! Running a kernel on owned inputs: parameters and buffers in, the exit and every buffer out, as values
//! that can be compared. For tests of back ends.

use crate::code::{BufferMut, Code, Exit};
use crate::interp::Element;
use crate::kernel::{Access, BufferDecl};
use crate::types::{Const, Type};

/// The contents of a buffer before a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Elements, for a buffer that is read or written.
    Elements(Vec<Const>),
    /// The capacity of a buffer that grows.
    Room(usize),
}

/// The outcome of a run. Any two NaNs of one type are equal.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub exit: Exit,
    /// All buffers afterwards, in the order of their declarations.
    pub buffers: Vec<Vec<Const>>,
}

impl PartialEq for Outcome {
    fn eq(&self, other: &Self) -> bool {
        let same = |a: &Vec<Const>, b: &Vec<Const>| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(*a, *b))
        };
        self.exit == other.exit
            && self.buffers.len() == other.buffers.len()
            && self.buffers.iter().zip(&other.buffers).all(|(a, b)| same(a, b))
    }
}

/// The same bits, or two NaNs of one type.
pub fn same_value(a: Const, b: Const) -> bool {
    let nan = |c: Const| c.as_f64().is_some_and(f64::is_nan);
    a == b || (a.ty == b.ty && nan(a) && nan(b))
}

/// Runs code on copies of `contents`, one for each declared buffer.
///
/// # Panics
/// Where parameters or contents do not match the declarations.
pub fn run(code: &dyn Code, buffers: &[BufferDecl], params: &[Const], contents: &[Contents]) -> Outcome {
    assert_eq!(buffers.len(), contents.len(), "contents for every buffer");
    let mut owned: Vec<Owned> =
        buffers.iter().zip(contents).map(|(decl, contents)| Owned::new(decl.ty, contents)).collect();
    let mut lent: Vec<BufferMut<'_>> =
        owned.iter_mut().zip(buffers).map(|(owned, decl)| owned.lend(decl.access)).collect();
    let exit = code.run(params, &mut lent);
    let buffers = owned.iter().zip(buffers).map(|(owned, decl)| owned.values(decl.ty)).collect();
    Outcome { exit, buffers }
}

macro_rules! owned {
    ($($kind:ident $element:ident $read:ident $append:ident),*) => {
        enum Owned {
            $($kind(Vec<$element>),)*
        }

        impl Owned {
            fn new(ty: Type, contents: &Contents) -> Self {
                match ty {
                    $(Type::$kind => Owned::$kind(fill(contents)),)*
                    Type::Bool => Owned::U8(fill(contents)),
                }
            }

            fn lend(&mut self, access: Access) -> BufferMut<'_> {
                match self {
                    $(Owned::$kind(v) => match access {
                        Access::Read => BufferMut::$read(v),
                        Access::Write => BufferMut::$kind(v),
                        Access::Append => BufferMut::$append(v),
                    },)*
                }
            }

            fn values(&self, ty: Type) -> Vec<Const> {
                match self {
                    $(Owned::$kind(v) => {
                        v.iter().map(|e| Const { ty, bits: e.to_const_bits() }).collect()
                    })*
                }
            }
        }
    };
}

owned!(
    U8 u8 ReadU8 AppendU8, U16 u16 ReadU16 AppendU16, U32 u32 ReadU32 AppendU32, U64 u64 ReadU64 AppendU64,
    I8 i8 ReadI8 AppendI8, I16 i16 ReadI16 AppendI16, I32 i32 ReadI32 AppendI32, I64 i64 ReadI64 AppendI64,
    F32 f32 ReadF32 AppendF32, F64 f64 ReadF64 AppendF64
);

fn fill<T: Element>(contents: &Contents) -> Vec<T> {
    match contents {
        Contents::Elements(elements) => elements.iter().map(|c| T::from_const_bits(c.bits)).collect(),
        Contents::Room(room) => Vec::with_capacity(*room),
    }
}
