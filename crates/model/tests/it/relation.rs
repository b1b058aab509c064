//! Kinds of models and what alternatives access.

use volvelle_kernel::{BinaryOp, Site, Type};
use volvelle_model::{
    AccessMode, ActionId, Alternative, Assignment, Choice, Component, ComponentId, Domain, Field, FieldId,
    Group, Kind, Origin, Outcome, Part, Participant, PoolId, Program, SharedResource, Weight, Which,
};

fn of(choices: &[Option<Choice>]) -> Program {
    let mut program = Program::new(Choice::Nondeterministic);
    let group = |&choice: &Option<Choice>| Group { choice, ..Group::new(ActionId::SILENT, Vec::new()) };
    program.groups = choices.iter().map(group).collect();
    program
}

#[test]
fn kinds_are_derived() {
    use Choice::{Nondeterministic, Probabilistic, Race, Uniform};
    let kind = |choices: &[Choice]| of(&choices.iter().copied().map(Some).collect::<Vec<_>>()).kind();
    assert_eq!(of(&[]).kind(), Kind::Lts);
    assert_eq!(of(&[None, None]).kind(), Kind::Lts);
    assert_eq!(of(&[None, Some(Race)]).kind(), Kind::InteractiveMarkovChain);
    assert_eq!(kind(&[Race]), Kind::Ctmc);
    assert_eq!(kind(&[Uniform, Uniform]), Kind::Dtmc);
    assert_eq!(kind(&[Probabilistic]), Kind::Mdp);
    assert_eq!(kind(&[Probabilistic, Nondeterministic]), Kind::Mdp);
    assert_eq!(kind(&[Uniform, Nondeterministic]), Kind::Mdp);
    assert_eq!(kind(&[Race, Probabilistic]), Kind::MarkovAutomaton);
    let mut empty = of(&[]);
    empty.choice = Race;
    assert_eq!(empty.kind(), Kind::Ctmc, "a chain without a step is one all the same");
}

#[test]
fn accesses_are_found_from_expressions() {
    let mut program = Program::new(Choice::Probabilistic);
    program.components.push(Component { name: "m".into() });
    for name in ["tested", "read", "written", "weighing"] {
        let domain = Domain::Int { lo: 0, hi: 9 };
        let name = name.to_owned();
        program.fields.push(Field { name, domain, component: None, length: 1, origin: Origin(0) });
    }
    let [tested, read, written, weighing] = [0, 1, 2, 3].map(FieldId);
    let (lhs, one) = (program.field(tested), program.exprs.i64(1));
    let guard = program.exprs.binary(BinaryOp::Eq, lhs, one);
    let value = program.field(read);
    let weight = program.field(weighing);
    let weight = program.exprs.convert(Type::F64, weight);
    let assignment = Assignment { field: written, value, site: Site(0) };
    let weight = Weight::Expr { expr: weight, site: Site(0) };
    let outcome = Outcome::assigning(weight, vec![assignment], Origin(0));
    let alternative = Alternative::command(guard, vec![outcome], None, Origin(0));
    let found: Vec<_> = program.accesses(&alternative).into_iter().map(|a| (a.resource, a.mode)).collect();
    let field = |field| SharedResource::Field(field, Which::Constant(0));
    let expected = vec![
        (field(tested), AccessMode::Test),
        (field(read), AccessMode::Read),
        (field(written), AccessMode::Write),
        (field(weighing), AccessMode::Test),
    ];
    assert_eq!(found, expected);
    assert!(program.is_static());
    let component = Participant::component(ComponentId(0), vec![alternative]);
    program.groups.push(Group::new(ActionId::SILENT, vec![component]));
    assert!(program.is_static());
    let instance = Participant::instance(PoolId(0), Part::Alone);
    program.groups.push(Group::new(ActionId::SILENT, vec![instance]));
    assert!(!program.is_static());
}
