//! The classes of specifications: one table.

volvelle_trees::classes! {
    /// `name` is in upper case, as names are compared; `written` as it stands. Their place is that of the name alone.
    [abstract] Named { name: Text, written: Text }

    /// A whole text.
    Description { specification: Specification }
    /// `isExit` where it may end, with `results` as the sorts of its values.
    [abstract] Scope : Named {
        gates: [Gate], parameters: [Variable], isExit: Flag, results: [Text], types: [Type], processes: [Process], body: Behaviour,
    }
    Specification : Scope { libraries: [Text] }
    Process : Scope {}
    /// A formal or hidden gate, or one that ranges over others.
    Gate : Named {}
    /// The place is that of its name: several may have one sort.
    Variable : Named { sort: Text }

    // Types.
    Type : Named {
        imports: [Text], formalSorts: [Sort], formalOperations: [Operation], sorts: [Sort], operations: [Operation],
        equations: [Equation], isActualised: Flag, renamings: [Renaming],
    }
    Sort : Named {}
    /// The place is that of its name: several may have one signature.
    Operation : Named { isInfix: Flag, arguments: [Text], result: Text }
    /// `name for old`
    Renaming : Named { old: Text }
    Equation { sort: Text, premises: [Condition], left: Value, right: Value }

    // Values.
    [abstract] Value {}
    /// An operation with its operands, or a variable.
    Application : Named Value { operands: [Value] }
    /// `operand of sort`
    Typed : Value { operand: Value, sort: Text }
    /// `left`, or `left = right`
    Condition { left: Value, right: Value }

    // Behaviours.
    [abstract] Behaviour {}
    Stop : Behaviour {}
    Exit : Behaviour { values: [ExitValue] }
    /// Either a value or, of `any`, a sort.
    ExitValue { value: Value, sort: Text }
    /// Without a gate it is `i`.
    Prefix : Behaviour { gate: Text, offers: [Offer], predicate: Condition, then: Behaviour }
    [abstract] Offer {}
    Give : Offer { value: Value }
    Take : Offer { variable: Variable }
    Choice : Behaviour { alternatives: [Behaviour] }
    Guard : Behaviour { condition: Condition, then: Behaviour }
    /// `isFull` is `||`.
    Parallel : Behaviour { left: Behaviour, isFull: Flag, gates: [Text], right: Behaviour }
    Enable : Behaviour { left: Behaviour, accepts: [Variable], right: Behaviour }
    Disable : Behaviour { left: Behaviour, right: Behaviour }
    Hide : Behaviour { gates: [Gate], body: Behaviour }
    Let : Behaviour { bindings: [Binding], body: Behaviour }
    Binding { variable: Variable, value: Value }
    ChoiceOfValues : Behaviour { variables: [Variable], body: Behaviour }
    ChoiceOfGates : Behaviour { ranges: [Range], body: Behaviour }
    ParallelGates : Behaviour { ranges: [Range], isFull: Flag, gates: [Text], body: Behaviour }
    Range { gate: Gate, among: [Text] }
    Call : Named Behaviour { gates: [Text], arguments: [Value] }
}
