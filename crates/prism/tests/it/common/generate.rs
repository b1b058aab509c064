//! Random trees, as the parser could make them.

use super::Random;
use volvelle_diagnostics::{FileId, Span};
use volvelle_prism::ast::*;

const NOWHERE: Span = Span { file: FileId(0), start: 0, end: 0 };

/// Which constructs may be used: those of models, of state formulas, of path formulas.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Plain,
    State,
    Path,
}

pub fn name(random: &mut Random) -> Name {
    Name {
        text: random.pick(&["x", "y", "abc", "N", "T", "_q1", "floor", "init_", "and_"]).to_string(),
        span: NOWHERE,
    }
}

/// A random expression of at most the given depth; `Paren` only where the parser's text would have it.
pub fn expr(random: &mut Random, exprs: &mut Exprs, depth: usize, kind: Kind) -> ExprId {
    let choice = if depth == 0 { random.below(4) } else { random.below(16) };
    let node = match choice {
        0 => ExprKind::Int(random.pick(&[0, 1, 42, i32::MAX as i64])),
        1 => ExprKind::Real(random.pick(&[0.5, 1.0, 1e-7, 2.5e300, 5e-324, 0.1])),
        2 if kind == Kind::Plain || random.chance(50) => ExprKind::Ident(name(random).text),
        2 => ExprKind::Label(name(random).text),
        3 => ExprKind::Bool(random.chance(50)),
        4 => ExprKind::Neg(expr(random, exprs, depth - 1, kind)),
        5 => ExprKind::Not(expr(random, exprs, depth - 1, kind)),
        6..=9 => binary(random, exprs, depth, kind),
        10 => ExprKind::Ite {
            cond: expr(random, exprs, depth - 1, kind),
            yes: expr(random, exprs, depth - 1, kind),
            no: expr(random, exprs, depth - 1, kind),
        },
        11 => call(random, exprs, depth, kind),
        12 => ExprKind::Paren(expr(random, exprs, depth - 1, kind)),
        _ => match kind {
            Kind::Plain => binary(random, exprs, depth, kind),
            Kind::Path if random.chance(60) => temporal(random, exprs, depth),
            _ => operator(random, exprs, depth),
        },
    };
    let mut nesting = 0;
    node.for_each_child(|child| nesting = nesting.max(exprs.get(child).nesting + 1));
    exprs.add(node, NOWHERE, nesting)
}

fn binary(random: &mut Random, exprs: &mut Exprs, depth: usize, kind: Kind) -> ExprKind {
    use BinaryOp::*;
    ExprKind::Binary {
        op: random.pick(&[Implies, Iff, Or, And, Eq, Ne, Lt, Le, Gt, Ge, Add, Sub, Mul, Div, Pow]),
        lhs: expr(random, exprs, depth - 1, kind),
        rhs: expr(random, exprs, depth - 1, kind),
    }
}

fn call(random: &mut Random, exprs: &mut Exprs, depth: usize, kind: Kind) -> ExprKind {
    use Function::*;
    let function = match kind {
        Kind::State if random.chance(20) => Multi,
        _ => random.pick(&[Min, Max, Floor, Ceil, Round, Pow, Mod, Log]),
    };
    let args = (0..1 + random.below(3)).map(|_| expr(random, exprs, depth - 1, kind)).collect();
    ExprKind::Call { function, args }
}

fn temporal(random: &mut Random, exprs: &mut Exprs, depth: usize) -> ExprKind {
    use Temporal::*;
    let op = random.pick(&[Next, Finally, Globally, Until, WeakUntil, Release]);
    let lhs = match op {
        Until | WeakUntil | Release => Some(expr(random, exprs, depth - 1, Kind::Path)),
        _ => None,
    };
    let mut bound = TimeBound::default();
    if random.chance(60) {
        bound.span = Some(NOWHERE);
        match random.below(4) {
            0 => {
                bound.upper = Some(expr(random, exprs, depth - 1, Kind::Plain));
                bound.upper_strict = random.chance(50);
            }
            1 => {
                bound.lower = Some(expr(random, exprs, depth - 1, Kind::Plain));
                bound.lower_strict = random.chance(50);
            }
            2 => {
                bound.lower = Some(expr(random, exprs, depth - 1, Kind::Plain));
                bound.upper = bound.lower;
                bound.equal = true;
            }
            _ => {
                bound.lower = Some(expr(random, exprs, depth - 1, Kind::Plain));
                bound.upper = Some(expr(random, exprs, depth - 1, Kind::Plain));
            }
        }
    }
    if bound.span.is_some() && random.chance(30) {
        let mut another = |random: &mut Random| TimeBound {
            upper: Some(expr(random, exprs, depth - 1, Kind::Plain)),
            upper_strict: random.chance(50),
            span: Some(NOWHERE),
            counted: counted(random),
            ..TimeBound::default()
        };
        bound.more = (0..random.below(3)).map(|_| another(random)).collect();
        bound.counted = counted(random);
    }
    let rhs = expr(random, exprs, depth - 1, Kind::Path);
    ExprKind::Temporal { op, lhs, rhs, bound }
}

fn counted(random: &mut Random) -> Counted {
    match random.below(3) {
        0 => Counted::Time,
        1 => Counted::Steps,
        _ => Counted::Reward(name(random)),
    }
}

fn query(random: &mut Random, exprs: &mut Exprs, depth: usize) -> Query {
    use BinaryOp::*;
    if random.chance(50) {
        return Query::Value;
    }
    let op = random.pick(&[Lt, Le, Gt, Ge, Eq]);
    Query::Bound(op, expr(random, exprs, depth - 1, Kind::Plain))
}

/// `T` is an operator only before `=?` and comparisons: `T=e` is an equation.
fn query_of_time(random: &mut Random, exprs: &mut Exprs, depth: usize) -> Query {
    match query(random, exprs, depth) {
        Query::Bound(BinaryOp::Eq, _) => Query::Value,
        other => other,
    }
}

fn old_filter(random: &mut Random, exprs: &mut Exprs, depth: usize) -> Option<OldFilter> {
    random.chance(20).then(|| OldFilter {
        states: expr(random, exprs, depth - 1, Kind::State),
        min: random.chance(50),
        max: random.chance(50),
        span: NOWHERE,
    })
}

/// A path formula, or a conditional one.
fn path(random: &mut Random, exprs: &mut Exprs, depth: usize) -> ExprId {
    if random.chance(80) {
        return expr(random, exprs, depth - 1, Kind::Path);
    }
    let target = expr(random, exprs, depth - 1, Kind::Path);
    let path =
        ExprKind::Temporal { op: Temporal::Finally, lhs: None, rhs: target, bound: TimeBound::default() };
    let path = exprs.add(path, NOWHERE, 0);
    let given = expr(random, exprs, depth - 1, Kind::Path);
    exprs.add(ExprKind::Conditional { path, given }, NOWHERE, 0)
}

fn operator(random: &mut Random, exprs: &mut Exprs, depth: usize) -> ExprKind {
    let optimum = random.pick(&[None, None, Some(Optimum::Min), Some(Optimum::Max)]);
    match random.below(8) {
        0 | 1 => ExprKind::Prob {
            optimum,
            query: query(random, exprs, depth),
            path: path(random, exprs, depth),
            filter: old_filter(random, exprs, depth),
        },
        2 => ExprKind::Steady {
            optimum,
            query: query(random, exprs, depth),
            states: expr(random, exprs, depth - 1, Kind::State),
            filter: old_filter(random, exprs, depth),
        },
        3 => ExprKind::Time {
            optimum,
            query: query_of_time(random, exprs, depth),
            path: path(random, exprs, depth),
        },
        4 => {
            let named = |random: &mut Random, exprs: &mut Exprs| match random.below(2) {
                0 => RewardName::Named(name(random)),
                _ => RewardName::Index(expr(random, exprs, depth - 1, Kind::Plain)),
            };
            let name = match random.below(4) {
                0 => RewardName::First,
                1 => RewardName::Ratio(Box::new([(); 2].map(|()| named(random, exprs)))),
                _ => named(random, exprs),
            };
            let query = query(random, exprs, depth);
            let path = match random.below(6) {
                0 => RewardPath::CumulativeUpTo(expr(random, exprs, depth - 1, Kind::Plain)),
                1 => RewardPath::Total,
                2 => RewardPath::Instantaneous(expr(random, exprs, depth - 1, Kind::Plain)),
                3 => RewardPath::SteadyState,
                4 => RewardPath::Discounted {
                    factor: expr(random, exprs, depth - 1, Kind::Plain),
                    upto: random.chance(50).then(|| expr(random, exprs, depth - 1, Kind::Plain)),
                },
                _ => RewardPath::Path(path(random, exprs, depth)),
            };
            let filter = old_filter(random, exprs, depth);
            ExprKind::Reward { name, optimum, query, path, filter }
        }
        5 => {
            let path = expr(random, exprs, depth - 1, Kind::Path);
            if random.chance(50) { ExprKind::ForAll(path) } else { ExprKind::Exists(path) }
        }
        6 => {
            let players = random.chance(70).then(|| some(random, 2, name));
            let coalition = Coalition { exists: random.chance(50), players, span: NOWHERE };
            let operands = match random.below(3) {
                0 => vec![
                    expr(random, exprs, depth - 1, Kind::State),
                    expr(random, exprs, depth - 1, Kind::State),
                ],
                _ => {
                    let inner =
                        if depth > 1 { operator(random, exprs, depth - 1) } else { ExprKind::Bool(true) };
                    let mut nesting = 0;
                    inner.for_each_child(|child| nesting = nesting.max(exprs.get(child).nesting + 1));
                    vec![exprs.add(inner, NOWHERE, nesting)]
                }
            };
            ExprKind::Strategy { coalition, operands }
        }
        _ => ExprKind::Filter {
            op: Name {
                text: random.pick(&["min", "max", "+", "&", "|", "avg", "forall", "state"]).to_string(),
                span: NOWHERE,
            },
            property: expr(random, exprs, depth - 1, Kind::State),
            states: random.chance(60).then(|| expr(random, exprs, depth - 1, Kind::State)),
        },
    }
}

fn some<T>(random: &mut Random, most: usize, mut item: impl FnMut(&mut Random) -> T) -> Vec<T> {
    (0..random.below(most + 1)).map(|_| item(random)).collect()
}

fn one_or_more<T>(random: &mut Random, most: usize, mut item: impl FnMut(&mut Random) -> T) -> Vec<T> {
    (0..1 + random.below(most)).map(|_| item(random)).collect()
}

fn plain(random: &mut Random, exprs: &mut Exprs) -> ExprId {
    let depth = random.below(4);
    expr(random, exprs, depth, Kind::Plain)
}

type Declarations = (Vec<Constant>, Vec<Formula>, Vec<LabelDecl>);

fn declarations(random: &mut Random, exprs: &mut Exprs) -> Declarations {
    let constants = some(random, 3, |random| Constant {
        name: name(random),
        ty: random.pick(&[ConstType::Int, ConstType::Double, ConstType::Bool]),
        value: random.chance(60).then(|| plain(random, exprs)),
        span: NOWHERE,
    });
    let formulas =
        some(random, 3, |random| Formula { name: name(random), body: plain(random, exprs), span: NOWHERE });
    let labels =
        some(random, 3, |random| LabelDecl { name: name(random), body: plain(random, exprs), span: NOWHERE });
    (constants, formulas, labels)
}

/// A random property file.
pub fn properties(random: &mut Random) -> PropertyFile {
    let mut file = PropertyFile::default();
    (file.constants, file.formulas, file.labels) = declarations(random, &mut file.exprs);
    let exprs = &mut file.exprs;
    file.properties = some(random, 4, |random| {
        let depth = random.below(5);
        Property {
            name: random.chance(50).then(|| name(random)),
            body: expr(random, exprs, depth, Kind::State),
            span: NOWHERE,
        }
    });
    file
}

fn variable(random: &mut Random, exprs: &mut Exprs) -> Variable {
    Variable {
        name: name(random),
        ty: match random.below(5) {
            0 => VarType::Bool,
            1 => VarType::Int,
            2 => VarType::Double,
            3 => VarType::Clock,
            _ => VarType::Range { lo: plain(random, exprs), hi: plain(random, exprs) },
        },
        init: random.chance(50).then(|| plain(random, exprs)),
        span: NOWHERE,
    }
}

/// A probability; one that starts with `true` would look like an update.
fn weight(random: &mut Random, exprs: &mut Exprs) -> ExprId {
    let weight = plain(random, exprs);
    if volvelle_prism::print::expr(exprs, weight).starts_with("true") {
        return exprs.add(ExprKind::Paren(weight), NOWHERE, exprs.get(weight).nesting + 1);
    }
    weight
}

fn command(random: &mut Random, exprs: &mut Exprs) -> Command {
    let several = random.chance(50);
    let update = |random: &mut Random, exprs: &mut Exprs, weighted: bool| Update {
        weight: weighted.then(|| weight(random, exprs)),
        interval: false,
        assignments: some(random, 3, |random| Assignment {
            target: name(random),
            value: plain(random, exprs),
            span: NOWHERE,
        }),
        span: NOWHERE,
    };
    let action = random.chance(60).then(|| name(random));
    let guard = plain(random, exprs);
    let updates = if several {
        one_or_more(random, 4, |random| update(random, exprs, true))
    } else {
        vec![update(random, exprs, false)]
    };
    Command { action, guard, updates, span: NOWHERE }
}

fn rename(random: &mut Random) -> Rename {
    Rename { from: name(random), to: name(random) }
}

fn module(random: &mut Random, exprs: &mut Exprs) -> Module {
    let body = if random.chance(25) {
        ModuleBody::Renamed { base: name(random), renames: one_or_more(random, 3, rename) }
    } else {
        ModuleBody::Plain {
            variables: some(random, 3, |random| variable(random, exprs)),
            commands: some(random, 4, |random| command(random, exprs)),
            invariant: None,
        }
    };
    Module { name: name(random), body, span: NOWHERE }
}

fn rewards(random: &mut Random, exprs: &mut Exprs) -> Rewards {
    Rewards {
        name: random.chance(60).then(|| name(random)),
        items: some(random, 3, |random| RewardItem {
            action: random.chance(50).then(|| random.chance(60).then(|| name(random))),
            guard: plain(random, exprs),
            value: plain(random, exprs),
            span: NOWHERE,
        }),
        span: NOWHERE,
    }
}

fn system(random: &mut Random, depth: usize) -> System {
    let several =
        |random: &mut Random| (0..2 + random.below(2)).map(|_| system(random, depth - 1)).collect::<Vec<_>>();
    match if depth == 0 { 0 } else { random.below(6) } {
        0 => System::Name(name(random)),
        1 => System::Parallel(several(random)),
        2 => System::Interleave(several(random)),
        3 => {
            let left = Box::new(system(random, depth - 1));
            let actions = one_or_more(random, 3, name);
            System::Sync(left, actions, Box::new(system(random, depth - 1)))
        }
        4 => System::Hide(Box::new(system(random, depth - 1)), one_or_more(random, 3, name)),
        _ => System::Rename(Box::new(system(random, depth - 1)), one_or_more(random, 3, rename)),
    }
}

/// A random model.
pub fn model(random: &mut Random) -> Model {
    let mut model = Model::default();
    let types = [
        ModelType::Dtmc,
        ModelType::Ctmc,
        ModelType::Mdp,
        ModelType::Unsupported("pta"),
        ModelType::Unsupported("smg"),
    ];
    model.ty = random.chance(90).then(|| (random.pick(&types), NOWHERE));
    let exprs = &mut model.exprs;
    (model.constants, model.formulas, model.labels) = declarations(random, exprs);
    model.globals = some(random, 2, |random| variable(random, exprs));
    model.modules = some(random, 3, |random| module(random, exprs));
    model.rewards = some(random, 2, |random| rewards(random, exprs));
    model.players = some(random, 2, |random| Player {
        name: name(random),
        modules: some(random, 2, name),
        actions: some(random, 2, name),
        span: NOWHERE,
    });
    model.init = random.chance(30).then(|| (plain(random, exprs), NOWHERE));
    model.systems = some(random, 2, |random| {
        let name = random.chance(40).then(|| name(random));
        let depth = random.below(4);
        (name, system(random, depth), NOWHERE)
    });
    model
}
