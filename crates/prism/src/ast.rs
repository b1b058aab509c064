//! Syntax trees of models and properties.
//!
//! Expressions of a file live in one arena ([`Exprs`]); children have smaller ids than parents, so
//! passes are loops. Property operators are expressions too, as in PRISM's own grammar
//! (`1 - P=? [ F "done" ]` is a property). Names are kept as written; nothing is resolved here.

use std::collections::BTreeMap;
use std::sync::Arc;
use volvelle_diagnostics::Span;
use volvelle_entity::entity;
use volvelle_logic::OmegaAutomaton;

entity!(
    /// Index of an expression in [`Exprs`].
    ExprId
);

/// A name where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The identifier, without quotes.
    pub text: String,
    /// Its span (with quotes, where it has them).
    pub span: Span,
}

/// Binary operators of the grammar, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum BinaryOp {
    Implies,
    Iff,
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    /// `^`, an extension some published property files use: power.
    Pow,
}

impl BinaryOp {
    /// The operator as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Implies => "=>",
            BinaryOp::Iff => "<=>",
            BinaryOp::Or => "|",
            BinaryOp::And => "&",
            BinaryOp::Eq => "=",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Pow => "^",
        }
    }
}

/// Built-in functions. `func(name, …)` is the old spelling of the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum Function {
    Min,
    Max,
    Floor,
    Ceil,
    Round,
    Pow,
    Mod,
    Log,
    /// `multi(…)`: multi-objective property.
    Multi,
}

impl Function {
    /// The function as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Function::Min => "min",
            Function::Max => "max",
            Function::Floor => "floor",
            Function::Ceil => "ceil",
            Function::Round => "round",
            Function::Pow => "pow",
            Function::Mod => "mod",
            Function::Log => "log",
            Function::Multi => "multi",
        }
    }
}

/// `min` or `max` of an operator such as `Pmax=?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum Optimum {
    Min,
    Max,
}

/// The query or the bound that follows `P`, `R`, `S`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Query {
    /// `=?`
    Value,
    /// `>= e` and so on; the operator is one of `Lt Le Gt Ge Eq`.
    Bound(BinaryOp, ExprId),
}

/// The quantity that a bound of a temporal operator limits.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Counted {
    /// Time, or steps where time is counted in steps.
    #[default]
    Time,
    /// `steps`
    Steps,
    /// `rew{"name"}`: a reward structure.
    Reward(Name),
}

/// The end of a bound that is the variable of a quantile.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenEnd {
    /// The variable.
    pub variable: Name,
    /// Whether it is the upper end.
    pub upper: bool,
    /// Whether the end is excluded.
    pub strict: bool,
}

/// A variable of a quantile.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantileVariable {
    /// Its name.
    pub name: Name,
    /// `min` or `max` before it.
    pub optimum: Option<Optimum>,
}

/// A step or time bound of a temporal operator, both ends optional.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TimeBound {
    /// Lower end.
    pub lower: Option<ExprId>,
    /// Whether the lower end is excluded (`>t`).
    pub lower_strict: bool,
    /// Upper end.
    pub upper: Option<ExprId>,
    /// Whether the upper end is excluded (`<t`).
    pub upper_strict: bool,
    /// Written `=t`: both ends are the same expression.
    pub equal: bool,
    /// Its span.
    pub span: Option<Span>,
    /// What it limits.
    pub counted: Counted,
    /// The end that is the variable of a quantile, in place of `lower` or `upper`.
    pub open: Option<OpenEnd>,
    /// More bounds, which have to hold at the same time.
    pub more: Vec<TimeBound>,
}

impl TimeBound {
    /// It and all others.
    pub fn all(&self) -> impl Iterator<Item = &TimeBound> {
        std::iter::once(self).chain(&self.more)
    }

    /// Whether it limits time alone.
    pub fn is_time(&self) -> bool {
        self.counted == Counted::Time && self.open.is_none() && self.more.is_empty()
    }

    /// Whether it limits steps alone.
    pub fn is_steps(&self) -> bool {
        self.counted == Counted::Steps && self.open.is_none() && self.more.is_empty()
    }

    fn for_each_child(&self, mut visit: impl FnMut(ExprId)) {
        for bound in self.all() {
            bound.lower.iter().copied().for_each(&mut visit);
            if !bound.equal {
                bound.upper.iter().copied().for_each(&mut visit);
            }
        }
    }
}

/// Temporal operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the field's names
pub enum Temporal {
    Next,
    Finally,
    Globally,
    Until,
    WeakUntil,
    Release,
}

impl Temporal {
    /// The operator as it is written.
    pub fn letter(self) -> &'static str {
        match self {
            Temporal::Next => "X",
            Temporal::Finally => "F",
            Temporal::Globally => "G",
            Temporal::Until => "U",
            Temporal::WeakUntil => "W",
            Temporal::Release => "R",
        }
    }
}

/// The inside of `R…[ … ]`.
#[derive(Clone, Debug, PartialEq)]
pub enum RewardPath {
    /// `C<=t`
    CumulativeUpTo(ExprId),
    /// `C{"cost"}<=B`, also with several bounds
    Within(TimeBound),
    /// `C`
    Total,
    /// `Cdiscount=d`, `C<=t discount=d`
    Discounted {
        /// The factor of each step.
        factor: ExprId,
        /// The number of steps.
        upto: Option<ExprId>,
    },
    /// `I=t`
    Instantaneous(ExprId),
    /// `S`
    SteadyState,
    /// `F φ` or any other (co-safe) path formula.
    Path(ExprId),
}

/// The reward structure of an `R` operator.
#[derive(Clone, Debug, PartialEq)]
pub enum RewardName {
    /// `R=?`: the first one.
    First,
    /// `R{"name"}`
    Named(Name),
    /// `R{2}`: by number from 1 (an expression).
    Index(ExprId),
    /// `R{"a"}/{"b"}`: neither of the two is a ratio.
    Ratio(Box<[RewardName; 2]>),
}

impl RewardName {
    /// The reward structures that are named.
    pub fn each(&self) -> impl Iterator<Item = &RewardName> {
        let (one, two) = match self {
            RewardName::Ratio(both) => (None, Some(&**both)),
            name => (Some(name), None),
        };
        one.into_iter().chain(two.into_iter().flatten())
    }
}

/// The players of `<<…>>` and `[[…]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Coalition {
    /// `<<…>>`, for some strategy of the players; `[[…]]` is for all of them.
    pub exists: bool,
    /// The players, by name or number; `None` for `*`, all of them.
    pub players: Option<Vec<Name>>,
    /// Its span.
    pub span: Span,
}

/// `{init}{min}`-style filters of older PRISM: kept apart from `filter(…)`.
#[derive(Clone, Debug, PartialEq)]
pub struct OldFilter {
    /// The states.
    pub states: ExprId,
    /// `{min}` given.
    pub min: bool,
    /// `{max}` given.
    pub max: bool,
    /// Its span.
    pub span: Span,
}

/// The kind of an expression.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // operands are named by their role
pub enum ExprKind {
    /// Integer literal.
    Int(i64),
    /// Real literal; the text is under the span.
    Real(f64),
    Bool(bool),
    /// Constant, variable or formula (or, in a property, a property's name without quotes).
    Ident(String),
    /// `"name"`: a label, or in a property a reference to another property.
    Label(String),
    Neg(ExprId),
    Not(ExprId),
    Binary {
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
    },
    /// `c ? a : b`
    Ite {
        cond: ExprId,
        yes: ExprId,
        no: ExprId,
    },
    Call {
        function: Function,
        args: Vec<ExprId>,
    },
    /// Parentheses, kept so that printing and messages show what was written.
    Paren(ExprId),

    /// `P…[ path ]`
    Prob {
        optimum: Option<Optimum>,
        query: Query,
        path: ExprId,
        filter: Option<OldFilter>,
    },
    /// `R…[ … ]`; `optimum` as in `Rmin=?`, also `R{"r"}max=?`.
    Reward {
        name: RewardName,
        optimum: Option<Optimum>,
        query: Query,
        path: RewardPath,
        filter: Option<OldFilter>,
    },
    /// `S…[ φ ]`; `optimum` for an mdp, where PRISM has no `S`.
    Steady {
        optimum: Option<Optimum>,
        query: Query,
        states: ExprId,
        filter: Option<OldFilter>,
    },
    /// `quantile(min B, P>=p [ … ])`
    Quantile {
        variables: Vec<QuantileVariable>,
        property: ExprId,
    },
    /// `T=? [ F φ ]`, expected time (steps), as in Storm; `optimum` as above.
    Time {
        optimum: Option<Optimum>,
        query: Query,
        path: ExprId,
    },
    /// `A [ path ]`
    ForAll(ExprId),
    /// `E [ path ]`
    Exists(ExprId),
    /// `filter(op, φ, states)`; the operator's name is checked when resolving.
    Filter {
        op: Name,
        property: ExprId,
        states: Option<ExprId>,
    },
    /// `P=? [ φ || ψ ]`, conditional probability as in Storm.
    Conditional {
        path: ExprId,
        given: ExprId,
    },
    /// `<<coalition>> φ`, `[[coalition]] φ`, or with several operands in parentheses.
    Strategy {
        coalition: Coalition,
        operands: Vec<ExprId>,
    },
    /// Temporal operator; `lhs` is absent for `X`, `F`, `G`.
    Temporal {
        op: Temporal,
        lhs: Option<ExprId>,
        rhs: ExprId,
        bound: TimeBound,
    },
    /// `HOA: {"file", "a" <- φ, …}`: the propositions that are given a meaning.
    Automaton {
        file: Name,
        propositions: Vec<(Name, ExprId)>,
    },
    /// Constructs that are read only to be refused by name.
    Unsupported {
        what: &'static str,
    },
    /// Stands where nothing sensible could be read; a diagnostic was given.
    Error,
}

impl ExprKind {
    /// Calls `visit` with every direct operand, in the order of the text.
    pub fn for_each_child(&self, mut visit: impl FnMut(ExprId)) {
        let query = |query: &Query, visit: &mut dyn FnMut(ExprId)| {
            if let Query::Bound(_, threshold) = query {
                visit(*threshold);
            }
        };
        let filter = |filter: &Option<OldFilter>, visit: &mut dyn FnMut(ExprId)| {
            if let Some(filter) = filter {
                visit(filter.states);
            }
        };
        match self {
            ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Bool(_)
            | ExprKind::Ident(_)
            | ExprKind::Label(_)
            | ExprKind::Unsupported { .. }
            | ExprKind::Error => {}
            ExprKind::Neg(x)
            | ExprKind::Not(x)
            | ExprKind::Paren(x)
            | ExprKind::ForAll(x)
            | ExprKind::Exists(x) => visit(*x),
            ExprKind::Binary { lhs, rhs, .. } => {
                visit(*lhs);
                visit(*rhs);
            }
            ExprKind::Ite { cond, yes, no } => {
                visit(*cond);
                visit(*yes);
                visit(*no);
            }
            ExprKind::Call { args: operands, .. } | ExprKind::Strategy { operands, .. } => {
                operands.iter().copied().for_each(visit);
            }
            ExprKind::Prob { query: q, path, filter: f, .. } => {
                query(q, &mut visit);
                visit(*path);
                filter(f, &mut visit);
            }
            ExprKind::Reward { name, query: q, path, filter: f, .. } => {
                for name in name.each() {
                    if let RewardName::Index(index) = name {
                        visit(*index);
                    }
                }
                query(q, &mut visit);
                match path {
                    RewardPath::CumulativeUpTo(x) | RewardPath::Instantaneous(x) | RewardPath::Path(x) => {
                        visit(*x);
                    }
                    RewardPath::Discounted { factor, upto } => {
                        upto.iter().copied().for_each(&mut visit);
                        visit(*factor);
                    }
                    RewardPath::Within(bound) => bound.for_each_child(&mut visit),
                    RewardPath::Total | RewardPath::SteadyState => {}
                }
                filter(f, &mut visit);
            }
            ExprKind::Steady { query: q, states, filter: f, .. } => {
                query(q, &mut visit);
                visit(*states);
                filter(f, &mut visit);
            }
            ExprKind::Time { query: q, path, .. } => {
                query(q, &mut visit);
                visit(*path);
            }
            ExprKind::Quantile { property, .. } => visit(*property),
            ExprKind::Automaton { propositions, .. } => propositions.iter().for_each(|(_, x)| visit(*x)),
            ExprKind::Filter { property, states, .. } => {
                visit(*property);
                states.iter().copied().for_each(visit);
            }
            ExprKind::Conditional { path, given } => {
                visit(*path);
                visit(*given);
            }
            ExprKind::Temporal { lhs, rhs, bound, .. } => {
                lhs.iter().copied().for_each(&mut visit);
                bound.for_each_child(&mut visit);
                visit(*rhs);
            }
        }
    }
}

/// An expression with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// Its span.
    pub span: Span,
    /// Depth of nesting, where left operands of chains are free; limited by the parser.
    pub nesting: u32,
}

/// The arena.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exprs {
    nodes: Vec<Expr>,
}

impl Exprs {
    /// Adds an expression whose children are already in the arena.
    pub fn add(&mut self, kind: ExprKind, span: Span, nesting: u32) -> ExprId {
        self.nodes.push(Expr { kind, span, nesting });
        ExprId::from_index(self.nodes.len() - 1)
    }

    /// Forgets all expressions from the `len`-th on: those of a construct that could not be read.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.nodes.truncate(len);
    }

    /// The expression behind an id.
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.nodes[id.index()]
    }

    /// The span of an expression.
    pub fn span(&self, id: ExprId) -> Span {
        self.get(id).span
    }

    /// All ids, children first.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ExprId> + use<> {
        (0..self.nodes.len() as u32).map(ExprId)
    }

    /// Number of expressions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// `dtmc`, `ctmc`, … as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum ModelType {
    Dtmc,
    Ctmc,
    Mdp,
    /// Recognised and refused: the keyword (`pta`, `pomdp`, `popta`, `smg`, `csg`, `idtmc`, `imdp`, `ctmdp`, `ma`, …).
    Unsupported(&'static str),
}

/// Type of a constant or variable declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum ConstType {
    Int,
    Double,
    Bool,
}

/// `const int N = 5;`
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Name.
    pub name: Name,
    /// Type; `const N = 3;` means `int`.
    pub ty: ConstType,
    /// Value; `None` is an open constant.
    pub value: Option<ExprId>,
    /// The whole declaration.
    pub span: Span,
}

/// `formula name = e;`
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// Name.
    pub name: Name,
    /// Definition.
    pub body: ExprId,
    /// The whole declaration.
    pub span: Span,
}

/// `label "name" = e;`
#[derive(Clone, Debug, PartialEq)]
pub struct LabelDecl {
    /// Name.
    pub name: Name,
    /// Definition.
    pub body: ExprId,
    /// The whole declaration.
    pub span: Span,
}

/// Domain of a variable.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // the names say it
pub enum VarType {
    /// `[lo..hi]`
    Range {
        lo: ExprId,
        hi: ExprId,
    },
    Int,
    Bool,
    Double,
    Clock,
}

/// `x : [0..3] init 0;`
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name.
    pub name: Name,
    /// Domain.
    pub ty: VarType,
    /// Initial value, where given.
    pub init: Option<ExprId>,
    /// The whole declaration.
    pub span: Span,
}

/// `(x'=e)`
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// Variable.
    pub target: Name,
    /// New value.
    pub value: ExprId,
    /// The whole assignment.
    pub span: Span,
}

/// `p : (x'=1)&(y'=2)`; no assignments for `true`.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// Probability or rate; `None` means 1.
    pub weight: Option<ExprId>,
    /// A lower–upper pair `[a,b]:` of an interval model was written (refused by name).
    pub interval: bool,
    /// Parallel assignments.
    pub assignments: Vec<Assignment>,
    /// The whole update.
    pub span: Span,
}

/// `[a] guard -> updates;`
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// Action; `None` for `[]`. (`<a>` of older PRISM is not accepted.)
    pub action: Option<Name>,
    /// Guard.
    pub guard: ExprId,
    /// Alternatives.
    pub updates: Vec<Update>,
    /// The whole command.
    pub span: Span,
}

/// A pair of a renaming `[x=y]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Rename {
    /// Name in the original.
    pub from: Name,
    /// Name in the copy.
    pub to: Name,
}

/// `module … endmodule`
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// Name.
    pub name: Name,
    /// Its parts.
    pub body: ModuleBody,
    /// The whole module.
    pub span: Span,
}

/// Body of a module.
#[derive(Clone, Debug, PartialEq)]
pub enum ModuleBody {
    /// Written out.
    Plain {
        /// Local variables.
        variables: Vec<Variable>,
        /// Commands.
        commands: Vec<Command>,
        /// An `invariant` was written (PTA only).
        invariant: Option<Span>,
    },
    /// `module b = a [x=y, …] endmodule`
    Renamed {
        /// The module that is copied.
        base: Name,
        /// Renaming pairs.
        renames: Vec<Rename>,
    },
}

/// One line of a reward structure.
#[derive(Clone, Debug, PartialEq)]
pub struct RewardItem {
    /// `None`: a state reward. `Some(None)`: `[]`. `Some(Some(a))`: `[a]`.
    pub action: Option<Option<Name>>,
    /// The condition under which it applies.
    pub guard: ExprId,
    /// The reward.
    pub value: ExprId,
    /// The whole line.
    pub span: Span,
}

/// `rewards "name" … endrewards`
#[derive(Clone, Debug, PartialEq)]
pub struct Rewards {
    /// Name, where given.
    pub name: Option<Name>,
    /// Lines.
    pub items: Vec<RewardItem>,
    /// The whole structure.
    pub span: Span,
}

/// A process of `system … endsystem`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // operands are named by their role
pub enum System {
    /// A module, or a named system (`system "name" …`).
    Name(Name),
    /// `P || Q`: synchronise on common actions.
    Parallel(Vec<System>),
    /// `P ||| Q`: interleave.
    Interleave(Vec<System>),
    /// `P |[a,b]| Q`: synchronise on the listed actions.
    Sync(Box<System>, Vec<Name>, Box<System>),
    /// `P / {a,b}`
    Hide(Box<System>, Vec<Name>),
    /// `P {a<-b, …}`
    Rename(Box<System>, Vec<Rename>),
}

/// `player name module, [action], … endplayer`
#[derive(Clone, Debug, PartialEq)]
pub struct Player {
    /// Its name.
    pub name: Name,
    /// Its modules.
    pub modules: Vec<Name>,
    /// Its actions.
    pub actions: Vec<Name>,
    /// The whole block.
    pub span: Span,
}

/// The kind of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Declares {
    Constant,
    Formula,
    Label,
    Variable,
    Module,
}

/// A declaration that has a name, and could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    /// Its kind.
    pub kind: Declares,
    /// Its name.
    pub name: Name,
    /// The declaration, as far as it was skipped.
    pub span: Span,
}

/// A model file.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Model {
    /// Kind and where it was written (the last one wins; several are an error).
    pub ty: Option<(ModelType, Span)>,
    /// Whether the probabilities of a command may have another sum than one. Said from outside, not in the text.
    pub unchecked_sums: bool,
    /// All expressions.
    pub exprs: Exprs,
    /// Constants in order.
    pub constants: Vec<Constant>,
    /// Formulas in order.
    pub formulas: Vec<Formula>,
    /// Labels in order.
    pub labels: Vec<LabelDecl>,
    /// Global variables in order.
    pub globals: Vec<Variable>,
    /// Modules in order.
    pub modules: Vec<Module>,
    /// Reward structures in order.
    pub rewards: Vec<Rewards>,
    /// Players in order.
    pub players: Vec<Player>,
    /// `init … endinit`
    pub init: Option<(ExprId, Span)>,
    /// `system … endsystem`, with a name where given; at most one unnamed.
    pub systems: Vec<(Option<Name>, System, Span)>,
    /// Blocks that are read only to be refused by name (`observables`, …).
    pub unsupported: Vec<(&'static str, Span)>,
    /// Declarations that are left out because of errors, in order.
    pub broken: Vec<Broken>,
}

/// A property of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// `"name":` where given.
    pub name: Option<Name>,
    /// The property.
    pub body: ExprId,
    /// From the first to the last token, without name and semicolon. Where the property could not be read
    /// (its body is [`ExprKind::Error`]), every diagnostic about it starts in this span or at its end.
    pub span: Span,
}

/// Why there is no automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadAutomaton {
    /// Whether the file could not be read at all.
    pub no_file: bool,
    /// The mistake, or the reason why the file could not be read.
    pub message: String,
    /// Where in the file, and what is there.
    pub place: Option<String>,
    /// A way out.
    pub help: Option<&'static str>,
}

/// A property file.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PropertyFile {
    /// All expressions.
    pub exprs: Exprs,
    /// Constants in order.
    pub constants: Vec<Constant>,
    /// Formulas in order.
    pub formulas: Vec<Formula>,
    /// Labels in order.
    pub labels: Vec<LabelDecl>,
    /// Whether it is one formula that runs are searched for violations of.
    pub is_claim: bool,
    /// The automata in files that properties name, by these names; the parser leaves them out.
    pub automata: BTreeMap<String, Result<Arc<OmegaAutomaton>, UnreadAutomaton>>,
    /// Declarations that are left out because of errors, in order.
    pub broken: Vec<Broken>,
    /// Properties in order; one that could not be read is there with an [`ExprKind::Error`] body.
    pub properties: Vec<Property>,
}
