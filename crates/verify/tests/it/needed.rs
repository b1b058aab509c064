//! Exploration that stops where properties are decided, against the whole space: the same values, on generated models.

use volvelle_control::{Control, Limits};
use volvelle_prism::testing::{Choices, random_model};
use volvelle_verify::{
    Answer, Evidences, Experiment, Guarantee, Report, Session, Settings, Text, Tier, Value,
};

const MODELS: u64 = 500;
const STATES: u64 = 2000;

fn open(model: &str, properties: &str, constants: &[&str]) -> Session {
    let text = |name: &str, text: &str| Text { name: name.to_owned(), text: text.to_owned() };
    Session::open(text("model.prism", model), vec![text("model.props", properties)], constants)
}

fn control() -> Control<'static> {
    Control { limits: Limits { states: Some(STATES), ..Limits::default() }, ..Control::unlimited() }
}

fn settings(full_space: bool, exact: bool) -> Settings {
    Settings { full_space, exact, tier: Tier::Interpreter, ..Settings::default() }
}

fn check(model: &str, properties: &str, settings: &Settings) -> Report {
    volvelle_verify::check(&mut open(model, properties, &[]), &[], settings, &control())
}

/// Writes properties of which some stop exploration and some do not.
struct Writer<'w> {
    choices: Choices<'w>,
    variables: Vec<(String, bool)>,
    kind: String,
}

impl<'w> Writer<'w> {
    fn new(model: &str, choices: Choices<'w>) -> Self {
        let (outline, _) = open(model, "", &[]).model.outline();
        let outline = outline.expect("the model can be read");
        let variables = outline.variables.iter().map(|v| (v.name.clone(), v.range == "bool")).collect();
        Writer { choices, variables, kind: outline.kind }
    }

    fn condition(&mut self) -> String {
        let mut text = self.atom();
        if self.choices.chance(40) {
            let operator = *self.choices.pick(&["&", "|", "=>", "&"]);
            text = format!("({text} {operator} {})", self.atom());
        }
        if self.choices.chance(20) { format!("!({text})") } else { text }
    }

    fn atom(&mut self) -> String {
        if self.choices.chance(15) {
            return (*self.choices.pick(&["\"goal\"", "\"goal\"", "true", "\"init\"", "\"deadlock\""]))
                .to_owned();
        }
        let (name, is_bool) = self.choices.pick(&self.variables).clone();
        let bound = self.choices.between(-1, 3);
        match is_bool {
            true => name,
            false => format!("{name}{}{bound}", self.choices.pick(&["=", ">=", "<", "!=", "="])),
        }
    }

    fn property(&mut self) -> String {
        let optimum = if self.kind == "MDP" { *self.choices.pick(&["min", "max"]) } else { "" };
        let (a, b) = (self.condition(), self.condition());
        let time = match self.choices.below(6) {
            0 | 1 => format!("<={}", self.choices.between(0, 6)),
            2 => format!("[{},{}]", self.choices.between(0, 2), self.choices.between(2, 5)),
            _ => String::new(),
        };
        let path = match self.choices.below(8) {
            0 | 1 => format!("F{time} {b}"),
            2 | 3 => format!("({a}) U{time} ({b})"),
            4 => format!("G{time} ({a})"),
            5 => format!("({a}) W{time} ({b})"),
            6 => format!("({a}) R{time} ({b})"),
            _ => format!("!(({a}) U{time} ({b}))"),
        };
        let steps = self.choices.between(0, 5);
        if self.choices.chance(25) {
            return match self.choices.below(6) {
                0 => format!("P{optimum}=? [ X {a} ]"),
                1 => format!("P{optimum}=? [ X (({a}) U<={steps} ({b})) ]"),
                2 => format!("P{optimum}=? [ (F<={steps} {a}) & (G<=2 {b}) ]"),
                3 => format!("P{optimum}=? [ F<=2 P>0.3 [ ({a}) U<={steps} ({b}) ] ]"),
                4 => format!("R{{\"cost\"}}{optimum}=? [ C<={steps} ]"),
                _ => format!("R{{\"cost\"}}{optimum}=? [ I={steps} ]"),
            };
        }
        match self.choices.below(10) {
            0 if self.choices.chance(20) => format!("R{{\"cost\"}}{optimum}=? [ ({a}) U ({b}) ]"),
            0 | 1 => format!("R{{\"cost\"}}{optimum}=? [ F {b} ]"),
            2 => format!(
                "P{}0.{} [ {path} ]",
                self.choices.pick(&["<", ">=", ">"]),
                self.choices.between(1, 9)
            ),
            3 => format!("1 - 2 * P{optimum}=? [ {path} ]"),
            4 => format!("P{optimum}=? [ F P>0.5 [ X {a} ] ]"),
            5 if self.kind != "MDP" => format!("T=? [ F {b} ]"),
            _ => format!("P{optimum}=? [ {path} ]"),
        }
    }
}

/// Whether two answers can both be right, and are about the same.
fn agree(a: &Answer, b: &Answer) -> bool {
    let bounds = |answer: &Answer| match (&answer.value, &answer.guarantee) {
        (_, &Guarantee::Sound { lo, hi, .. }) => Some([lo, hi]),
        (&Value::Number(x), Guarantee::Exact { .. }) => Some([x, x]),
        (&Value::Interval(lo, hi), Guarantee::Exact { .. }) => Some([lo, hi]),
        _ => None,
    };
    let close = |x: f64, y: f64| x == y || (x - y).abs() <= 1e-5 * x.abs().max(y.abs()).max(1e-3);
    match (&a.value, &b.value) {
        (Value::Bool(x), Value::Bool(y)) => x == y,
        (&Value::Number(x), &Value::Number(y)) => {
            let overlap = bounds(a).zip(bounds(b)).is_some_and(|([l, h], [m, i])| l <= i && m <= h);
            overlap && close(x, y)
        }
        (&Value::Interval(l, h), &Value::Interval(m, i)) => close(l, m) && close(h, i),
        _ => false,
    }
}

/// How often what happened.
#[derive(Debug, Default)]
struct Tally {
    values: usize,
    smaller: usize,
    spared: usize,
}

fn compare(model: &str, properties: &str, exact: bool, tally: &mut Tally) {
    let full = check(model, properties, &settings(true, exact));
    let needed = check(model, properties, &settings(false, exact));
    let place = || format!("{model}\n{properties}");
    let Some(space) = full.model.as_ref().filter(|m| m.complete) else {
        // What the whole space fails at may lie beyond.
        tally.spared += usize::from(needed.model.as_ref().is_some_and(|m| m.complete));
        return;
    };
    let found = needed.model.as_ref().unwrap_or_else(|| panic!("only the whole space is there\n{}", place()));
    assert!(found.complete && found.states <= space.states, "{}", place());
    assert_eq!(space.unexpanded, None);
    assert!(found.unexpanded.is_some() || found.states == space.states, "{}", place());
    assert_eq!(found.initial_states, space.initial_states, "{}", place());
    tally.smaller += usize::from(found.states < space.states);
    for (full, needed) in full.results.iter().zip(&needed.results) {
        let Ok(expected) = &full.outcome else { continue };
        let Ok(answer) = &needed.outcome else {
            panic!("{}: {:?}\n{}", full.text, needed.outcome, place());
        };
        assert!(agree(expected, answer), "{}: {expected:?} {answer:?}\n{}", full.text, place());
        assert_eq!(expected.exact.is_empty(), answer.exact.is_empty());
        assert_eq!(expected.exact, answer.exact, "{}\n{}", full.text, place());
        tally.values += usize::from(found.states < space.states);
    }
}

#[test]
fn values_do_not_depend_on_where_exploration_stops() {
    let (mut tally, mut exactly) = (Tally::default(), Tally::default());
    for seed in 0..MODELS {
        let model = random_model(&mut Choices::from_seed(seed));
        let mut writer = Writer::new(&model, Choices::from_seed(seed ^ 0xdec1_ded0));
        let count = writer.choices.between(1, 2);
        for _ in 0..4 {
            let properties: Vec<String> = (0..count).map(|_| writer.property()).collect();
            let properties = format!("{};", properties.join(";\n"));
            compare(&model, &properties, false, &mut tally);
            if seed % 4 == 0 {
                compare(&model, &properties, true, &mut exactly);
            }
        }
    }
    assert!(tally.values > 100 && tally.smaller > 100 && tally.spared > 5, "{tally:?}");
    assert!(exactly.values > 10, "{exactly:?}");
}

const QUEUE: &str = "ctmc
const double r;
const double h;
module m
  x : [0..9] init 0;
  [] x<9 -> r : (x'=x+1);
  [] x>0 -> 1 : (x'=x-1);
endmodule
label \"high\" = x>=h;
rewards \"level\" true : x; endrewards
";

/// States, and states that were not expanded, with some settings.
fn counts(properties: &str, settings: &Settings) -> (u64, Option<u64>) {
    let report =
        volvelle_verify::check(&mut open(QUEUE, properties, &["r=1,h=4"]), &[], settings, &control());
    assert!(report.results.iter().all(|r| r.outcome.is_ok()), "{properties}: {report:?}");
    let model = report.model.expect("it was explored");
    assert_eq!(model.deadlocks, Some(0), "a state that is not expanded is no deadlock");
    (model.states, model.unexpanded)
}

#[test]
fn all_properties_have_to_be_decided() {
    let counts = |properties: &str| counts(properties, &settings(false, false));
    let all = (10, None);
    // A target; a region that is left; the farther one of two targets.
    assert_eq!(counts("P=? [ F \"high\" ]"), (5, Some(1)));
    assert_eq!(counts("P=? [ x<3 U<=2 x=6 ]"), (4, Some(1)));
    assert_eq!(counts("P=? [ F<=2 \"high\" ]; P=? [ F x>=6 ]"), (7, Some(1)));
    assert_eq!(counts("P=? [ G x<4 ]; T=? [ F x>=2 ]"), (5, Some(1)));
    assert_eq!(counts("P>0.5 [ F \"high\" ] & P<=1 [ F<=1 x=2 ]"), all);
    // The first is decided from the start.
    assert_eq!(counts("P=? [ F x=0 ]"), (1, Some(1)));
    assert_eq!(counts("P=? [ F x=0 ]; P=? [ F \"high\" ]"), (10, None));
    assert_eq!(counts("P=? [ F x<=0 ]; P=? [ F x<=1 ]"), (1, Some(1)));
    for needs_all in [
        "P=? [ X[0,1] x=1 ]",
        "P=? [ F[1,2] x=4 ]",
        "P=? [ F>=1 x=4 ]",
        "P=? [ F (x=4 & X x=3) ]",
        "P=? [ F P>0.4 [ X x=3 ] ]",
        "P=? [ F \"deadlock\" ]",
        "filter(max, P=? [ F x=4 ])",
        "S=? [ x=4 ]; P=? [ F x=4 ]",
        "T=? [ x<3 U x=6 ]",
        "R{\"level\"}=? [ C<=2 ]",
    ] {
        assert_eq!(counts(needs_all), all, "{needs_all}");
    }
    // A space that small is explored in full, however few steps are looked ahead.
    assert_eq!(counts("P=? [ X x=1 ]"), all);
}

/// A counter without an end.
const COUNTER: &str = "dtmc
module m
  x : int init 0;
  [] true -> 0.5 : (x'=x+1) + 0.5 : (x'=max(x-1,0));
endmodule
rewards \"level\" true : x; [] true : 1; endrewards
";

#[test]
fn bounds_on_steps_make_infinite_models_answerable() {
    let check = |properties: &str| {
        let report = volvelle_verify::check(
            &mut open(COUNTER, properties, &[]),
            &[],
            &settings(false, false),
            &control(),
        );
        let value = |value: &Value| match *value {
            // All values here are multiples of 1/8.
            Value::Number(x) => Value::Number((x * 1e9).round() / 1e9),
            ref other => other.clone(),
        };
        let outcomes = report.results.iter().map(|r| r.outcome.as_ref().ok());
        let values: Vec<Option<Value>> = outcomes.map(|answer| Some(value(&answer?.value))).collect();
        (report.model.map(|model| (model.states, model.unexpanded)), values)
    };
    let number = |x: f64| Some(Value::Number(x));
    // Up to 20 states are explored in any case (a hundredth of those allowed), and the level in which they end.
    for (property, states, value) in [
        ("P=? [ F<=3 x=3 ]", 4, number(0.125)),
        ("P=? [ F<3 x=3 ]", 4, number(0.0)),
        ("P=? [ F<=0 x=3 ]", 4, number(0.0)),
        ("P=? [ X X x=2 ]", 21, number(0.25)),
        ("P=? [ G<=2 x<2 ]", 3, number(0.75)),
        ("P=? [ F<=2 P>=0.5 [ X x=2 ] ]", 21, number(0.75)),
        ("P=? [ F<=2 \"deadlock\" ]", 21, number(0.0)),
        ("P=? [ (F<=2 x=2) & (X x=1) ]", 21, number(0.25)),
        ("P=? [ (F<=2 x=2) & (F<=4 x=0) ]", 21, number(0.25)),
        ("R{\"level\"}=? [ C<=2 ]", 21, number(2.5)),
        ("R{\"level\"}=? [ I=2 ]", 21, number(0.75)),
        ("P>0.2 [ F<=2 x=2 ]", 3, Some(Value::Bool(true))),
        ("A [ X x<2 ]", 21, Some(Value::Bool(true))),
        ("1 - P=? [ F<=1 x=1 ]", 2, number(0.5)),
        ("P=? [ G<=40 x<41 ]", 41, number(1.0)),
        ("P=? [ X X (F<=28 x>=0) ]", 31, number(1.0)),
        ("P=? [ F<=25 P>=0.5 [ F<=5 \"deadlock\" ] ]", 32, number(0.0)),
        ("R{\"level\"}=? [ C<=26 ] * 0", 27, number(0.0)),
    ] {
        let (model, values) = check(property);
        assert_eq!(model.map(|(states, _)| states), Some(states), "{property}");
        assert_eq!(values, [value], "{property}");
    }
    // One that looks further than any number of steps does not keep the others from their answers.
    let (_, values) = check("P=? [ F<=3 x=3 ]; P=? [ F x=-1 ]; R{\"level\"}=? [ C<=2 ]");
    assert_eq!(values, [number(0.125), None, number(2.5)]);
    // Values in all states, and lower bounds without upper ones, need all of them.
    for needs_all in ["filter(max, P=? [ F<=3 x=3 ])", "P=? [ F>=2 x=3 ]", "R{\"level\"}=? [ F x=3 ]"] {
        let (_, values) = check(needs_all);
        let is_answered = needs_all.starts_with('R');
        assert_eq!(values[0].is_some(), is_answered, "{needs_all}");
    }
}

#[test]
fn settings_ask_for_all_states() {
    let property = "P=? [ F \"high\" ]";
    let with = |change: fn(&mut Settings)| {
        let mut settings = settings(false, false);
        change(&mut settings);
        counts(property, &settings)
    };
    assert_eq!(with(|_| {}), (5, Some(1)));
    assert_eq!(with(|s| s.exact = true), (5, Some(1)));
    assert_eq!(with(|s| s.full_space = true), (10, None));
    assert_eq!(with(|s| s.all_states = true), (10, None));
    assert_eq!(with(|s| s.fix_deadlocks = false), (10, None));
    assert_eq!(with(|s| s.evidence = Evidences { witness: true, ..Evidences::default() }), (10, None));
}

/// Of a sweep: the values of all points, and for each state space whether it was taken over.
fn sweep(properties: &str, constants: &str, full_space: bool) -> (Vec<Answer>, Vec<(u64, String)>) {
    let mut session = open(QUEUE, properties, &[constants]);
    let found: Experiment =
        volvelle_verify::experiment(&mut session, &[], &settings(full_space, false), &control());
    let results = found.points.into_iter().flat_map(|p| p.results);
    let answers = results.map(|r| r.outcome.expect("an answer")).collect();
    let spaces = found.models.iter().map(|model| {
        let fact = model.facts.iter().find(|fact| fact.what == "states");
        (model.states, fact.map_or(String::new(), |fact| fact.why.clone()))
    });
    (answers, spaces.collect())
}

#[test]
fn points_of_a_sweep_share_spaces_that_stop_at_the_same_states() {
    let kept = "the points differ in probabilities, rates, rewards and observations only";
    let elsewhere =
        "the states of the previous point could not be reused: the properties are decided in other states";
    let cases = [
        // The same states for every rate.
        ("P=? [ F<=3 \"high\" ]", "h=4,r=1:3", vec![(5, ""), (5, kept), (5, kept)]),
        // The constant of the condition decides where to stop.
        ("P=? [ F<=3 \"high\" ]", "h=4:6,r=2", vec![(5, ""), (6, elsewhere), (7, elsewhere)]),
        // Points that differ in constants of the property share a space: all of them have to be decided.
        ("const int K; P=? [ F<=3 x>=K ]", "h=4,r=1,K=2:6", vec![(7, "")]),
        ("P=? [ F<=3 \"high\" ]; S=? [ x=9 ]", "h=4:5,r=1", vec![(10, ""), (10, kept)]),
    ];
    for (properties, constants, expected) in cases {
        let (answers, spaces) = sweep(properties, constants, false);
        let spaces: Vec<(u64, &str)> = spaces.iter().map(|(n, why)| (*n, why.as_str())).collect();
        assert_eq!(spaces, expected, "{properties} {constants}");
        let (all, _) = sweep(properties, constants, true);
        assert_eq!(answers.len(), all.len());
        assert!(answers.iter().zip(&all).all(|(a, b)| agree(a, b)), "{answers:?} {all:?}");
    }
}

/// A state with an error is not found where no property needs it; what goes wrong on the way is.
#[test]
fn errors_beyond_are_not_found() {
    let model = QUEUE.replace("x<9", "true");
    let states = |property: &str, full_space: bool| {
        let mut session = open(&model, property, &["r=1,h=4"]);
        let report = volvelle_verify::check(&mut session, &[], &settings(full_space, false), &control());
        report.model.map(|model| model.states)
    };
    assert_eq!(states("P=? [ F \"high\" ]", false), Some(5));
    assert_eq!(states("P=? [ F \"high\" ]", true), None);
    assert_eq!(states("P=? [ F x>9 ]", false), None);
}
