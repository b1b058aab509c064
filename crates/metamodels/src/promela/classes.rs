//! The classes of models: one table.

volvelle_trees::classes! {
    /// What has a name. The place of `name` is that of the name alone.
    [abstract] Named { name: Text }

    /// A whole text.
    Model { units: [Unit] }
    [abstract] Unit {}
    [abstract] Statement { labels: [Label] }
    Label : Named {}

    /// `type` is as written, of `mtype:set` with the set.
    Declaration : Unit Statement { type: Text, isHidden: Flag, isShown: Flag, isLocal: Flag, variables: [Variable] }
    /// `values` are those of `{ … }`.
    Variable : Named { length: Expression, bits: Expression, initial: Expression, values: [Expression], channel: Channel }
    /// `[capacity] of { fields }`
    Channel { capacity: Expression, fields: [Text] }
    /// `mtype:set = { constants }`
    MessageTypes : Unit { set: Text, constants: [MessageType] }
    MessageType : Named {}
    Typedef : Named Unit { fields: [Declaration] }
    /// `name` is `init` of the initial process.
    Process : Named Unit {
        isInit: Flag, isActive: Flag, isDeterministic: Flag, count: Expression, parameters: [Declaration], priority: Expression,
        provided: Expression, body: [Statement],
    }
    Never : Named Unit { body: [Statement] }
    Trace : Named Unit { isNegated: Flag, body: [Statement] }
    /// `ltl name { formula }`
    Formula : Named Unit { formula: Expression }

    Exclusive : Statement { isReceive: Flag, channels: [Expression] }
    ExpressionStatement : Statement { expression: Expression }
    Assignment : Statement { target: Expression, value: Expression }
    Increment : Statement { target: Expression }
    Decrement : Statement { target: Expression }
    Send : Statement { channel: Expression, isSorted: Flag, arguments: [Expression] }
    Receive : Statement { channel: Expression, isRandom: Flag, isKept: Flag, arguments: [Expression] }
    If : Statement { alternatives: [Alternative] }
    Do : Statement { alternatives: [Alternative] }
    Alternative { body: [Statement] }
    For : Statement { variable: Expression, start: Expression, end: Expression, body: [Statement] }
    ForIn : Statement { variable: Expression, collection: Expression, body: [Statement] }
    Select : Statement { variable: Expression, start: Expression, end: Expression }
    Atomic : Statement { body: [Statement] }
    DStep : Statement { body: [Statement] }
    Block : Statement { body: [Statement] }
    Unless : Statement { body: [Statement], escape: [Statement] }
    Break : Statement {}
    Goto : Statement { label: Text }
    /// `format` is without quotes.
    Print : Statement { format: Text, arguments: [Expression] }
    PrintMessageType : Statement { value: Expression }
    Assert : Statement { condition: Expression }
    /// Stands where one could not be read; a mistake was told.
    MissingStatement : Statement {}

    [abstract] Expression {}
    /// Also `true`, `false`, `skip` and a character: their text is at its place.
    NumberLiteral : Expression {}
    NameUse : Expression { name: Text }
    IndexAccess : Expression { target: Expression, index: Expression }
    FieldAccess : Expression { target: Expression, name: Text }
    Unary : Expression { operator: Text, operand: Expression }
    Binary : Expression { left: Expression, operator: Text, right: Expression }
    Conditional : Expression { condition: Expression, then: Expression, otherwise: Expression }
    Run : Expression { name: Text, arguments: [Expression], priority: Expression }
    /// `query` is `len`, `empty`, `nempty`, `full` or `nfull`.
    ChannelQuery : Expression { query: Text, channel: Expression }
    Poll : Expression { channel: Expression, isRandom: Flag, arguments: [Expression] }
    Eval : Expression { operand: Expression }
    /// `query` is `enabled`, `pc_value`, `get_priority` or `set_priority`.
    ProcessQuery : Expression { query: Text, operands: [Expression] }
    Timeout : Expression {}
    Else : Expression {}
    RemoteLabel : Expression { process: Text, pid: Expression, label: Text }
    RemoteVariable : Expression { process: Text, pid: Expression, variable: Expression }
    TextLiteral : Expression { value: Text }
    /// Stands where one could not be read; a mistake was told.
    MissingExpression : Expression {}
}
