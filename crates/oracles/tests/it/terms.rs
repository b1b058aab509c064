//! Programs with sorts and data terms, built by hand, against a slow model of the same system in plain Rust: the same labelled
//! transition system, by interpreter and native code, on one thread and on two.

use std::collections::{BTreeMap, HashMap, VecDeque};
use volvelle_control::{Control, Limits};
use volvelle_explore::{ExploreError, Explored, Options, explore, explore_with_terms};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{BinaryOp, Compiler, Effort, ExprId, FailKind};
use volvelle_model::kernels::{KernelError, Selection};
use volvelle_model::{
    Action, ActionId, Alternative, Assignment, Choice, Component, ComponentId, Domain, Field, FieldId,
    Function, FunctionId, Group, Initial, Item, Label, NoValue, Offer, Origin, Outcome, Parameter,
    Participant, Place, Program, SiteInfo, SiteSubject, Sort, SortId, SortValues, Terms, Weight,
};
use volvelle_native::Native;
use volvelle_oracles::tiers;

const HERE: Origin = Origin(0);

/// Lists of numbers, which are also sets (in increasing order). Term 0 is the empty list.
struct Lists {
    lists: Vec<Vec<i64>>,
    numbers: HashMap<Vec<i64>, i64>,
    functions: Vec<&'static str>,
    /// All that was asked.
    asked: Vec<(u32, Vec<i64>)>,
    /// Lists that are longer have no value.
    longest: usize,
}

impl Lists {
    fn new(functions: Vec<&'static str>) -> Self {
        let mut lists =
            Lists { lists: Vec::new(), numbers: HashMap::new(), functions, asked: Vec::new(), longest: 100 };
        assert_eq!(lists.number(Vec::new()), Ok(0));
        lists
    }

    fn number(&mut self, list: Vec<i64>) -> Result<i64, NoValue> {
        if list.len() > self.longest {
            return Err(NoValue("the list is too long".to_owned()));
        }
        if let Some(&number) = self.numbers.get(&list) {
            return Ok(number);
        }
        let number = self.lists.len() as i64;
        self.lists.push(list.clone());
        self.numbers.insert(list, number);
        Ok(number)
    }
}

impl Terms for Lists {
    fn apply(&mut self, function: FunctionId, arguments: &[i64]) -> Result<i64, NoValue> {
        self.asked.push((function.0, arguments.to_vec()));
        let mut list = self.lists[arguments[0] as usize].clone();
        match self.functions[function.index()] {
            "append" => {
                list.push(arguments[1]);
                self.number(list)
            }
            "insert" => {
                if let Err(at) = list.binary_search(&arguments[1]) {
                    list.insert(at, arguments[1]);
                }
                self.number(list)
            }
            // A third argument, so that there are such functions: what to remove, and by what to replace it.
            "replace" => {
                list.retain(|&element| element != arguments[1]);
                if let Err(at) = list.binary_search(&arguments[2]) {
                    list.insert(at, arguments[2]);
                }
                self.number(list)
            }
            "has" => Ok(i64::from(list.contains(&arguments[1]))),
            "length" => Ok(list.len() as i64),
            "head" => list.first().copied().ok_or_else(|| NoValue("no equation for HEAD (EMPTY)".to_owned())),
            "tail" if list.is_empty() => Err(NoValue("no equation for TAIL (EMPTY)".to_owned())),
            "tail" => {
                list.remove(0);
                self.number(list)
            }
            other => panic!("no function {other}"),
        }
    }

    fn text(&self, _: SortId, value: i64) -> String {
        text(&self.lists[value as usize])
    }
}

fn text(list: &[i64]) -> String {
    list.iter().rev().fold("EMPTY".to_owned(), |rest, element| format!("PUSH (A{element}, {rest})"))
}

/// What a component does in a group: the component, a guard, its offer and its outcome.
type Side = (u32, ExprId, Vec<(Item, SortId)>, Outcome);

struct Build {
    program: Program,
    functions: Vec<&'static str>,
}

impl Build {
    /// Components with one field each.
    fn new(fields: &[(&str, Domain, i64)]) -> Self {
        let mut program = Program::new(Choice::Nondeterministic);
        for (number, &(name, domain, _)) in fields.iter().enumerate() {
            program.components.push(Component { name: name.to_owned() });
            let component = Some(ComponentId(number as u32));
            program.fields.push(Field { name: name.to_owned(), domain, component, length: 1, origin: HERE });
        }
        program.initial = Initial::States(vec![fields.iter().map(|field| field.2).collect()]);
        Build { program, functions: Vec::new() }
    }

    fn action(&mut self, name: &str) -> ActionId {
        self.program.actions.push(Action { name: name.to_owned() });
        ActionId(self.program.actions.len() as u32 - 1)
    }

    fn function(&mut self, name: &'static str, arity: usize, result: SortId) -> FunctionId {
        self.functions.push(name);
        let parameters = vec![Parameter::Any; arity];
        self.program.function(Function { name: name.to_owned(), parameters, result })
    }

    fn apply(&mut self, function: FunctionId, arguments: &[ExprId]) -> ExprId {
        self.program.apply(function, arguments, HERE, None)
    }

    fn field(&mut self, field: u32) -> ExprId {
        self.program.field(FieldId(field))
    }

    fn compare(&mut self, op: BinaryOp, value: ExprId, with: i64) -> ExprId {
        let with = self.program.exprs.i64(with);
        self.program.exprs.binary(op, value, with)
    }

    fn outcome(&mut self, field: u32, value: ExprId) -> Outcome {
        let subject = SiteSubject::Assignment(FieldId(field));
        let site =
            self.program.site(SiteInfo { kind: FailKind::Range, subject, origin: HERE, command: None });
        Outcome::assigning(Weight::ONE, vec![Assignment { field: FieldId(field), value, site }], HERE)
    }

    fn stays() -> Outcome {
        Outcome::assigning(Weight::ONE, Vec::new(), HERE)
    }

    fn group(&mut self, action: ActionId, participants: Vec<Side>) {
        let participants = participants.into_iter().map(|(component, guard, items, outcome)| {
            let alternative = Alternative {
                offer: (!items.is_empty()).then(|| Offer::of_sorts(items)),
                ..Alternative::command(guard, vec![outcome], None, HERE)
            };
            Participant::component(ComponentId(component), vec![alternative])
        });
        self.program.groups.push(Group::new(action, participants.collect()));
    }
}

const ANY: Domain = volvelle_model::offers::ANY;

/// A producer puts elements 0..elements into a queue of bounded length; a consumer takes them, and keeps a set of what it has seen; the
/// whole queue can be looked at.
///
/// ```text
/// queue, producer:  [LENGTH (Q) < bound]  PUT !x   x in names;   Q := APPEND (Q, x)
/// queue, consumer:  [LENGTH (Q) > 0]      GET !HEAD (Q);         Q := TAIL (Q), S := INSERT (S, x)
/// queue, consumer:  [LENGTH (Q) = bound]  SEE !Q !HAS (S, HEAD (Q))
/// consumer:         [HAS (S, 0)]          i;                     S := REPLACE (S, 0, 1)
/// ```
fn queue(elements: usize, bound: i64, room: i64) -> (Program, Vec<&'static str>) {
    let terms = Domain::Growing { lo: 0, hi: room };
    let mut build =
        Build::new(&[("Q", terms, 0), ("S", terms, 0), ("idle", Domain::Int { lo: 0, hi: 0 }, 0)]);
    let names = (0..elements).map(|k| format!("A{k}")).collect();
    let element = build.program.sort(Sort { name: "element".into(), values: SortValues::Names(names) });
    let list = build.program.sort(Sort { name: "list".into(), values: SortValues::Terms });
    let (append, insert) = (build.function("append", 2, list), build.function("insert", 2, list));
    let (head, tail) = (build.function("head", 1, element), build.function("tail", 1, list));
    let (length, has) =
        (build.function("length", 1, SortId::INTEGER), build.function("has", 2, SortId::BOOLEAN));
    let replace = build.function("replace", 3, list);
    let [put, get, see] = ["PUT", "GET", "SEE"].map(|name| build.action(name));
    let (q, s) = (build.field(0), build.field(1));
    let (x, truth) = (build.program.read(Place::Offered(0)), build.program.exprs.bool(true));
    let n = build.apply(length, &[q]);
    let names = Domain::Int { lo: 0, hi: elements as i64 - 1 };

    let guard = build.compare(BinaryOp::Lt, n, bound);
    let longer = build.apply(append, &[q, x]);
    let to = build.outcome(0, longer);
    let takes = (Item::Take(names), element);
    build.group(put, vec![(0, guard, vec![takes], to), (2, truth, vec![takes], Build::stays())]);

    let guard = build.compare(BinaryOp::Gt, n, 0);
    let (first, rest) = (build.apply(head, &[q]), build.apply(tail, &[q]));
    let to = build.outcome(0, rest);
    let larger = build.apply(insert, &[s, x]);
    let into = build.outcome(1, larger);
    let gives = vec![(Item::Give(first), element)];
    build.group(get, vec![(0, guard, gives, to), (1, truth, vec![(Item::Take(ANY), element)], into)]);

    let guard = build.compare(BinaryOp::Eq, n, bound);
    let seen = build.apply(has, &[s, first]);
    let gives = vec![(Item::Give(q), list), (Item::Give(seen), SortId::BOOLEAN)];
    let takes = vec![(Item::Take(ANY), list), (Item::Take(Domain::Bool), SortId::BOOLEAN)];
    build.group(see, vec![(0, guard, gives, Build::stays()), (1, truth, takes, Build::stays())]);

    let (zero, one) = (build.program.exprs.i64(0), build.program.exprs.i64(1));
    let guard = build.apply(has, &[s, zero]);
    let other = build.apply(replace, &[s, zero, one]);
    let to = build.outcome(1, other);
    build.group(ActionId::SILENT, vec![(1, guard, Vec::new(), to)]);
    let expr = build.compare(BinaryOp::Eq, q, 0);
    build.program.labels.push(Label { name: Some("empty".to_owned()), expr, origin: None });
    (build.program, build.functions)
}

type State = (Vec<i64>, Vec<i64>);

/// The same system in Rust: labelled transitions of states in breadth-first order.
fn expected(elements: i64, bound: usize) -> (Vec<State>, Vec<(usize, String, usize)>) {
    let mut states: Vec<State> = vec![(Vec::new(), Vec::new())];
    let mut numbers: BTreeMap<State, usize> = BTreeMap::from([(states[0].clone(), 0)]);
    let mut transitions = Vec::new();
    let mut queue = VecDeque::from([0]);
    while let Some(at) = queue.pop_front() {
        let (q, s) = states[at].clone();
        let mut next: Vec<(String, State)> = Vec::new();
        if q.len() < bound {
            for x in 0..elements {
                next.push((format!("PUT !A{x}"), ([&q[..], &[x]].concat(), s.clone())));
            }
        }
        if let Some((&x, rest)) = q.split_first() {
            let mut with = [&s[..], &[x]].concat();
            with.sort_unstable();
            with.dedup();
            next.push((format!("GET !A{x}"), (rest.to_vec(), with)));
        }
        if q.len() == bound {
            let seen = if s.contains(&q[0]) { "TRUE" } else { "FALSE" };
            next.push((format!("SEE !{} !{seen}", text(&q)), (q.clone(), s.clone())));
        }
        if s.contains(&0) {
            let mut other: Vec<i64> = s.iter().map(|&x| if x == 0 { 1 } else { x }).collect();
            other.sort_unstable();
            other.dedup();
            next.push((String::new(), (q.clone(), other)));
        }
        for (label, state) in next {
            let number = *numbers.entry(state.clone()).or_insert_with(|| {
                states.push(state);
                queue.push_back(states.len() - 1);
                states.len() - 1
            });
            transitions.push((at, label, number));
        }
    }
    (states, transitions)
}

fn transitions(explored: &Explored) -> Vec<(usize, String, usize)> {
    let space = &explored.space;
    let choices = space.choices.as_ref().expect("it is nondeterministic");
    let rows = (0..space.num_states()).flat_map(|s| space.choices_of(s).map(move |row| (s, row)));
    rows.filter(|&(s, row)| {
        // A state without a step of its own has a loop.
        !(space.deadlocks.contains(s) && choices.start[s] as usize == row)
    })
    .map(|(s, row)| {
        let targets = space.columns[space.row(row)].to_vec();
        (s, space.actions[choices.action[row] as usize].clone(), targets[0] as usize)
    })
    .collect()
}

fn one_way(
    program: &Program,
    lists: &mut Lists,
    compiler: &dyn Compiler,
    code: Option<Effort>,
    threads: usize,
) -> Result<Explored, ExploreError> {
    let control = Control { threads, limits: Limits::default(), ..Control::unlimited() };
    let options = Options { observe: Selection::all(program), code, ..Options::default() };
    explore_with_terms(program, lists, compiler, &options, &control)
}

/// Explores it in several ways, which do not differ, neither in what they find nor in what they ask.
fn explored(
    program: &Program,
    functions: &[&'static str],
    longest: usize,
) -> (Result<Explored, ExploreError>, Lists) {
    let native = Native::new(volvelle_native::Options::default()).expect("this machine");
    let ways: [(&dyn Compiler, Option<Effort>, usize); 5] = [
        (&Interpreter, None, 1),
        (&native, Some(Effort::Usual), 1),
        (&native, Some(Effort::Quick), 2),
        (&native, None, 2),
        (&native, Some(Effort::Thorough), 3),
    ];
    let mut first: Option<(Result<Explored, ExploreError>, Lists)> = None;
    for (compiler, code, threads) in ways {
        let mut lists = Lists { longest, ..Lists::new(functions.to_vec()) };
        let outcome = one_way(program, &mut lists, compiler, code, threads);
        match &first {
            None => first = Some((outcome, lists)),
            Some((found, before)) => {
                assert_eq!(tiers::difference(found, &outcome), None, "{}, {threads}", compiler.name());
                assert_eq!(before.asked, lists.asked);
            }
        }
    }
    let (outcome, lists) = first.expect("there are several ways");
    let mut once = lists.asked.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), lists.asked.len(), "each application is asked for once");
    (outcome, lists)
}

#[test]
fn a_queue_of_terms_is_that_of_a_slow_model() {
    for (elements, bound, room) in [(1, 1, 0), (2, 3, 1), (3, 3, 1000), (2, 6, 3)] {
        let (program, functions) = queue(elements, bound, room);
        let (outcome, lists) = explored(&program, &functions, 100);
        let explored = outcome.expect("all functions have values");
        let (states, steps) = expected(elements as i64, bound as usize);
        let found: Vec<State> = (0..explored.states.len())
            .map(|state| {
                let values = explored.layout.unpack(explored.states.get(state));
                let list = |field: usize| lists.lists[values[field] as usize].clone();
                (list(0), list(1))
            })
            .collect();
        assert_eq!(found, states);
        let empty = &explored.space.labels[0].1;
        assert!(states.iter().enumerate().all(|(s, state)| empty.contains(s) == state.0.is_empty()));
        let mut steps = steps;
        let mut found = transitions(&explored);
        steps.sort();
        found.sort();
        assert_eq!(found, steps);
        // Nothing was asked that guards exclude.
        let empty = |(function, arguments): &&(u32, Vec<i64>)| {
            ["head", "tail"].contains(&functions[*function as usize]) && arguments[0] == 0
        };
        assert_eq!(lists.asked.iter().find(empty), None);
    }
}

#[test]
fn without_a_guard_the_failure_names_state_and_reason() {
    let (mut program, functions) = queue(2, 3, 7);
    program.groups[1].participants[0].alternatives[0].guard = program.exprs.bool(true);
    let (outcome, _) = explored(&program, &functions, 100);
    let Err(ExploreError::Undefined { site, application, values, state, path }) = outcome else {
        panic!("HEAD (EMPTY) has a value: {outcome:?}")
    };
    assert_eq!(program.functions[application.function.index()].name, "head");
    assert_eq!(application.arguments, [0]);
    assert_eq!(application.reason.0, "no equation for HEAD (EMPTY)");
    assert_eq!((&values[..2], state.0, path.len()), (&[0, 0][..], 0, 0));
    assert!(matches!(program.sites[site.index()].subject, SiteSubject::Application(_)));
}

#[test]
fn a_limit_of_the_evaluator_is_a_failure_with_a_path() {
    let (program, functions) = queue(2, 4, 0);
    let (outcome, lists) = explored(&program, &functions, 3);
    let Err(ExploreError::Undefined { application, values, path, .. }) = outcome else {
        panic!("lists may be that long: {outcome:?}")
    };
    assert_eq!(program.functions[application.function.index()].name, "append");
    assert_eq!(lists.lists[values[0] as usize].len(), 3);
    assert_eq!(path.len(), 3, "a shortest path");
}

/// Numbers, names of two enumerations and terms that are all 1 in the state.
#[test]
fn items_of_different_sorts_do_not_fit_and_labels_show_names() {
    let names = |names: &[&str]| SortValues::Names(names.iter().map(|&name| name.to_owned()).collect());
    let sorts = [
        ("colour", names(&["RED", "GREEN"])),
        ("flag", names(&["UP", "DOWN"])),
        ("list", SortValues::Terms),
        ("nat", SortValues::Integers),
    ];
    let mut build =
        Build::new(&[("a", Domain::Int { lo: 0, hi: 1 }, 1), ("b", Domain::Int { lo: 0, hi: 0 }, 0)]);
    let mut ids: Vec<SortId> = sorts
        .into_iter()
        .map(|(name, values)| build.program.sort(Sort { name: name.into(), values }))
        .collect();
    ids.extend([SortId::INTEGER, SortId::BOOLEAN]);
    let action = build.action("G");
    let value = build.field(0);
    let truth = build.program.exprs.bool(true);
    for (k, &given) in ids.iter().enumerate() {
        for &taken in &ids {
            // Three items: the last two fit always.
            let tail = [(Item::Give(value), ids[k]), (Item::Give(value), ids[0])];
            let items = |first: Item, sort: SortId| [&[(first, sort)][..], &tail].concat();
            build.group(
                action,
                vec![
                    (0, truth, items(Item::Give(value), given), Build::stays()),
                    (1, truth, items(Item::Take(ANY), taken), Build::stays()),
                ],
            );
        }
    }
    let mut program = build.program;
    let explore = |program: &Program| {
        let mut lists = Lists::new(Vec::new());
        lists.number(vec![7]).expect("it is short");
        one_way(program, &mut lists, &Interpreter, None, 1).expect("nothing fails")
    };
    let shown = ["GREEN", "DOWN", "PUSH (A7, EMPTY)", "1", "1", "TRUE"]
        .map(|value| format!("G !{value} !{value} !GREEN"));
    let labels =
        |explored: &Explored| transitions(explored).into_iter().map(|step| step.1).collect::<Vec<_>>();
    assert_eq!(labels(&explore(&program)), shown);
    // Without an evaluator of terms, they are numbers.
    let explored =
        volvelle_explore::explore(&program, &Interpreter, &Options::default(), &Control::unlimited());
    assert_eq!(labels(&explored.expect("nothing fails"))[2], "G !1 !1 !GREEN");
    // Values of enumerations are negotiated.
    let take = |high| (Item::Take(Domain::Int { lo: 0, hi: high }), ids[0]);
    program.groups.truncate(1);
    for participant in &mut program.groups[0].participants {
        participant.alternatives[0].offer = Some(Offer::of_sorts([take(1), take(0)]));
    }
    assert_eq!(labels(&explore(&program)), ["G !RED !RED", "G !GREEN !RED"]);
}

#[test]
fn other_engines_refuse_functions() {
    let (mut program, functions) = queue(2, 2, 7);
    let refused = Err(ExploreError::Kernel(KernelError::Functions));
    let control = Control::unlimited();
    assert_eq!(explore(&program, &Interpreter, &Options::default(), &control).map(drop), refused);
    assert!(volvelle_explore::state_with_choices(&program, 100, &control).is_none());
    assert!(
        volvelle_explore::explore_reduced(&program, &Interpreter, &Options::default(), &control).is_none()
    );
    assert!(volvelle_model::symmetry::interchangeable_components(&program, &Selection::default()).is_empty());
    // Observations that apply functions.
    let expr = program.groups[0].participants[0].alternatives[0].guard;
    program.labels.push(Label { name: None, expr, origin: None });
    let options = Options { observe: Selection::all(&program), ..Options::default() };
    let mut lists = Lists::new(functions);
    let outcome = explore_with_terms(&program, &mut lists, &Interpreter, &options, &control);
    assert_eq!(outcome.map(drop), refused);
}
