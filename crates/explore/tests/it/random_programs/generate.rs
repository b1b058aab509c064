//! Random programs: small domains, every shape of group, weights constant and computed.

use volvelle_kernel::{BinaryOp, CheckedOp, ExprId, FailKind, Site, Type};
use volvelle_model::{
    Action, ActionId, Alternative, Assignment, Choice, Class, Component, ComponentId, Domain, Effect, Field,
    FieldId, Group, Initial, Item, Label, NumericObservation, Offer, Origin, Outcome, Participant, Place,
    Program, RewardStructure, SiteInfo, SiteSubject, StateReward, TransitionReward, Weight, row_sums,
};
use volvelle_random::Random;

/// A program of a few components with a few fields each, all of whose steps are chosen in one way.
pub fn program(seed: u64) -> Program {
    let mut r = Random(seed);
    let kind = [Choice::Uniform, Choice::Race, Choice::Probabilistic][r.below(3)];
    of_choices(&mut r, &[kind])
}

/// As `program`, but steps of different groups are chosen in different ways: half of them are Markov automata
/// or interactive Markov chains.
pub fn mixed(seed: u64) -> Program {
    use Choice::{Nondeterministic, Probabilistic, Race, Uniform};
    let mut r = Random(seed);
    let ways: [&[Choice]; 5] = [
        &[Race, Nondeterministic],
        &[Race, Probabilistic],
        &[Race, Race, Probabilistic, Nondeterministic],
        &[Uniform, Probabilistic],
        &[Race, Uniform, Nondeterministic],
    ];
    let ways = ways[r.below(ways.len())];
    of_choices(&mut r, ways)
}

/// As `mixed`, or a labelled transition system, with groups whose participants exchange values, and groups
/// that yield to others.
pub fn rich(seed: u64) -> Program {
    let mut r = Random(seed ^ 0x5eed);
    let free = [Choice::Nondeterministic; 2];
    let mut p = if r.chance(40) { of_choices(&mut r, &free) } else { mixed(seed) };
    let mut groups = std::mem::take(&mut p.groups);
    let classes = [Class::ORDINARY, Class::ORDINARY, Class::URGENT, Class::PATIENT, Class::priority(2)];
    if r.chance(60) {
        groups.iter_mut().for_each(|group| group.class = classes[r.below(classes.len())]);
    }
    for group in &mut groups {
        if r.chance(80) {
            let length = r.below(3);
            let sorts: Vec<bool> = (0..length).map(|_| r.chance(25)).collect();
            for alternative in group.participants.iter_mut().flat_map(|p| &mut p.alternatives) {
                exchange(&mut p, &mut r, alternative, &sorts);
            }
        }
    }
    p.groups = groups;
    p
}

/// Gives an alternative an offer, mostly of these kinds of values, and uses of the values.
fn exchange(p: &mut Program, r: &mut Random, alternative: &mut Alternative, truths: &[bool]) {
    let length = if r.chance(8) { r.below(3) } else { truths.len() };
    let mut items = Vec::new();
    for k in 0..length {
        let is_truth = truths.get(k).copied().unwrap_or(false) != r.chance(3);
        items.push(match (is_truth, r.chance(35)) {
            (true, true) => Item::Give(condition(p, r)),
            (true, false) => Item::Take(Domain::Bool),
            (false, true) => {
                let value = integer(p, r);
                let (lo, hi) = (p.exprs.i64(-2), p.exprs.i64(4));
                let value = p.exprs.binary(BinaryOp::Max, value, lo);
                Item::Give(p.exprs.binary(BinaryOp::Min, value, hi))
            }
            (false, false) => {
                let lo = r.below(4) as i64 - 2;
                Item::Take(Domain::Int { lo, hi: lo + r.below(5) as i64 - 1 })
            }
        });
    }
    for k in 0..length as u32 {
        let value = p.read(Place::Offered(k));
        if r.chance(30) {
            // A selection predicate, before or after the other conditions.
            let other = integer(p, r);
            let op = [BinaryOp::Ne, BinaryOp::Le, BinaryOp::Gt][r.below(3)];
            let predicate = p.exprs.binary(op, value, other);
            let guard = alternative.guard;
            let (first, second) = if r.chance(50) { (predicate, guard) } else { (guard, predicate) };
            alternative.guard = p.exprs.and(first, second);
        }
        for outcome in &mut alternative.outcomes {
            let Effect::Assignments(assignments) = &mut outcome.effect else { continue };
            let Some(assignment) = assignments.first_mut().filter(|_| r.chance(50)) else { continue };
            let (lo, hi) = match p.fields[assignment.field.index()].domain {
                Domain::Int { lo, hi } => (lo, hi),
                _ => continue,
            };
            let (lo, hi) = (p.exprs.i64(lo), p.exprs.i64(hi.min(lo + 5)));
            let raised = p.exprs.binary(BinaryOp::Max, value, lo);
            assignment.value = p.exprs.binary(BinaryOp::Min, raised, hi);
        }
    }
    alternative.offer = (length > 0 || r.chance(50)).then(|| Offer::new(items));
}

fn of_choices(r: &mut Random, ways: &[Choice]) -> Program {
    let mut p = Program::new(ways[0]);
    let choose = |p: &mut Program, r: &mut Random| {
        if ways.len() > 1 {
            p.choice = ways[r.below(ways.len())];
        }
    };
    p.actions.push(Action { name: "a".into() });
    p.actions.push(Action { name: "b".into() });
    let components = 1 + r.below(4);
    // Wide programs have padding that pushes the state over one, two or three words.
    let wide = r.below(4);
    for c in 0..components {
        p.components.push(Component { name: format!("m{c}") });
        for _ in 0..wide {
            let domain = Domain::Int { lo: 0, hi: (1 << 30) - 1 };
            field(&mut p, domain, Some(c));
        }
        for _ in 0..1 + r.below(2) {
            let domain = match r.below(6) {
                0 => Domain::Bool,
                1 => Domain::Int { lo: -2, hi: 1 + r.below(3) as i64 },
                2 => Domain::Int { lo: 5, hi: 5 },
                3 => Domain::Growing { lo: 0, hi: 1 },
                _ => Domain::Int { lo: 0, hi: 1 + r.below(4) as i64 },
            };
            field(&mut p, domain, Some(c));
        }
    }
    for action in 0..3 {
        if action == 0 {
            for c in 0..components {
                choose(&mut p, r);
                let participant = participant(&mut p, r, c, 3);
                let choice = (ways.len() > 1).then_some(p.choice);
                p.groups.push(Group { choice, ..Group::new(ActionId(0), vec![participant]) });
            }
        } else {
            let members: Vec<usize> = (0..components).filter(|_| r.chance(70)).collect();
            choose(&mut p, r);
            let participants: Vec<_> = members.iter().map(|&c| participant(&mut p, r, c, 4)).collect();
            if !participants.is_empty() {
                let choice = (ways.len() > 1).then_some(p.choice);
                p.groups.push(Group { choice, ..Group::new(ActionId(action), participants) });
            }
        }
    }
    observations(&mut p, r);
    p.initial = if r.chance(30)
        && wide == 0
        && !p.fields.iter().any(|f| matches!(f.domain, Domain::Growing { .. }))
    {
        Initial::Predicate(condition(&mut p, r))
    } else {
        let start = |f: &Field| f.domain.bounds().0;
        Initial::States(vec![p.fields.iter().map(start).collect()])
    };
    p.stop = r.chance(25).then_some(0);
    p
}

fn field(p: &mut Program, domain: Domain, component: Option<usize>) {
    let name = format!("x{}", p.fields.len());
    let component = component.map(|c| ComponentId(c as u32));
    p.fields.push(Field { name, domain, component, length: 1, origin: Origin(0) });
}

fn observations(p: &mut Program, r: &mut Random) {
    for i in 0..1 + r.below(3) {
        let expr = condition(p, r);
        p.labels.push(Label { name: Some(format!("l{i}")), expr, origin: None });
    }
    let expr = number(p, r);
    p.numbers.push(NumericObservation { expr, otherwise: None });
    for _ in 0..r.below(3) {
        let mut rewards = RewardStructure::default();
        for _ in 0..r.below(3) {
            let (guard, value) = (condition(p, r), number(p, r));
            let site = site(p, FailKind::Assertion, SiteSubject::Reward);
            rewards.states.push(StateReward { guard, value, site });
        }
        for _ in 0..r.below(3) {
            let (guard, value) = (condition(p, r), number(p, r));
            let site = site(p, FailKind::Assertion, SiteSubject::Reward);
            rewards.transitions.push(TransitionReward {
                action: ActionId(r.below(3) as u32),
                guard,
                value,
                site,
            });
        }
        p.rewards.push(rewards);
    }
}

fn site(p: &mut Program, kind: FailKind, subject: SiteSubject) -> Site {
    p.site(SiteInfo { kind, subject, origin: Origin(0), command: None })
}

fn participant(p: &mut Program, r: &mut Random, component: usize, most: usize) -> Participant {
    let count = 1 + r.below(most);
    let alternatives = (0..count).map(|_| alternative(p, r, component)).collect();
    Participant::component(ComponentId(component as u32), alternatives)
}

fn alternative(p: &mut Program, r: &mut Random, component: usize) -> Alternative {
    let mut guard = condition(p, r);
    let own: Vec<usize> = (0..p.fields.len())
        .filter(|&i| p.fields[i].component == Some(ComponentId(component as u32)))
        .collect();
    // A step that is chosen freely has one outcome.
    let free = p.choice == Choice::Nondeterministic;
    let count = if free { 1 } else { 1 + r.below(3) };
    let computed = !free && r.chance(40);
    let mut outcomes = Vec::new();
    // Computed probabilities: (v − lo) / (hi − lo + …) style shares of one field that sum to one.
    let shares: Vec<Weight> = match (p.choice, computed) {
        (Choice::Race, false) => (0..count)
            .map(|_| Weight::Constant { value: 0.25 * (1 + r.below(8)) as f64, exact: None })
            .collect(),
        (Choice::Race, true) => (0..count)
            .map(|_| {
                let v = number(p, r);
                let v = p.exprs.unary(volvelle_kernel::UnaryOp::Abs, v);
                let site = site(p, FailKind::Assertion, SiteSubject::Weight);
                Weight::Expr { expr: v, site }
            })
            .collect(),
        (_, false) => {
            (0..count).map(|_| Weight::Constant { value: 1.0 / count as f64, exact: None }).collect()
        }
        (_, true) => {
            let v = number(p, r);
            let v = p.exprs.unary(volvelle_kernel::UnaryOp::Abs, v);
            let one = p.exprs.f64(1.0);
            let more = p.exprs.binary(BinaryOp::Add, v, one);
            let a = p.exprs.binary(BinaryOp::Div, v, more);
            let mut b = p.exprs.binary(BinaryOp::Sub, one, a);
            if r.chance(40) {
                // Sums that are not one, or that are not known to be one.
                let factor = p.exprs.f64(1.0 + r.pick(&[0.0, 1e-12, 3e-9, -9e-6]));
                b = p.exprs.binary(BinaryOp::Mul, b, factor);
            }
            let (s, t) = (
                site(p, FailKind::Assertion, SiteSubject::Weight),
                site(p, FailKind::Assertion, SiteSubject::Weight),
            );
            vec![Weight::Expr { expr: a, site: s }, Weight::Expr { expr: b, site: t }]
        }
    };
    for weight in shares {
        let mut assignments = Vec::new();
        for &i in &own {
            if !r.chance(60) {
                continue;
            }
            let field = FieldId(i as u32);
            let (value, condition) = new_value(p, r, field);
            if let Some(c) = condition {
                guard = p.exprs.and(guard, c);
            }
            let site = site(p, FailKind::Range, SiteSubject::Assignment(field));
            assignments.push(Assignment { field, value, site });
        }
        outcomes.push(Outcome::assigning(weight, assignments, Origin(0)));
    }
    let sum = (computed && p.choice != Choice::Race).then(|| {
        let site = site(p, FailKind::Assertion, SiteSubject::Sum);
        row_sums::normalise(p, &mut outcomes, site, false)
    });
    Alternative::command(guard, outcomes, sum.flatten(), Origin(0))
}

/// A value for a field that mostly stays in range, and what must hold for that.
fn new_value(p: &mut Program, r: &mut Random, field: FieldId) -> (ExprId, Option<ExprId>) {
    let domain = p.fields[field.index()].domain;
    let (lo, hi) = domain.bounds();
    let own = p.field(field);
    if domain == Domain::Bool {
        return (if r.chance(50) { p.exprs.not(own) } else { condition(p, r) }, None);
    }
    let one = p.exprs.i64(1);
    match r.below(5) {
        0 => {
            let v = p.exprs.i64(lo + r.below((hi - lo + 1).min(4) as usize) as i64);
            (v, None)
        }
        1 | 2 => {
            // Increment, unguarded now and then: then it fails at the end of the range, or grows up to 5.
            let v = p.exprs.binary(BinaryOp::Add, own, one);
            let top = if matches!(domain, Domain::Growing { .. }) { 5 } else { hi.min(lo + 4) };
            let top = p.exprs.i64(top);
            let c = p.exprs.binary(BinaryOp::Lt, own, top);
            (v, (!r.chance(3)).then_some(c))
        }
        3 => {
            let v = p.exprs.binary(BinaryOp::Sub, own, one);
            let bottom = p.exprs.i64(lo);
            let c = p.exprs.binary(BinaryOp::Gt, own, bottom);
            (v, (!r.chance(3)).then_some(c))
        }
        _ => {
            let bottom = p.exprs.i64(lo);
            let top = p.exprs.i64(hi.min(lo + 4));
            let other = integer(p, r);
            let v = p.exprs.binary(BinaryOp::Max, other, bottom);
            (p.exprs.binary(BinaryOp::Min, v, top), None)
        }
    }
}

fn some_field(p: &mut Program, r: &mut Random) -> (ExprId, Domain) {
    let field = FieldId(r.below(p.fields.len()) as u32);
    (p.field(field), p.fields[field.index()].domain)
}

fn integer(p: &mut Program, r: &mut Random) -> ExprId {
    let (x, domain) = some_field(p, r);
    let x = if domain == Domain::Bool { p.exprs.convert(Type::I64, x) } else { x };
    match r.below(4) {
        0 => x,
        1 => {
            let c = p.exprs.i64(r.below(5) as i64 - 1);
            p.exprs.binary(BinaryOp::Add, x, c)
        }
        2 => {
            let c = p.exprs.i64(1 + r.below(3) as i64);
            let site = site(p, FailKind::Division, SiteSubject::Expression);
            p.exprs.checked(CheckedOp::Mod, x, c, site)
        }
        _ => {
            let (y, domain) = some_field(p, r);
            let y = if domain == Domain::Bool { p.exprs.convert(Type::I64, y) } else { y };
            let op = [BinaryOp::Sub, BinaryOp::Min, BinaryOp::Max][r.below(3)];
            p.exprs.binary(op, x, y)
        }
    }
}

fn number(p: &mut Program, r: &mut Random) -> ExprId {
    let x = integer(p, r);
    let x = p.exprs.convert(Type::F64, x);
    let c = p.exprs.f64([0.5, 1.0, 0.1][r.below(3)]);
    p.exprs.binary(BinaryOp::Mul, x, c)
}

fn condition(p: &mut Program, r: &mut Random) -> ExprId {
    match r.below(6) {
        0 => p.exprs.bool(true),
        1 => {
            let (a, b) = (condition(p, r), condition(p, r));
            p.exprs.and(a, b)
        }
        2 => {
            let (a, b) = (condition(p, r), condition(p, r));
            p.exprs.or(a, b)
        }
        _ => {
            let x = integer(p, r);
            let c = p.exprs.i64(r.below(5) as i64 - 1);
            let op = [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Ge][r.below(4)];
            p.exprs.binary(op, x, c)
        }
    }
}
