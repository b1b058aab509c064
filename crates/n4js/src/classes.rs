//! The classes of nodes: one table.

volvelle_trees::classes! {
    /// A whole text. `@@` annotations stand in its own list.
    Script { annotations: [Annotation], statements: [Statement] }

    /// What can stand in a list of statements.
    [abstract] Statement {}
    /// What has a value.
    [abstract] Expression {}
    /// What says a type.
    [abstract] TypeNode {}
    /// What a name can mean. The place of `name` is that of the name alone; of a computed one, with its brackets.
    [abstract] Declarable { name: Text }
    /// What can have annotations and modifiers. `access` is the last of `private`, `project`, `protected` and `public`; `modifiers` has
    /// all words as written, `export` and `default` too. Constant fields are static.
    [abstract] Modified {
        annotations: [Annotation], modifiers: [Text], access: Text,
        isExported: Flag, isDefault: Flag, isExternal: Flag, isAbstract: Flag, isStatic: Flag, isConst: Flag,
    }
    /// `@name(literals or types)`.
    Annotation { name: Text, arguments: [Expression], types: [TypeNode] }

    // Variables: either `name` or `pattern` is there.
    [abstract] Variable : Declarable { pattern: Pattern, declaredType: TypeNode, initializer: Expression }
    VariableDeclaration : Variable {}
    /// Also of function types, where the name may be missing. `hasInitializer` also where `=` stands alone. It may be called `this`.
    Parameter : Variable { annotations: [Annotation], isRest: Flag, isOptional: Flag, hasInitializer: Flag }
    CatchParameter : Variable {}

    // Patterns of declarations. Patterns of assignments stay array and object literals.
    [abstract] Pattern {}
    ArrayPattern : Pattern { elements: [PatternElement] }
    ObjectPattern : Pattern { elements: [PatternElement] }
    [abstract] PatternElement {}
    /// `property: name = initializer`; `property` is missing where it is the name, and in arrays.
    BindingElement : Variable PatternElement { property: Text, computed: Expression, isRest: Flag }
    /// Nothing between two commas.
    PatternHole : PatternElement {}

    // Functions.
    [abstract] FunctionLike {
        typeParameters: [TypeParameter], parameters: [Parameter], result: TypeNode, body: Block, isAsync: Flag, isGenerator: Flag,
    }
    FunctionDeclaration : Declarable Modified FunctionLike Statement {}
    FunctionExpression : Declarable FunctionLike Expression { annotations: [Annotation] }
    /// Either `body` or `value` is there.
    ArrowFunction : FunctionLike Expression { value: Expression }

    // Classes, interfaces, enums, aliases.
    [abstract] Classifier : Declarable Modified {}
    /// `structure` is the `~` before the name.
    [abstract] MemberOwner : Classifier { structure: Text, typeParameters: [TypeParameter], members: [Member] }
    /// `superclass` is a type reference; anything else behind `extends` is `superclassExpression`.
    [abstract] ClassLike : MemberOwner { superclass: TypeNode, superclassExpression: Expression, interfaces: [TypeNode] }
    ClassDeclaration : ClassLike Statement {}
    ClassExpression : ClassLike Expression {}
    /// `interfaces` are those behind `extends`; behind `implements`, a mistake, `implemented`.
    InterfaceDeclaration : MemberOwner Statement { interfaces: [TypeNode], implemented: [TypeNode] }
    EnumDeclaration : Classifier Statement { literals: [EnumLiteral] }
    EnumLiteral : Declarable { annotations: [Annotation], value: Expression }
    TypeAlias : Declarable Modified Statement { typeParameters: [TypeParameter], type: TypeNode }
    /// `variance` is `in` or `out`. Several bounds are an intersection. `hasDefault` also where `=` stands alone.
    TypeParameter : Declarable { variance: Text, bound: TypeNode, defaultType: TypeNode, hasDefault: Flag }

    // Members. `computed` is what stands in brackets; `name` is there too where that is a literal, and is `#x` for `Symbol.x`.
    [abstract] Member : Declarable Modified { computed: Expression, isOptional: Flag }
    /// Of object literals.
    [abstract] Property {}
    Field : Member { declaredType: TypeNode, initializer: Expression }
    [abstract] Accessor : Member Property FunctionLike {}
    /// Its type is `result`.
    Getter : Accessor {}
    /// It has one parameter.
    Setter : Accessor {}
    /// A constructor is one with the name `constructor` that is not static.
    Method : Member Property FunctionLike {}
    CallSignature : Member FunctionLike {}
    ConstructSignature : Member FunctionLike {}
    /// `name: value`; a declared type stands before the name.
    PropertyAssignment : Declarable Property {
        annotations: [Annotation], computed: Expression, declaredType: TypeNode, isOptional: Flag, value: Expression,
    }
    /// `name`; `name = initializer` only where the literal is a pattern.
    ShorthandProperty : Declarable Property { initializer: Expression }
    SpreadProperty : Property { operand: Expression }

    // Modules.
    /// `specifiers` is empty where only the module is named.
    Import : Statement { specifiers: [ImportSpecifier], module: Text }
    /// `name` is the local one.
    [abstract] ImportSpecifier : Declarable { isDynamic: Flag }
    NamedImport : ImportSpecifier { imported: Text }
    DefaultImport : ImportSpecifier {}
    NamespaceImport : ImportSpecifier {}
    /// What exports no declaration: `export {…}`, `export * from`, `export default expression`.
    Export : Modified Statement { specifiers: [ExportSpecifier], isAll: Flag, value: Expression, module: Text }
    /// `local as exported`; without `as` both are there and the same.
    ExportSpecifier { local: Text, exported: Text }

    // Statements.
    Block : Statement { statements: [Statement] }
    /// `kind` is `var`, `let` or `const`.
    VariableStatement : Modified Statement { kind: Text, declarations: [VariableDeclaration] }
    ExpressionStatement : Statement { expression: Expression }
    EmptyStatement : Statement {}
    If : Statement { condition: Expression, then: Statement, otherwise: Statement }
    [abstract] Loop : Statement {}
    For : Loop { declaration: VariableStatement, start: Expression, condition: Expression, update: Expression, body: Statement }
    /// Either `declaration` or `target` is there.
    [abstract] ForEach : Loop { declaration: VariableStatement, target: Expression, collection: Expression, body: Statement }
    ForIn : ForEach {}
    ForOf : ForEach { isAwait: Flag }
    While : Loop { condition: Expression, body: Statement }
    Do : Loop { body: Statement, condition: Expression }
    /// `break` and `continue`.
    [abstract] Jump : Statement { label: Text }
    Continue : Jump {}
    Break : Jump {}
    Return : Statement { value: Expression }
    Throw : Statement { value: Expression }
    With : Statement { object: Expression, body: Statement }
    Switch : Statement { subject: Expression, clauses: [Clause] }
    [abstract] Clause {}
    CaseClause : Clause { test: Expression, statements: [Statement] }
    DefaultClause : Clause { statements: [Statement] }
    Try : Statement { block: Block, handler: CatchClause, finalizer: Block }
    CatchClause { parameter: CatchParameter, body: Block }
    Labelled : Statement { label: Text, body: Statement }
    Debugger : Statement {}

    // Literals.
    [abstract] Literal : Expression {}
    /// `value` is as written.
    NumberLiteral : Literal { value: Text, isInteger: Flag, isOctal: Flag }
    /// `value` is without quotes and with what its escapes mean.
    StringLiteral : Literal { value: Text, hasOctal: Flag }
    BooleanLiteral : Literal { value: Flag }
    NullLiteral : Literal {}
    RegexLiteral : Literal { pattern: Text, flags: Text }
    /// One text more than expressions, as written.
    TemplateLiteral : Expression { chunks: [Text], expressions: [Expression] }
    TaggedTemplate : Expression { typeArguments: [TypeNode], target: Expression, template: TemplateLiteral }

    // Expressions.
    This : Expression {}
    Super : Expression {}
    NewTarget : Expression {}
    Identifier : Expression { name: Text }
    ArrayLiteral : Expression { elements: [Expression] }
    /// Nothing between two commas.
    ArrayHole : Expression {}
    ObjectLiteral : Expression { properties: [Property] }
    /// `target.<typeArguments>name`.
    PropertyAccess : Expression { target: Expression, typeArguments: [TypeNode], name: Text, isOptional: Flag }
    /// `target[index]`.
    IndexAccess : Expression { target: Expression, index: Expression, isOptional: Flag }
    /// `<typeArguments>target(arguments)`; those of a property stand in the target.
    Call : Expression { typeArguments: [TypeNode], target: Expression, arguments: [Expression], isOptional: Flag }
    /// `hasArguments` where there are parentheses.
    New : Expression { callee: Expression, typeArguments: [TypeNode], arguments: [Expression], hasArguments: Flag }
    [abstract] UnaryExpression : Expression { operator: Text, operand: Expression }
    Not : UnaryExpression {}
    /// `+` and `-`.
    Sign : UnaryExpression {}
    BitNot : UnaryExpression {}
    Typeof : UnaryExpression {}
    Void : UnaryExpression {}
    Delete : UnaryExpression {}
    /// `++` and `--` before an operand.
    Prefix : UnaryExpression {}
    /// `++` and `--` behind an operand.
    Postfix : Expression { operand: Expression, operator: Text }
    [abstract] BinaryExpression : Expression { left: Expression, operator: Text, right: Expression }
    Exponent : BinaryExpression {}
    Multiplicative : BinaryExpression {}
    Additive : BinaryExpression {}
    Shift : BinaryExpression {}
    /// `<`, `>`, `<=`, `>=`.
    Relational : BinaryExpression {}
    Instanceof : BinaryExpression {}
    In : BinaryExpression {}
    /// `==`, `!=`, `===`, `!==`.
    Equality : BinaryExpression {}
    /// `&`, `|`, `^`.
    Bitwise : BinaryExpression {}
    [abstract] Logical : BinaryExpression {}
    And : Logical {}
    Or : Logical {}
    /// `??`.
    Coalesce : Logical {}
    /// `=` and all `op=`. The target of `=` may be an array or object literal: a pattern.
    Assignment : Expression { target: Expression, operator: Text, value: Expression }
    Conditional : Expression { condition: Expression, then: Expression, otherwise: Expression }
    Sequence : Expression { expressions: [Expression] }
    Yield : Expression { value: Expression, isDelegate: Flag }
    Await : Expression { operand: Expression }
    /// `operand as type`.
    Cast : Expression { operand: Expression, type: TypeNode }
    /// `...operand` in arrays and arguments.
    Spread : Expression { operand: Expression }
    ImportCall : Expression { argument: Expression }
    Paren : Expression { expression: Expression }
    /// Stands where one is missing; a mistake was told.
    MissingExpression : Expression {}

    // Types. `isDynamic` is `+` behind it.
    /// Also `any`, `void`, `undefined`, `null`. `qualifier` has the names before the dots.
    TypeReference : TypeNode { qualifier: [Text], name: Text, arguments: [TypeNode], isDynamic: Flag }
    ThisTypeNode : TypeNode { isDynamic: Flag }
    /// `~`, `~~`, `~r~`, `~w~`, `~i~` before a reference or `this`; `with { members }` behind it.
    StructuralTypeNode : TypeNode { structure: Text, target: TypeNode, members: [Member], isDynamic: Flag }
    /// `?`; `direction` is `extends` or `super`, or `out` or `in` without `?`.
    WildcardNode : TypeNode { direction: Text, bound: TypeNode }
    /// Both forms.
    UnionTypeNode : TypeNode { types: [TypeNode] }
    /// Both forms.
    IntersectionTypeNode : TypeNode { types: [TypeNode] }
    /// `{function(A): B}` and `(A) => B`.
    FunctionTypeNode : TypeNode { annotations: [Annotation], typeParameters: [TypeParameter], parameters: [Parameter], result: TypeNode }
    ArrayTypeNode : TypeNode { element: TypeNode }
    TupleTypeNode : TypeNode { elements: [TypeNode] }
    /// `type{target}` and `constructor{target}`.
    ClassifierTypeNode : TypeNode { isConstructor: Flag, target: TypeNode }
    /// A text, a number, `true` or `false`.
    LiteralTypeNode : TypeNode { isNegative: Flag, literal: Expression }
    /// `type?`.
    OptionalTypeNode : TypeNode { type: TypeNode }
    ParenTypeNode : TypeNode { type: TypeNode }
    TypeofTypeNode : TypeNode { operand: Expression }
    /// Stands where one is missing; a mistake was told.
    MissingTypeNode : TypeNode {}
}
