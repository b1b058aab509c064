//! Instructions of the machine.

use crate::ir::{Arithmetic, FunctionId, GlobalId, JudgmentId, Native, RoutineId};
use crate::value::Value;
use volvelle_diagnostics::Span;
use volvelle_trees::{ClassId, FieldId, Symbol};

/// A register of a routine.
pub type Reg = u16;

/// A place in the instructions of a routine.
pub type Label = u32;

/// An instruction. Registers that begin with `first` are followed by the others.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Op {
    Const {
        to: Reg,
        value: Value,
    },
    Move {
        to: Reg,
        from: Reg,
    },
    Global {
        to: Reg,
        global: GlobalId,
    },
    SetGlobal {
        global: GlobalId,
        from: Reg,
    },
    Bind {
        to: Reg,
        env: Reg,
        key: Reg,
        value: Reg,
    },
    Over {
        to: Reg,
        below: Reg,
        above: Reg,
    },
    Lookup {
        to: Reg,
        env: Reg,
        key: Reg,
        class: Option<ClassId>,
    },
    List {
        to: Reg,
        first: Reg,
        count: u16,
    },
    Append {
        to: Reg,
        list: Reg,
        item: Reg,
    },
    Join {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Field {
        to: Reg,
        on: Reg,
        field: FieldId,
        safe: bool,
    },
    Half {
        to: Reg,
        on: Reg,
        second: bool,
    },
    Native {
        to: Reg,
        function: Native,
        first: Reg,
        count: u8,
    },
    Call {
        to: Reg,
        function: FunctionId,
        first: Reg,
    },
    /// The environment is the first register, inputs follow; outputs go to `to` and behind it.
    Ask {
        to: Reg,
        judgment: JudgmentId,
        first: Reg,
    },
    Host {
        to: Reg,
        function: u16,
        first: Reg,
        count: u8,
    },
    Make {
        to: Reg,
        class: ClassId,
        first: Reg,
        count: u8,
    },
    NewMap {
        to: Reg,
    },
    Closure {
        to: Reg,
        routine: RoutineId,
        first: Reg,
        count: u8,
    },
    /// The function is the first register, arguments follow.
    Invoke {
        to: Reg,
        first: Reg,
        count: u8,
    },
    Jump {
        to: Label,
    },
    JumpIf {
        condition: Reg,
        to: Label,
    },
    JumpUnless {
        condition: Reg,
        to: Label,
    },
    /// Where it is whether the value is of the class.
    JumpIs {
        value: Reg,
        class: ClassId,
        when: bool,
        to: Label,
    },
    /// Where it is whether the value is the constant, which is no list.
    JumpSame {
        value: Reg,
        when: bool,
        constant: Value,
        to: Label,
    },
    /// Where it is whether the values are equal.
    JumpEqual {
        a: Reg,
        b: Reg,
        when: bool,
        to: Label,
    },
    JumpUnlessNull {
        value: Reg,
        to: Label,
    },
    Is {
        to: Reg,
        value: Reg,
        class: ClassId,
    },
    Cast {
        value: Reg,
        class: ClassId,
    },
    Not {
        to: Reg,
        value: Reg,
    },
    Equal {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Less {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    AtMost {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Arithmetic {
        to: Reg,
        operation: Arithmetic,
        a: Reg,
        b: Reg,
    },
    Concat {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    /// From here on a failure goes on at the label, in a register.
    Try {
        handler: Label,
        failure: Reg,
    },
    EndTry,
    /// An argument of a function must not be null.
    NotNull {
        value: Reg,
        function: FunctionId,
    },
    Premise {
        condition: Reg,
        text: Symbol,
    },
    /// Message, source, feature, data; or nothing said.
    Fail {
        first: Option<Reg>,
    },
    /// The next item of a list, whose number is in a register; behind the last one goes on at the label.
    Item {
        to: Reg,
        list: Reg,
        number: Reg,
        behind: Label,
    },
    Return {
        first: Reg,
        count: u8,
    },
}

/// A routine as instructions.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// Instructions.
    pub ops: Vec<Op>,
    /// What each is about.
    pub spans: Vec<Span>,
    /// Number of registers.
    pub registers: u32,
    /// The first so many are variables, which are null at the beginning.
    pub locals: u32,
    /// Alternatives of `or`: the instructions with which they begin.
    pub alternatives: Vec<(u32, Span)>,
}
