//! Random programs whose functions are also expressions: with functions that an evaluator knows, and with the expressions in their
//! stead, a program has the same state space, and fails in the same state.

use std::collections::HashSet;
use volvelle_control::{Control, Limits};
use volvelle_explore::{ExploreError, Explored, Options, explore_with_terms};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{BinaryOp, CheckedOp, Compiler, Effort, ExprId, FailKind};
use volvelle_model::{
    Action, ActionId, Alternative, Assignment, Choice, Component, ComponentId, Domain, Field, FieldId,
    Function, FunctionId, Group, Initial, Item, NoValue, Offer, Origin, Outcome, Parameter, Participant,
    Place, Program, SiteInfo, SiteSubject, Sort, SortId, SortValues, Terms, Weight,
};
use volvelle_native::Native;
use volvelle_oracles::tiers;
use volvelle_random::Random;

const HERE: Origin = Origin(0);

/// Values of fields are below this.
const MODULUS: i64 = 7;

/// The functions, by number.
struct Numbers {
    asked: HashSet<(FunctionId, Vec<i64>)>,
}

const FUNCTIONS: [(&str, usize, SortId); 4] = [
    ("mix", 2, SortId::INTEGER),
    ("remainder", 2, SortId::INTEGER),
    ("is_less", 3, SortId::BOOLEAN),
    ("square", 1, SortId::INTEGER),
];

impl Terms for Numbers {
    fn apply(&mut self, function: FunctionId, a: &[i64]) -> Result<i64, NoValue> {
        assert!(self.asked.insert((function, a.to_vec())), "{function:?} {a:?} is asked for twice");
        match function.0 {
            0 => Ok((3 * a[0] + a[1] + 1).rem_euclid(MODULUS)),
            1 if a[1] == 0 => Err(NoValue("the divisor is zero".into())),
            1 => Ok(a[0] % a[1]),
            2 => Ok(i64::from(a[0] + a[1] < a[2])),
            _ => Ok(a[0] * a[0]),
        }
    }

    fn text(&self, _: SortId, value: i64) -> String {
        format!("T{value}")
    }
}

/// A program in the making, one way or the other.
struct Build {
    program: Program,
    with_functions: bool,
}

impl Build {
    fn apply(&mut self, function: usize, a: &[ExprId]) -> ExprId {
        if self.with_functions {
            return self.program.apply(FunctionId(function as u32), a, HERE, None);
        }
        // The same failure at another site.
        let subject = SiteSubject::Expression;
        let site =
            self.program.site(SiteInfo { kind: FailKind::Division, subject, origin: HERE, command: None });
        let e = &mut self.program.exprs;
        match function {
            0 => {
                let (three, one, modulus) = (e.i64(3), e.i64(1), e.i64(MODULUS));
                let sum = e.binary(BinaryOp::Mul, three, a[0]);
                let sum = e.binary(BinaryOp::Add, sum, a[1]);
                let sum = e.binary(BinaryOp::Add, sum, one);
                e.checked(CheckedOp::Mod, sum, modulus, site)
            }
            1 => e.checked(CheckedOp::Rem, a[0], a[1], site),
            2 => {
                let sum = e.binary(BinaryOp::Add, a[0], a[1]);
                e.binary(BinaryOp::Lt, sum, a[2])
            }
            _ => e.binary(BinaryOp::Mul, a[0], a[0]),
        }
    }

    fn number(&mut self, random: &mut Random, leaves: &[ExprId], depth: usize) -> ExprId {
        if depth == 0 || random.one_in(4) {
            let constant = random.below(MODULUS as usize) as i64;
            return if random.one_in(4) { self.program.exprs.i64(constant) } else { random.pick(leaves) };
        }
        let a = self.number(random, leaves, depth - 1);
        match random.below(10) {
            0..5 => {
                let b = self.number(random, leaves, depth - 1);
                self.apply(0, &[a, b])
            }
            5 | 6 => {
                let b = self.number(random, leaves, depth - 1);
                let b = if random.one_in(12) { b } else { self.program.exprs.i64(3) };
                self.apply(1, &[a, b])
            }
            7 => {
                let cond = self.truth(random, leaves, depth - 1);
                let b = self.number(random, leaves, depth - 1);
                self.program.exprs.select(cond, a, b)
            }
            8 => {
                let one = self.program.exprs.i64(1);
                self.program.exprs.binary(BinaryOp::Add, a, one)
            }
            _ => self.apply(3, &[a]),
        }
    }

    fn truth(&mut self, random: &mut Random, leaves: &[ExprId], depth: usize) -> ExprId {
        let a = self.number(random, leaves, depth);
        let b = self.number(random, leaves, depth.saturating_sub(1));
        let first = match random.below(3) {
            0 => self.program.exprs.binary(BinaryOp::Lt, a, b),
            1 => self.program.exprs.binary(BinaryOp::Ne, a, b),
            _ => {
                let c = self.number(random, leaves, depth.saturating_sub(1));
                self.apply(2, &[a, b, c])
            }
        };
        if depth == 0 || random.one_in(2) {
            return first;
        }
        let second = self.truth(random, leaves, depth - 1);
        match random.one_in(2) {
            true => self.program.exprs.and(first, second),
            false => self.program.exprs.or(first, second),
        }
    }

    /// An outcome that may set the field of a component: mostly to a value in its range.
    fn outcome(&mut self, random: &mut Random, field: u32, leaves: &[ExprId]) -> Outcome {
        let subject = SiteSubject::Assignment(FieldId(field));
        let site =
            self.program.site(SiteInfo { kind: FailKind::Range, subject, origin: HERE, command: None });
        let a = self.number(random, leaves, 2);
        let b = random.pick(leaves);
        let value = if random.one_in(6) { a } else { self.apply(0, &[a, b]) };
        Outcome::assigning(Weight::ONE, vec![Assignment { field: FieldId(field), value, site }], HERE)
    }
}

fn program(seed: u64, with_functions: bool) -> Program {
    let random = &mut Random(seed);
    let mut build = Build { program: Program::new(Choice::Nondeterministic), with_functions };
    let list = build.program.sort(Sort { name: "list".into(), values: SortValues::Terms });
    for (name, arity, result) in FUNCTIONS {
        let parameters = vec![Parameter::Any; arity];
        build.program.function(Function { name: name.into(), parameters, result });
    }
    let components = 2 + random.below(2) as u32;
    for c in 0..components {
        let name = format!("x{c}");
        build.program.components.push(Component { name: name.clone() });
        let domain = match random.below(3) {
            0 => Domain::Growing { lo: 0, hi: random.below(3) as i64 },
            _ => Domain::Int { lo: 0, hi: 7 },
        };
        let component = Some(ComponentId(c));
        build.program.fields.push(Field { name, domain, component, length: 1, origin: HERE });
    }
    build.program.initial = Initial::States(vec![vec![0; components as usize]]);
    let fields: Vec<ExprId> = (0..components).map(|c| build.program.field(FieldId(c))).collect();
    let offered = build.program.read(Place::Offered(0));
    for g in 0..2 + random.below(3) {
        build.program.actions.push(Action { name: format!("G{g}") });
        let exchanges = random.chance(60);
        let giver = random.below(components as usize) as u32;
        let mut participants = Vec::new();
        for c in 0..components {
            if c != giver && random.one_in(3) {
                continue;
            }
            let mut leaves = vec![fields[c as usize]; 2];
            leaves.extend(exchanges.then_some(offered));
            let alternatives = (0..1 + random.below(2)).map(|_| {
                let guard = match random.one_in(2) {
                    true => build.program.exprs.bool(true),
                    false => build.truth(random, &leaves, 1),
                };
                let outcome = build.outcome(random, c, &leaves);
                let item = match c == giver || random.one_in(5) {
                    true => Item::Give(build.number(random, &[fields[c as usize]], 2)),
                    false => Item::Take(Domain::Int { lo: 0, hi: 1 + random.below(9) as i64 }),
                };
                let sort = if random.one_in(8) { SortId::INTEGER } else { list };
                let offer = exchanges.then(|| Offer::of_sorts([(item, sort)]));
                Alternative { offer, ..Alternative::command(guard, vec![outcome], None, HERE) }
            });
            let alternatives = alternatives.collect();
            participants.push(Participant::component(ComponentId(c), alternatives));
        }
        let action = ActionId(build.program.actions.len() as u32 - 1);
        build.program.groups.push(Group::new(action, participants));
    }
    build.program
}

/// The outcome with functions; a failure to evaluate one is that of an expression.
fn explored(
    program: &Program,
    compiler: &dyn Compiler,
    code: Option<Effort>,
    threads: usize,
) -> Result<Explored, ExploreError> {
    let limits = Limits { states: Some(3000), ..Limits::default() };
    let control = Control { threads, limits, ..Control::unlimited() };
    let options = Options { code, ..Options::default() };
    let mut terms = Numbers { asked: HashSet::new() };
    explore_with_terms(program, &mut terms, compiler, &options, &control)
}

/// Where it failed, but for the site: the program's other form has another.
fn place(error: &ExploreError) -> String {
    match error {
        ExploreError::Failed { values, state, path, .. } => format!("{values:?} {state:?} {path:?}"),
        ExploreError::Undefined { values, state, path, .. } => {
            format!("{values:?} {:?} {path:?}", Some(state))
        }
        ExploreError::Stopped { stop, .. } => format!("{stop}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn functions_and_expressions_agree() {
    let native = Native::new(volvelle_native::Options::default()).expect("this machine");
    let (mut finished, mut undefined, mut failed, mut grown, mut states) = (0, 0, 0, 0, 0);
    for seed in 0..150 {
        let plain = program(seed, false);
        let expected = explored(&plain, &Interpreter, None, 1);
        let with = program(seed, true);
        let effort = if seed % 4 == 0 { Effort::Usual } else { Effort::Quick };
        let ways: [(&dyn Compiler, Option<Effort>, usize); 2] =
            [(&Interpreter, None, 1), (&native, Some(effort), 2)];
        for (compiler, code, threads) in ways {
            let found = explored(&with, compiler, code, threads);
            match (&expected, &found) {
                (Ok(_), Ok(_)) => assert_eq!(tiers::difference(&expected, &found), None, "seed {seed}"),
                (Err(expected), Err(found)) => assert_eq!(place(expected), place(found), "seed {seed}"),
                _ => panic!("seed {seed}: {expected:?} and {found:?}"),
            }
            match found {
                Ok(_) => finished += 1,
                Err(ExploreError::Undefined { .. }) => undefined += 1,
                Err(_) => failed += 1,
            }
        }
        if let Ok(explored) = &expected {
            states += explored.space.num_states();
            grown += usize::from(explored.layout != volvelle_model::Layout::new(&plain));
        }
    }
    // The cases are worth something.
    assert!(finished > 150 && undefined > 30 && failed > 5 && grown > 30 && states > 3000);
}
