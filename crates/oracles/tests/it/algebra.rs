//! What process algebra and Markov automata ask of the waist, written without a language: a gate of three components that
//! exchange values, hidden actions before rates, rates beside distributions. From the program to states, to text.

use volvelle_control::Control;
use volvelle_explicit::{Compression, Format, Model, WriteOptions};
use volvelle_explore::Explored;
use volvelle_kernel::{BinaryOp, ExprId, FailKind};
use volvelle_model::{
    Action, ActionId, Alternative, Assignment, Choice, Class, Component, ComponentId, Domain, Field, FieldId,
    Group, Initial, Item, Kind, Offer, Origin, Outcome, Participant, Place, Program, SiteInfo, SiteSubject,
    Weight,
};
use volvelle_oracles::tiers::{self, Bounds};

/// Nothing here was written in a text.
const HERE: Origin = Origin(0);

/// A program in the making: components with one field each.
struct Build {
    program: Program,
}

impl Build {
    fn new(fields: &[(&str, Domain, i64)]) -> Self {
        let mut program = Program::new(Choice::Nondeterministic);
        for (number, &(name, domain, _)) in fields.iter().enumerate() {
            program.components.push(Component { name: name.to_owned() });
            let component = Some(ComponentId(number as u32));
            program.fields.push(Field { name: name.to_owned(), domain, component, length: 1, origin: HERE });
        }
        program.initial = Initial::States(vec![fields.iter().map(|field| field.2).collect()]);
        Build { program }
    }

    fn action(&mut self, name: &str) -> ActionId {
        self.program.actions.push(Action { name: name.to_owned() });
        ActionId(self.program.actions.len() as u32 - 1)
    }

    fn field(&mut self, field: u32) -> ExprId {
        self.program.field(FieldId(field))
    }

    fn test(&mut self, op: BinaryOp, field: u32, with: i64) -> ExprId {
        let value = self.field(field);
        let with = self.program.exprs.i64(with);
        self.program.exprs.binary(op, value, with)
    }

    /// `weight : (field' = value)`
    fn outcome(&mut self, weight: f64, field: u32, value: ExprId) -> Outcome {
        let subject = SiteSubject::Assignment(FieldId(field));
        let site =
            self.program.site(SiteInfo { kind: FailKind::Range, subject, origin: HERE, command: None });
        let weight = Weight::Constant { value: weight, exact: None };
        Outcome::assigning(weight, vec![Assignment { field: FieldId(field), value, site }], HERE)
    }

    fn to(&mut self, weight: f64, field: u32, value: i64) -> Outcome {
        let value = self.program.exprs.i64(value);
        self.outcome(weight, field, value)
    }

    /// One component moves alone.
    fn alone(&mut self, component: u32, choice: Choice, guard: ExprId, outcomes: Vec<Outcome>) -> &mut Group {
        let alternative = Alternative::command(guard, outcomes, None, HERE);
        let participant = Participant::component(ComponentId(component), vec![alternative]);
        let group = Group { choice: Some(choice), ..Group::new(ActionId::SILENT, vec![participant]) };
        self.program.groups.push(group);
        self.program.groups.last_mut().expect("it was pushed")
    }
}

/// The states, the same by interpreter and native code, on one thread and on two.
fn explored(program: &Program) -> Explored {
    let outcome = tiers::compare(program, Bounds { states: 1000, deadline: None });
    outcome.expect("no difference").expect("it is explored")
}

fn text(explored: &Explored, format: Format) -> String {
    let model = Model::from_space(&explored.space, None, Vec::new());
    let (options, control) = (WriteOptions::default(), Control::unlimited());
    let mut out = Vec::new();
    volvelle_explicit::write(&model, format, Compression::None, &options, &mut out, &control)
        .expect("the format has it");
    String::from_utf8(out).expect("text")
}

/// ```text
/// a:  [x = 1]   GATE !x ?v:0..3 ?b:bool [v >= x];  x := 2
/// b:            GATE ?u:0..1 ?v:1..2 !(got = 0)
/// c:  [got = 0] GATE ?u ?v ?b:bool;                got := v
/// a:  [x = 2 and got = 1] hidden;                  x := 0
/// c:  [x = 2 and got < 3] rate 4;                  got := 3
/// ```
fn gate() -> Program {
    let small = |hi| Domain::Int { lo: 0, hi };
    let mut build = Build::new(&[("x", small(2), 1), ("idle", small(0), 0), ("got", small(3), 0)]);
    let gate = build.action("GATE");
    let (value, any) = (build.program.read(Place::Offered(1)), volvelle_model::offers::ANY);

    let (ready, x) = (build.test(BinaryOp::Eq, 0, 1), build.field(0));
    let enough = build.program.exprs.binary(BinaryOp::Ge, value, x);
    let guard = build.program.exprs.and(ready, enough);
    let items = vec![Item::Give(x), Item::Take(small(3)), Item::Take(Domain::Bool)];
    let to = build.to(1.0, 0, 2);
    let a =
        Alternative { offer: Some(Offer::new(items)), ..Alternative::command(guard, vec![to], None, HERE) };

    let (guard, fresh) = (build.program.exprs.bool(true), build.test(BinaryOp::Eq, 2, 0));
    let sort = Domain::Int { lo: 1, hi: 2 };
    let items = vec![Item::Take(small(1)), Item::Take(sort), Item::Give(fresh)];
    let stays = Outcome::assigning(Weight::ONE, Vec::new(), HERE);
    let b = Alternative {
        offer: Some(Offer::new(items)),
        ..Alternative::command(guard, vec![stays], None, HERE)
    };

    let items = vec![Item::Take(any), Item::Take(any), Item::Take(Domain::Bool)];
    let to = build.outcome(1.0, 2, value);
    let c =
        Alternative { offer: Some(Offer::new(items)), ..Alternative::command(fresh, vec![to], None, HERE) };

    let meet = [a, b, c].into_iter().zip(0..);
    let meet = meet.map(|(alternative, c)| Participant::component(ComponentId(c), vec![alternative]));
    build.program.groups.push(Group::new(gate, meet.collect()));

    let (two, one) = (build.test(BinaryOp::Eq, 0, 2), build.test(BinaryOp::Eq, 2, 1));
    let guard = build.program.exprs.and(two, one);
    let to = build.to(1.0, 0, 0);
    build.alone(0, Choice::Nondeterministic, guard, vec![to]).class = Class::URGENT;
    let less = build.test(BinaryOp::Lt, 2, 3);
    let guard = build.program.exprs.and(two, less);
    let to = build.to(4.0, 2, 3);
    build.alone(2, Choice::Race, guard, vec![to]).class = Class::PATIENT;
    build.program
}

#[test]
fn three_components_agree_on_values_and_hidden_actions_come_before_rates() {
    let program = gate();
    assert_eq!(program.kind(), Kind::InteractiveMarkovChain);
    let explored = explored(&program);
    let space = &explored.space;
    assert_eq!(space.actions, ["", "GATE", "GATE !1 !1 !TRUE", "GATE !1 !2 !TRUE"]);
    let aut = "des (0,6,5)
(0,\"GATE !1 !1 !TRUE\",1)
(0,\"GATE !1 !2 !TRUE\",2)
(1,i,3)
(2,\"rate 4\",4)
(3,\"rate 1\",3)
(4,\"rate 1\",4)
";
    assert_eq!(text(&explored, Format::Aut).replace(", ", ","), aut);
    // Without classes, the rate is another choice of state 1.
    let mut ordinary = program;
    ordinary.groups.iter_mut().for_each(|group| group.class = Class::ORDINARY);
    let explored = self::explored(&ordinary);
    assert_eq!(explored.space.choices_of(1).len(), 2);
    // A file of a Markov automaton has no such state: what takes no time comes first.
    assert_eq!(text(&explored, Format::Aut).replace(", ", ","), aut);
}

#[test]
fn values_are_given_taken_and_never_both_wrong() {
    // Nobody agrees on a value: b takes 0 only, a gives 1.
    let mut program = gate();
    let items = |program: &mut Program, participant: usize, k: usize, item: Item| {
        let alternative = &mut program.groups[0].participants[participant].alternatives[0];
        alternative.offer.as_mut().expect("an offer").items[k] = item;
    };
    items(&mut program, 1, 0, Item::Take(Domain::Int { lo: 0, hi: 0 }));
    assert_eq!(explored(&program).space.num_states(), 1);
    // Two give different values.
    let mut program = gate();
    let two = program.exprs.i64(2);
    items(&mut program, 1, 0, Item::Give(two));
    assert_eq!(explored(&program).space.num_states(), 1);
    // A truth value is no number.
    let mut program = gate();
    items(&mut program, 1, 0, Item::Take(Domain::Bool));
    assert_eq!(explored(&program).space.num_states(), 1);
    // Offers of different lengths do not fit.
    let mut program = gate();
    program.groups[0].participants[2].alternatives[0].offer = None;
    assert_eq!(explored(&program).space.num_states(), 1);
    // All values of the machine are too many to be tried.
    let mut program = gate();
    (0..3)
        .for_each(|participant| items(&mut program, participant, 1, Item::Take(volvelle_model::offers::ANY)));
    let outcome = tiers::compare(&program, Bounds { states: 1000, deadline: None }).expect("no difference");
    let error = volvelle_model::kernels::KernelError::TooManyValues { group: 0 };
    assert_eq!(outcome.map(|_| ()), Err(volvelle_explore::ExploreError::Kernel(error)));
}

/// A machine that breaks at rate 1/4 or finishes a piece at rate 3; a repair succeeds in two of three cases, or is given up.
#[test]
fn a_markov_automaton_has_rates_beside_distributions() {
    let mut build = Build::new(&[("machine", Domain::Int { lo: 0, hi: 3 }, 0)]);
    let works = build.test(BinaryOp::Eq, 0, 0);
    let (breaks, done) = (build.to(0.25, 0, 1), build.to(3.0, 0, 2));
    build.alone(0, Choice::Race, works, vec![breaks, done]);
    let broken = build.test(BinaryOp::Eq, 0, 1);
    let (repaired, again) = (build.to(0.75, 0, 0), build.to(0.25, 0, 1));
    build.alone(0, Choice::Probabilistic, broken, vec![repaired, again]);
    let given_up = build.to(1.0, 0, 3);
    build.alone(0, Choice::Nondeterministic, broken, vec![given_up]);
    let finished = build.test(BinaryOp::Eq, 0, 2);
    let (more, breaks) = (build.to(2.0, 0, 0), build.to(1.0, 0, 1));
    build.alone(0, Choice::Race, finished, vec![more]);
    build.alone(0, Choice::Race, finished, vec![breaks]);
    let program = build.program;
    assert_eq!(program.kind(), Kind::MarkovAutomaton);
    let explored = explored(&program);
    let drn = text(&explored, Format::Drn);
    let (head, states) = drn.split_once("@model\n").expect("states");
    assert!(head.contains("@type: Markov Automaton"), "{head}");
    assert_eq!(
        explored.space.choices.as_ref().map(|choices| choices.start.clone()),
        Some(vec![0, 1, 3, 4, 5])
    );
    let lines: Vec<&str> = states.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert!(lines[0].starts_with("state 0 !3.25"), "{states}");
    assert!(states.contains("state 2 !3"), "{states}");
    // Through the file that holds everything, and back.
    let model = Model::from_space(&explored.space, None, Vec::new());
    let back = model.to_space(true, &Control::unlimited()).expect("it converts").space;
    assert_eq!(back.choices, explored.space.choices);
    assert_eq!(
        (back.columns, back.row_start),
        (explored.space.columns.clone(), explored.space.row_start.clone())
    );
}
