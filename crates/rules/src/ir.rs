//! Systems with all names resolved and all types known.

use crate::dispatch::Dispatch;
use crate::tokens::Kind as Token;
use crate::types::{Ty, Universe};
use crate::value::Value;
use volvelle_diagnostics::Span;
use volvelle_entity::{EntityVec, entity};
use volvelle_trees::{ClassId, Interner};

entity!(
    /// A judgment.
    JudgmentId
);
entity!(
    /// An auxiliary function.
    FunctionId
);
entity!(
    /// A rule, a function's body, a check, or a part of one of them that runs by itself.
    RoutineId
);
entity!(
    /// A field of a system.
    GlobalId
);
entity!(
    /// A variable of a routine.
    LocalId
);

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: Kind,
    /// Its type.
    pub ty: Ty,
    /// Its place.
    pub span: Span,
}

/// How a list is gone through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Through {
    Each,
    Map,
    Filter,
    Exists,
    Forall,
    First,
}

/// Comparisons of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Comparison {
    Less,
    AtMost,
}

/// Operations on numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

/// Functions that all systems have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Native {
    Size,
    IsEmpty,
    Head,
    Last,
    Tail,
    Get,
    Contains,
    IndexOf,
    Reverse,
    Distinct,
    Flatten,
    Join,
    Length,
    StartsWith,
    IsBefore,
    EndsWith,
    Substring,
    IsDigits,
    ToNumber,
    Upper,
    Lower,
    Unquoted,
    Container,
    ContainerOf(ClassId),
    Root,
    Previous,
    Next,
    All(ClassId),
    SourceText,
    ClassName,
    Offset,
    Line,
    Named(ClassId),
    MapGet,
    MapPut,
    MapHas,
    Message,
    Cause,
    Data,
    ToText,
}

/// What an expression is.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Kind {
    Const(Value),
    Local(LocalId),
    Global(GlobalId),
    Bind(Box<[Expr; 3]>),
    Over(Box<[Expr; 2]>),
    Lookup {
        env: Box<Expr>,
        key: Box<Expr>,
        class: Option<ClassId>,
    },
    List(Vec<Expr>),
    /// A field of a node or of data, by name: its place depends on the class of the value.
    Field {
        on: Box<Expr>,
        field: volvelle_trees::FieldId,
        safe: bool,
    },
    /// The first or second of a pair.
    Half {
        on: Box<Expr>,
        second: bool,
    },
    Native {
        function: Native,
        args: Vec<Expr>,
    },
    Call {
        function: FunctionId,
        args: Vec<Expr>,
        boolean: bool,
    },
    Ask {
        judgment: JudgmentId,
        env: Box<Expr>,
        inputs: Vec<Expr>,
        outputs: Vec<LocalId>,
        boolean: bool,
    },
    /// A function of the language, by its number.
    Host {
        function: u16,
        args: Vec<Expr>,
    },
    Make {
        class: ClassId,
        args: Vec<Expr>,
    },
    NewMap,
    Seq(Vec<Expr>),
    /// Must be true; the text is what the message quotes.
    Premise(Box<Expr>),
    If {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Option<Box<Expr>>,
    },
    While {
        condition: Box<Expr>,
        body: Box<Expr>,
    },
    Through {
        how: Through,
        list: Box<Expr>,
        item: LocalId,
        body: Box<Expr>,
    },
    Fold {
        list: Box<Expr>,
        start: Box<Expr>,
        total: LocalId,
        item: LocalId,
        body: Box<Expr>,
    },
    SetLocal(LocalId, Box<Expr>),
    SetGlobal(GlobalId, Box<Expr>),
    Is(Box<Expr>, ClassId),
    Cast(Box<Expr>, ClassId),
    And(Box<[Expr; 2]>),
    Or(Box<[Expr; 2]>),
    Not(Box<Expr>),
    Equal(Box<[Expr; 2]>),
    Compare(Comparison, Box<[Expr; 2]>),
    Arithmetic(Arithmetic, Box<[Expr; 2]>),
    Concat(Box<[Expr; 2]>),
    Append(Box<[Expr; 2]>),
    Join(Box<[Expr; 2]>),
    Elvis(Box<[Expr; 2]>),
    Closure {
        routine: RoutineId,
        captured: Vec<LocalId>,
    },
    Invoke {
        on: Box<Expr>,
        args: Vec<Expr>,
    },
    /// The first alternative that does not fail; `previous` holds the failure of the one before.
    Either {
        alternatives: Vec<Expr>,
        previous: LocalId,
    },
    Fail(Box<Blame>),
}

/// What is said about a failure.
#[derive(Clone, Debug, Default)]
pub struct Blame {
    /// The message.
    pub message: Option<Expr>,
    /// The node to which it belongs.
    pub source: Option<Expr>,
    /// The name of the field of that node.
    pub feature: Option<Expr>,
    /// Anything else.
    pub data: Option<Expr>,
}

/// What a routine is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A rule of a judgment. Its first local is the environment, then come the inputs.
    Rule(JudgmentId),
    /// A body of a function. Its first locals are the parameters.
    Function(FunctionId),
    /// A check. Its first local is the node.
    Check(ClassId),
    /// The message, source, feature and data of a failure. Its first locals are those of the routine that failed.
    Blame,
    /// The value of a field.
    Global,
    /// A function as a value: captured values, then parameters.
    Closure,
    /// Whether results are kept. Its first locals are the inputs.
    Condition,
    /// What stands for a judgment within itself. Its first locals are the inputs.
    Cycle,
}

/// What runs by itself.
#[derive(Clone, Debug)]
pub struct Routine {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub purpose: Purpose,
    /// Number of values that it is given.
    pub params: usize,
    /// Number of its variables, those values among them.
    pub locals: usize,
    /// What it does before it gives its results.
    pub body: Option<Expr>,
    /// Its results.
    pub results: Vec<Expr>,
    /// Classes of the results, which are checked; none where all values are right.
    pub classes: Vec<Option<ClassId>>,
    /// The routine that says what is wrong when this one fails.
    pub blame: Option<RoutineId>,
    /// Where its name stands.
    pub span: Span,
    /// Of rules and bodies, the classes of what they are for, none where all fit.
    pub accepts: Vec<Option<ClassId>>,
    /// How many systems that extend each other come before its own one.
    pub level: usize,
}

/// A judgment.
#[derive(Clone, Debug)]
pub struct Judgment {
    /// Its name.
    pub name: String,
    /// Where that stands.
    pub span: Span,
    /// The symbol behind the environment.
    pub symbol: Token,
    /// The symbols between places.
    pub relations: Vec<Token>,
    /// Types of all places, and whether each is an output.
    pub places: Vec<(Ty, bool)>,
    /// Number of the inputs.
    pub input_count: usize,
    /// Its rules.
    pub rules: Vec<RoutineId>,
    /// Which rule is for which classes.
    pub dispatch: Dispatch,
    /// How results are kept.
    pub memo: Memo,
    /// The routine that says what is wrong when it fails.
    pub blame: Option<RoutineId>,
}

impl Judgment {
    /// Types of the inputs.
    pub fn inputs(&self) -> impl Iterator<Item = &Ty> {
        self.places.iter().filter(|(_, output)| !output).map(|(ty, _)| ty)
    }

    /// Types of the outputs.
    pub fn outputs(&self) -> impl Iterator<Item = &Ty> {
        self.places.iter().filter(|(_, output)| *output).map(|(ty, _)| ty)
    }
}

/// Whether results are kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memo {
    /// Whether they are.
    pub cached: bool,
    /// Under which condition.
    pub condition: Option<RoutineId>,
    /// What stands for it within itself.
    pub cycle: Option<RoutineId>,
}

/// An auxiliary function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where that stands.
    pub span: Span,
    /// Types of its parameters.
    pub params: Vec<Ty>,
    /// The type of its result; of predicates, truth.
    pub result: Ty,
    /// Whether it only holds or fails.
    pub is_predicate: bool,
    /// Its number among the functions of the language, if it is one of these.
    pub host: Option<u16>,
    /// Its bodies.
    pub bodies: Vec<RoutineId>,
    /// Which body is for which classes.
    pub dispatch: Dispatch,
    /// How results are kept.
    pub memo: Memo,
    /// The routine that says what is wrong when it fails.
    pub blame: Option<RoutineId>,
    /// Whether its body may be copied to where it is called.
    pub is_small: bool,
}

/// A field of a system.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Whether it changes.
    pub is_var: bool,
    /// The routine that gives its first value.
    pub value: Option<RoutineId>,
}

/// A system.
#[derive(Clone, Debug)]
pub struct System {
    /// Its name.
    pub name: String,
    /// Classes and types.
    pub universe: Universe,
    /// Texts of constants.
    pub texts: Interner,
    /// Judgments.
    pub judgments: EntityVec<JudgmentId, Judgment>,
    /// Functions.
    pub functions: EntityVec<FunctionId, Function>,
    /// What runs.
    pub routines: EntityVec<RoutineId, Routine>,
    /// Fields.
    pub globals: EntityVec<GlobalId, Global>,
    /// Checks.
    pub checks: Vec<RoutineId>,
    /// The function that shows values, where there is one.
    pub show: Option<FunctionId>,
}

impl Memo {
    /// Whether results are kept, or whether it meets itself is noticed.
    #[inline]
    pub fn watches(&self) -> bool {
        self.cached || self.cycle.is_some()
    }
}

impl Expr {
    /// The expressions in it, in the order in which they are written.
    pub fn parts(&self) -> Vec<&Expr> {
        use Kind as K;
        match &self.kind {
            K::Const(_) | K::Local(_) | K::Global(_) | K::NewMap | K::Closure { .. } => Vec::new(),
            K::Bind(parts) => parts.iter().collect(),
            K::Over(parts)
            | K::And(parts)
            | K::Or(parts)
            | K::Equal(parts)
            | K::Compare(_, parts)
            | K::Arithmetic(_, parts)
            | K::Concat(parts)
            | K::Append(parts)
            | K::Join(parts)
            | K::Elvis(parts) => parts.iter().collect(),
            K::Lookup { env, key, .. } => vec![env, key],
            K::List(all) | K::Seq(all) => all.iter().collect(),
            K::Native { args, .. } | K::Call { args, .. } | K::Host { args, .. } | K::Make { args, .. } => {
                args.iter().collect()
            }
            K::Field { on, .. } | K::Half { on, .. } => vec![on],
            K::Ask { env, inputs, .. } => std::iter::once(&**env).chain(inputs).collect(),
            K::Premise(inner) | K::Is(inner, _) | K::Cast(inner, _) | K::Not(inner) => vec![inner],
            K::SetLocal(_, value) | K::SetGlobal(_, value) => vec![value],
            K::If { condition, then, otherwise } => {
                [&**condition, &**then].into_iter().chain(otherwise.as_deref()).collect()
            }
            K::While { condition, body } => vec![condition, body],
            K::Through { list, body, .. } => vec![list, body],
            K::Fold { list, start, body, .. } => vec![list, start, body],
            K::Invoke { on, args } => std::iter::once(&**on).chain(args).collect(),
            K::Either { alternatives, .. } => alternatives.iter().collect(),
            K::Fail(blame) => {
                [&blame.message, &blame.source, &blame.feature, &blame.data].into_iter().flatten().collect()
            }
        }
    }

    /// Whether nothing comes behind it, since it fails.
    pub fn fails(&self) -> bool {
        match &self.kind {
            Kind::Fail(_) => true,
            Kind::Seq(all) => all.iter().any(Expr::fails),
            Kind::If { then, otherwise, .. } => {
                then.fails() && otherwise.as_ref().is_some_and(|expr| expr.fails())
            }
            Kind::Either { alternatives, .. } => alternatives.iter().all(Expr::fails),
            _ => false,
        }
    }

    /// Whether it consists of at most so many expressions.
    pub fn is_within(&self, most: usize) -> bool {
        let mut waiting = vec![self];
        let mut count = 0;
        while let Some(expr) = waiting.pop() {
            count += 1;
            if count > most {
                return false;
            }
            waiting.extend(expr.parts());
        }
        true
    }
}
