//! The masked program of a kernel: a linear program over registers that hold one value per lane, with masks
//! instead of control flow.
//!
//! Registers come in three classes ([`Class`]); narrow integers are stored in 32 bits and are always
//! canonical. A register is either a *temporary*, written by a single instruction that precedes all uses in
//! the same iteration of every enclosing loop, or a *variable*, which may be written often. Jumps are
//! structured: a [`Inst::Skip`] goes forward to its [`Inst::Label`], a [`Inst::Repeat`] back to its
//! [`Inst::Head`].
//!
//! An instruction with a mask acts on the lanes of the mask (no mask: all). Instructions that cannot have a
//! mask compute in all lanes, including those that the kernel would skip there: they can neither fail nor
//! access memory.

use volvelle_kernel::{Buffer, CheckedOp, MathFn, Site, Type};

/// A register: one value per lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Reg(pub(crate) u32);

impl Reg {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kind of value in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    /// A Boolean per lane.
    Mask,
    /// 32 bits per lane.
    Word,
    /// 64 bits per lane.
    Double,
}

/// How an operation sees its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Num {
    I32,
    U32,
    F32,
    I64,
    U64,
    F64,
}

impl Num {
    pub(crate) fn is_wide(self) -> bool {
        matches!(self, Num::I64 | Num::U64 | Num::F64)
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Num::F32 | Num::F64)
    }

    pub(crate) fn class(self) -> Class {
        if self.is_wide() { Class::Double } else { Class::Word }
    }

    /// The view of a type that is not Boolean.
    pub(crate) fn of(ty: Type) -> Num {
        match ty {
            Type::I8 | Type::I16 | Type::I32 => Num::I32,
            Type::Bool | Type::U8 | Type::U16 | Type::U32 => Num::U32,
            Type::F32 => Num::F32,
            Type::I64 => Num::I64,
            Type::U64 => Num::U64,
            Type::F64 => Num::F64,
        }
    }
}

impl Class {
    pub(crate) fn of(ty: Type) -> Class {
        if ty == Type::Bool { Class::Mask } else { Num::of(ty).class() }
    }
}

/// Bits of the positive quiet NaN without payload.
pub(crate) const QUIET_F64: u64 = 0x7ff8_0000_0000_0000;
/// As [`QUIET_F64`], for `f32`.
pub(crate) const QUIET_F32: u32 = 0x7fc0_0000;

/// On one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unary {
    /// Signed integers, wrapping.
    Abs,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    /// For floats: replaces any NaN by the positive quiet NaN without payload.
    Quiet,
}

/// On two operands of the same view. Bitwise operations are on `U32` and `U64` only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Arith {
    Add,
    Sub,
    Mul,
    /// Floats.
    Div,
    /// Floats: NaN if either is, −0 below +0.
    Min,
    Max,
    And,
    Or,
    Xor,
    /// The amount is below the width.
    Shl,
    /// The amount is below the width; arithmetic for signed views.
    Shr,
}

/// By a constant below the width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shift {
    Left,
    /// Arithmetic for signed views.
    Right,
    /// Rotation to the left.
    Rotate,
}

/// To a mask; floats as IEEE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Cmp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Between views.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Conversion {
    /// Word to double.
    SignExtend,
    /// Word to double.
    ZeroExtend,
    /// Double to word: the low half.
    Truncate,
    /// Double to word: the high half.
    HighHalf,
    /// Integer view to `F32`.
    ToF32(Num),
    /// Integer view to `F64`.
    ToF64(Num),
    /// `F32` to `F64`.
    Promote,
    /// `F64` to `F32`.
    Demote,
    /// `F64` to an integer view, saturating, NaN to 0.
    Saturate(Num),
}

impl Conversion {
    /// Class of the operand and of the result.
    pub(crate) fn classes(self) -> (Class, Class) {
        use Conversion::*;
        match self {
            SignExtend | ZeroExtend | Promote => (Class::Word, Class::Double),
            Truncate | HighHalf | Demote => (Class::Double, Class::Word),
            ToF32(from) => (from.class(), Class::Word),
            ToF64(from) => (from.class(), Class::Double),
            Saturate(to) => (Class::Double, to.class()),
        }
    }
}

/// Between masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Logic {
    And,
    /// `!a & b`.
    AndNot,
    Or,
    Xor,
}

/// Operations that functions of Rust carry out lane by lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PerLane {
    /// An operation on integers of a type, narrow ones in canonical 32 bits; may fail at the site.
    Checked(CheckedOp, Type, Site),
    /// On `f64`; functions of one argument ignore the second operand.
    Math(MathFn),
}

/// A place to jump to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Label(pub(crate) u32);

/// A number of rounds left, the same for all lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Counter(pub(crate) u32);

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Inst {
    /// The same bits in every lane; for a mask, all lanes or none.
    Constant {
        dst: Reg,
        bits: u64,
    },
    /// A parameter of the kernel, which is no Boolean.
    Param {
        dst: Reg,
        index: u32,
    },
    /// The number of the lane.
    Lane {
        dst: Reg,
    },
    /// Number of elements of a buffer.
    Len {
        dst: Reg,
        buffer: Buffer,
    },
    Unary {
        op: Unary,
        num: Num,
        dst: Reg,
        a: Reg,
    },
    Binary {
        op: Arith,
        num: Num,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// `a * b + c` of floats, rounded once.
    MulAdd {
        num: Num,
        dst: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    Shift {
        op: Shift,
        num: Num,
        by: u8,
        dst: Reg,
        a: Reg,
    },
    /// The high half of the product of two `U32`.
    MulHigh {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Compare {
        op: Cmp,
        num: Num,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Convert {
        op: Conversion,
        dst: Reg,
        a: Reg,
    },
    Logic {
        op: Logic,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// `mask ? yes : no`, no masks.
    Blend {
        dst: Reg,
        mask: Reg,
        yes: Reg,
        no: Reg,
    },
    /// Writes a variable (or copies it) in the lanes of the mask; masks are copied in all lanes.
    Assign {
        dst: Reg,
        src: Reg,
        mask: Option<Reg>,
    },
    /// Leaves the kernel if an index of the mask is outside the buffer.
    Load {
        dst: Reg,
        buffer: Buffer,
        index: Reg,
        mask: Option<Reg>,
    },
    /// The same element for all lanes: its index is `base + offset` (wrapping), with the same `base` in all
    /// lanes. Leaves the kernel if the index is outside the buffer.
    LoadUniform {
        dst: Reg,
        buffer: Buffer,
        base: Reg,
        offset: i32,
    },
    /// Leaves the kernel if an index of the mask is outside the buffer.
    Store {
        buffer: Buffer,
        index: Reg,
        value: Reg,
        mask: Option<Reg>,
    },
    /// Leaves the kernel if a lane of the mask fails.
    PerLane {
        op: PerLane,
        dst: Reg,
        a: Reg,
        b: Reg,
        mask: Option<Reg>,
    },
    /// Leaves the kernel if the mask is not empty.
    Fail {
        mask: Option<Reg>,
        site: Site,
    },
    /// Jumps to the label if the mask is empty.
    Skip {
        mask: Reg,
        to: Label,
    },
    /// The end of one or more skips.
    Label {
        label: Label,
    },
    /// Sets a counter to the signed or unsigned difference of two numbers that are the same in all lanes;
    /// jumps to the label if it is not positive.
    Count {
        counter: Counter,
        from: Reg,
        to: Reg,
        signed: bool,
        end: Label,
    },
    /// The start of a loop.
    Head {
        label: Label,
    },
    /// Counts one iteration; jumps back to the head if there is another one and the mask (if any) is not
    /// empty.
    Repeat {
        head: Label,
        mask: Option<Reg>,
        counter: Option<Counter>,
    },
}

impl Inst {
    /// The register that it writes.
    pub(crate) fn dst(&self) -> Option<Reg> {
        let mut inst = *self;
        inst.dst_mut().copied()
    }

    /// The place of the register that it writes.
    pub(crate) fn dst_mut(&mut self) -> Option<&mut Reg> {
        use Inst::*;
        match self {
            Constant { dst, .. }
            | Param { dst, .. }
            | Lane { dst }
            | Len { dst, .. }
            | Unary { dst, .. }
            | Binary { dst, .. }
            | MulAdd { dst, .. }
            | Shift { dst, .. }
            | MulHigh { dst, .. }
            | Compare { dst, .. }
            | Convert { dst, .. }
            | Logic { dst, .. }
            | Blend { dst, .. }
            | Assign { dst, .. }
            | Load { dst, .. }
            | LoadUniform { dst, .. }
            | PerLane { dst, .. } => Some(dst),
            Store { .. }
            | Fail { .. }
            | Skip { .. }
            | Label { .. }
            | Count { .. }
            | Head { .. }
            | Repeat { .. } => None,
        }
    }

    /// Calls `f` for the place of every register that it reads, except for the old value of a variable that
    /// is written under a mask.
    pub(crate) fn each_use_mut(&mut self, mut f: impl FnMut(&mut Reg)) {
        use Inst::*;
        match self {
            Constant { .. } | Param { .. } | Lane { .. } | Len { .. } | Label { .. } | Head { .. } => {}
            Unary { a, .. } | Shift { a, .. } | Convert { a, .. } => f(a),
            Binary { a, b, .. } | MulHigh { a, b, .. } | Compare { a, b, .. } | Logic { a, b, .. } => {
                f(a);
                f(b);
            }
            MulAdd { a, b, c, .. } => {
                f(a);
                f(b);
                f(c);
            }
            Blend { mask, yes, no, .. } => {
                f(mask);
                f(yes);
                f(no);
            }
            Assign { src, mask, .. } => {
                f(src);
                mask.iter_mut().for_each(f);
            }
            LoadUniform { base, .. } => f(base),
            Load { index, mask, .. } => {
                f(index);
                mask.iter_mut().for_each(f);
            }
            Store { index, value, mask, .. } => {
                f(index);
                f(value);
                mask.iter_mut().for_each(f);
            }
            PerLane { a, b, mask, .. } => {
                f(a);
                f(b);
                mask.iter_mut().for_each(f);
            }
            Fail { mask, .. } | Repeat { mask, .. } => mask.iter_mut().for_each(f),
            Skip { mask, .. } => f(mask),
            Count { from, to, .. } => {
                f(from);
                f(to);
            }
        }
    }

    /// Calls `f` for every register that it reads.
    pub(crate) fn each_use(&self, mut f: impl FnMut(Reg)) {
        let mut inst = *self;
        inst.each_use_mut(|r| f(*r));
    }

    /// Whether leaving it out only costs the value of its register.
    pub(crate) fn is_pure(&self) -> bool {
        use Inst::*;
        match self {
            Constant { .. }
            | Param { .. }
            | Lane { .. }
            | Len { .. }
            | Unary { .. }
            | Binary { .. }
            | MulAdd { .. }
            | Shift { .. }
            | MulHigh { .. }
            | Compare { .. }
            | Convert { .. }
            | Logic { .. }
            | Blend { .. }
            | Assign { .. } => true,
            PerLane { op, .. } => matches!(op, self::PerLane::Math(_)),
            Load { .. } | LoadUniform { .. } | Store { .. } | Fail { .. } | Skip { .. } | Label { .. } => {
                false
            }
            Count { .. } | Head { .. } | Repeat { .. } => false,
        }
    }
}

/// An instruction that may be joined with the next one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    pub(crate) inst: Inst,
    /// For a comparison: the result is its conjunction with this mask. For others: only the lanes of the mask
    /// are written, and the result is a variable.
    pub(crate) under: Option<Reg>,
}

impl Op {
    /// Calls `f` for every register that it reads, except for the old value of the variable that it writes.
    pub(crate) fn each_use(&self, mut f: impl FnMut(Reg)) {
        self.inst.each_use(&mut f);
        self.under.iter().for_each(|mask| f(*mask));
    }

    /// Whether some lanes of the result keep their old values.
    pub(crate) fn merges(&self) -> bool {
        match self.inst {
            Inst::Assign { mask, .. } => mask.is_some(),
            Inst::Compare { .. } => false,
            _ => self.under.is_some(),
        }
    }
}

/// Facts about a loop besides its instructions.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    /// Its start.
    pub(crate) head: Label,
    /// Variables that keep their values from one iteration to the next, or after the loop for lanes that have
    /// left it.
    pub(crate) keeps: Vec<Reg>,
}

/// The program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    /// Class of each register.
    pub(crate) classes: Vec<Class>,
    /// Whether a register is a variable.
    pub(crate) variable: Vec<bool>,
    /// Constants, parameters, lengths and the number of the lane: written once, before everything else.
    pub(crate) invariants: Vec<Inst>,
    /// The target of the jump. The end is the end of the kernel.
    pub(crate) code: Vec<Inst>,
    /// All loops, outer ones first.
    pub(crate) loops: Vec<Loop>,
    pub(crate) labels: u32,
    pub(crate) counters: u32,
}

impl Program {
    pub(crate) fn class(&self, reg: Reg) -> Class {
        self.classes[reg.index()]
    }
}

impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for inst in self.invariants.iter().chain(&self.code) {
            writeln!(f, "{inst:?}")?;
        }
        Ok(())
    }
}
