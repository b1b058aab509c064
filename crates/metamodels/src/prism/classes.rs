//! The classes of models: one table.

volvelle_trees::classes! {
    /// What has comments: those in the lines right above it, within it, and behind it in its last line; of what has an end of its own
    /// (`endmodule`), behind its first line instead.
    [abstract] Commented { comments: [Text] }
    /// What has a name, without quotes. The place of `name` is that of the name alone.
    [abstract] Named { name: Text }
    /// What a name in an expression can mean.
    [abstract] Declaration : Named Commented {}

    /// A whole text.
    Model {
        type: ModelType, constants: [Constant], formulas: [Formula], labels: [Label], globals: [Variable], modules: [Module],
        rewards: [Rewards], players: [Player], init: Init, systems: [System],
    }
    /// `kind` is `dtmc`, `ctmc`, `mdp`, or the word of a kind that is not supported.
    ModelType : Commented { kind: Text }
    /// `type` is `int`, `double` or `bool`; an open constant has no value.
    Constant : Declaration { type: Text, value: Expression }
    Formula : Declaration { value: Expression }
    Label : Named Commented { value: Expression }
    /// `type` is `int`, `bool`, `double`, `clock`, or nothing where there is a range.
    Variable : Declaration { type: Text, low: Expression, high: Expression, initial: Expression, isGlobal: Flag }

    [abstract] Module : Named Commented {}
    PlainModule : Module { variables: [Variable], commands: [Command] }
    /// `module name = base [renamings] endmodule`
    RenamedModule : Module { base: Text, renamings: [Renaming] }
    /// `original=name`
    Renaming : Named { original: Text }
    /// An action that is missing is that of `[]`.
    Command : Commented { action: Text, guard: Expression, updates: [Update] }
    /// A weight that is missing is 1.
    Update { weight: Expression, isInterval: Flag, assignments: [Assignment] }
    /// `(name'=value)`
    Assignment : Named { value: Expression }

    Rewards : Named Commented { items: [RewardItem] }
    [abstract] RewardItem : Commented { guard: Expression, value: Expression }
    StateReward : RewardItem {}
    /// An action that is missing is that of `[]`.
    TransitionReward : RewardItem { action: Text }
    Player : Named { modules: [Text], actions: [Text] }
    Init { states: Expression }
    /// `modules` are the names in it, in the order of the text; how they are composed is its text.
    System : Named { modules: [Text] }

    [abstract] Expression {}
    /// A number as written.
    [abstract] NumberLiteral : Expression { value: Text }
    IntegerLiteral : NumberLiteral {}
    RealLiteral : NumberLiteral {}
    BooleanLiteral : Expression { value: Flag }
    /// A constant, variable or formula.
    NameUse : Expression { name: Text }
    /// `"name"`
    LabelUse : Expression { name: Text }
    Paren : Expression { operand: Expression }
    Negation : Expression { operand: Expression }
    Not : Expression { operand: Expression }
    [abstract] Binary : Expression { left: Expression, operator: Text, right: Expression }
    /// `=>`, `<=>`, `|`, `&`
    Logical : Binary {}
    /// `=`, `!=`
    Equality : Binary {}
    /// `<`, `<=`, `>`, `>=`
    Relation : Binary {}
    /// `+`, `-`
    Additive : Binary {}
    Product : Binary {}
    Quotient : Binary {}
    /// `^`
    Power : Binary {}
    Conditional : Expression { condition: Expression, then: Expression, otherwise: Expression }
    /// `function` is `min`, `max`, `floor`, `ceil`, `round`, `pow`, `mod`, `log` or `multi`, also in the old form `func(min, …)`.
    Call : Expression { function: Text, arguments: [Expression] }
    /// An operator of properties, which models do not have.
    PropertyOperator : Expression { operands: [Expression] }
}
