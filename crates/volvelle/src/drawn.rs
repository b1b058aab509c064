//! Every screen on terminals of all usual widths: no line is longer than the terminal, and no answer is cut.

use volvelle_control::Control;
use volvelle_numbers::document::{distribution, threshold};
use volvelle_numbers::{Extreme, Moments, Sought};
use volvelle_paths::{Tracing, screen as path};
use volvelle_present::terminal::draw;
use volvelle_reports::documents::value::{trust_short, value};
use volvelle_reports::documents::{answers as documents, experiment, facts, outline, runs};
use volvelle_reports::screen::{Style, flow, head};
use volvelle_searches::{SearchSettings, Wanted};
use volvelle_session::evidence::Evidences;
use volvelle_session::report::{PropertyReport, Report};
use volvelle_session::{Session, Settings, Text};
use volvelle_stepping::dialogue::View;
use volvelle_stepping::{Journey, Pace, Walk};

const WIDTHS: std::ops::RangeInclusive<usize> = 40..=200;

const MACHINE: &str = "mdp
const int repairs;
module a_machine_with_a_long_name
  condition_of_the_machine : [0..3] init 3;
  is_under_repair : bool init false;
  number_of_repairs : [0..5] init 0;
  [work] condition_of_the_machine>0 & !is_under_repair -> 0.7 : true + 0.3 : (condition_of_the_machine'=condition_of_the_machine-1);
  [maintain] condition_of_the_machine<3 & number_of_repairs<repairs -> (is_under_repair'=true) & (number_of_repairs'=number_of_repairs+1);
  [finish] is_under_repair -> 0.9 : (is_under_repair'=false) & (condition_of_the_machine'=3) + 0.1 : (is_under_repair'=false);
  [stop] condition_of_the_machine=0 & number_of_repairs=repairs & !is_under_repair -> true;
endmodule
rewards \"cost_of_operation\" [work] true : 1/3; [maintain] true : 7; endrewards
label \"broken\" = condition_of_the_machine=0;
";

const PROPERTIES: &str = "\"breaks_early\": Pmax=? [ !is_under_repair U (condition_of_the_machine=0 & number_of_repairs<2) ];
\"smallest\": Pmin=? [ F<=12 condition_of_the_machine=0 & number_of_repairs=0 ];
\"cost\": R{\"cost_of_operation\"}min=? [ F condition_of_the_machine=0 & number_of_repairs=repairs & !is_under_repair ];
\"bounded\": Pmax>=0.999 [ F<=9 \"broken\" ];
filter(range, Pmax=? [ F<=4 \"broken\" ], true);
filter(print, Pmin=? [ F<=4 \"broken\" ], condition_of_the_machine>1);
filter(count, is_under_repair, true);
";

const CHAIN: &str = "ctmc
const int N;
module queue_with_a_long_name
  number_of_customers : [0..N] init 0;
  is_open : bool init true;
  [arrive] number_of_customers<N & is_open -> 0.9 : (number_of_customers'=number_of_customers+1);
  [serve] number_of_customers>0 -> 1.1 : (number_of_customers'=number_of_customers-1);
  [] is_open -> 0.01 : (is_open'=false);
  [] !is_open -> 0.5 : (is_open'=true);
endmodule
rewards \"customers_in_the_system\" true : number_of_customers; endrewards
rewards \"served\" [serve] true : 1; endrewards
label \"full\" = number_of_customers=N;
";

#[cfg(feature = "weights")]
const TERMS: &str = "Whole := (A_sender_with_a_long_name | A_receiver_with_a_long_name) \\ {a_parcel_on_its_way};
A_sender_with_a_long_name := waiting_for_parcels:<a_parcel_on_its_way!,12/7>.A_sender_with_a_long_name;
A_receiver_with_a_long_name := <a_parcel_on_its_way>.has_a_parcel_to_unpack:<unpack,3>.A_receiver_with_a_long_name;
";

const PROCESSES: &str = "mtype = { parcel_with_a_long_name, confirmation };
chan a_road_to_the_receiver = [1] of { mtype, byte };
chan direct = [0] of { byte };
byte a_global_counter_of_parcels;
active proctype a_sender_with_a_long_name() {
  byte number;
  do
  :: number < 3 -> a_road_to_the_receiver!parcel_with_a_long_name(number); number++; direct!number
  :: number == 3 -> printf(\"everything has been sent by now,   and there is nothing left to do for the sender\\n\"); break
  od
}
active proctype a_receiver() {
  byte number;
end: do
  :: a_road_to_the_receiver?parcel_with_a_long_name(number); a_global_counter_of_parcels = a_global_counter_of_parcels + number;
     direct?number; assert(a_global_counter_of_parcels < 3)
  od
}
ltl all_parcels_arrive_at_last { <> (a_global_counter_of_parcels == 200) }
";

fn session(name: &str, text: &str, properties: &str, constants: &[&str]) -> Session {
    let file = |name: &str, text: &str| Text { name: name.to_owned(), text: text.to_owned() };
    let listed = (!properties.is_empty()).then(|| file("questions.props", properties));
    Session::open(file(&format!("models/of/the/test/{name}"), text), listed.into_iter().collect(), constants)
}

/// A text without styles, with single spaces.
fn squeezed(text: &str) -> String {
    let plain = volvelle_present::terminal::marks::written(text, false);
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A screen at all widths: lines fit, and what has to be whole is.
fn walk(what: &str, whole: &[String], draw: impl Fn(Style) -> String) {
    let styles = WIDTHS.map(|width| Style { color: width % 2 == 0, unicode: true, width });
    // Without a width nothing is broken, whatever it is.
    for style in styles.chain([Style { unicode: true, ..Style::default() }]) {
        let (text, width) = (draw(style), style.width);
        for line in text.lines().filter(|_| width > 0) {
            assert!(flow::columns(line) <= width, "{what}, {width} columns: {line}\n{text}");
        }
        let found = squeezed(&text);
        for part in whole {
            assert!(found.contains(&squeezed(part)), "{what}, {width} columns: `{part}` is not in\n{text}");
        }
    }
}

/// The answers of a report, as they have to be found on a screen.
fn answers(results: &[PropertyReport]) -> Vec<String> {
    let answered = results.iter().filter_map(|result| result.outcome.as_ref().ok());
    answered.map(|answer| value(answer).plain()).collect()
}

fn checked(session: &mut Session, properties: &[&str], settings: &Settings) -> Report {
    let wanted: Vec<String> = properties.iter().map(|&text| text.to_owned()).collect();
    volvelle_numbers::check(session, &wanted, settings, &Control::unlimited())
}

#[test]
fn answers_and_tables_fit() {
    let mut session = session("machine.prism", MACHINE, PROPERTIES, &["repairs=2"]);
    let evidence = Evidences { witness: true, further: 2, ..Evidences::default() };
    let settings = Settings { all_states: true, evidence, ..Settings::default() };
    let report = checked(&mut session, &[], &settings);
    let results = &report.results;
    assert_eq!((results.len(), answers(results).len()), (7, 7), "{:?}", report.diagnostics);
    let trust = |result: &PropertyReport| trust_short(result.outcome.as_ref().expect("an answer"));
    let whole: Vec<String> = answers(results).into_iter().chain(results.iter().map(trust)).collect();
    let table = documents::document(results, false, "a file");
    walk("the table", &whole, |style| draw(&table, false, style));
    for result in results.iter().map(std::slice::from_ref) {
        let whole = [answers(result), vec![result[0].text.clone()]].concat();
        let mut document = documents::document(result, true, "a file");
        documents::states(&mut document, result);
        walk("a block", &whole, |style| draw(&document, true, style));
    }
    walk("facts", &[], |style| draw(&facts::document(report.model.as_ref(), results), false, style));
    let space = report.model.as_ref().expect("a state space");
    walk("the head", &["MDP".to_owned()], |style| head(space, true, style));
}

#[test]
fn fractions_and_estimates_fit() {
    let mut session = session("machine.prism", MACHINE, "", &["repairs=2"]);
    let properties = ["Pmax=? [ F<=4 \"broken\" ]", "R{\"cost_of_operation\"}min=? [ C<=3 ]"];
    let report = checked(&mut session, &properties, &Settings { exact: true, ..Settings::default() });
    let whole = answers(&report.results);
    assert_eq!(whole.len(), 2, "{:?}", report.diagnostics);
    for one_by_one in [false, true] {
        let document = documents::document(&report.results, one_by_one, "a file");
        walk("fractions", &whole, |style| draw(&document, true, style));
    }
}

#[test]
fn experiments_thresholds_and_distributions_fit() {
    let mut many = session("queue.prism", CHAIN, "", &["N=2,5", "T=1:3"]);
    let properties =
        ["P=? [ F<=T \"full\" ]", "R{\"customers_in_the_system\"}=? [ C<=T ]", "S=? [ \"full\" ]"];
    let wanted: Vec<String> = properties.iter().map(|&text| text.to_owned()).collect();
    let found = volvelle_numbers::experiment(&mut many, &wanted, &Settings::default(), &Control::unlimited());
    let whole: Vec<String> = found.points.iter().flat_map(|point| answers(&point.results)).collect();
    assert_eq!(whole.len(), 18, "{:?}", found.diagnostics);
    for verbose in [false, true] {
        walk("an experiment", &whole, |style| draw(&experiment::document(&found, ""), verbose, style));
    }

    let sought = Sought {
        range: "N=1:30",
        such_that: "P<0.001 [ F<=20 \"full\" ]",
        extreme: Extreme::Least,
        every_value: false,
    };
    let mut one = session("queue.prism", CHAIN, "", &[]);
    let found = volvelle_numbers::find(&mut one, &sought, &Settings::default(), &Control::unlimited());
    walk("a threshold", &["it fails for N".to_owned()], |style| {
        draw(&threshold::document(&found, "models/queue.prism"), true, style)
    });

    let by = ["number_of_customers".to_owned(), "is_open".to_owned()];
    for (by, verbose) in [(&by[..], false), (&[], true), (&[], false)] {
        let mut one = session("queue.prism", CHAIN, "", &["N=3"]);
        let moments = Moments { times: Some("1,2,5,10,20,50"), long_run: true, by };
        let found =
            volvelle_numbers::distributions(&mut one, &moments, &Settings::default(), &Control::unlimited());
        assert_eq!(found.classes.len(), 8, "{:?}", found.diagnostics);
        walk("a distribution", &[], |style| {
            draw(&distribution::document(&found, "queue.prism"), verbose, style)
        });
    }
}

#[test]
fn outlines_and_paths_fit() {
    for (name, text) in [("machine.prism", MACHINE), ("queue.prism", CHAIN), ("parcels.pml", PROCESSES)] {
        let (found, diagnostics) = session(name, text, "", &[]).model.outline();
        let found = found.unwrap_or_else(|| panic!("{diagnostics:?}"));
        walk("an outline", &[], |style| draw(&outline::document(name, &found, style.width), false, style));
    }
    let mut queue = session("queue.prism", CHAIN, "", &["N=3"]);
    let wanted = ["P=? [ F<=4 number_of_customers=2 & is_open ]".to_owned()];
    let (plan, diagnostics) = volvelle_paths::plan_path(&mut queue, &wanted, Tracing::default());
    let plan = plan.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let mut path = volvelle_paths::start_path(&queue.model, &plan).expect("a path");
    let steps: Vec<_> =
        std::iter::once(path.first().clone()).chain(std::iter::from_fn(|| path.step()).take(200)).collect();
    walk("a path", &["number_of_customers=0".to_owned()], |style| {
        let mut table = path::PathTable::new(&plan, style);
        let rows: String = steps.iter().map(|step| table.step(step)).collect();
        let titles =
            ["a property whose text is longer than the usual screens of eighty columns, by some words"];
        let end = path::end(&volvelle_paths::document::ending(7, None, &titles, false), style);
        path::title("models/queue.prism", &plan, style) + &rows + &end
    });
}

#[test]
fn walks_fit() {
    let mut queue = session("queue.prism", CHAIN, "", &["N=3"]);
    let wanted = ["P=? [ F<=4 number_of_customers=2 & is_open ]".to_owned()];
    let tracing = Tracing { is_chosen: true, until: Some("deadlock".to_owned()), ..Tracing::default() };
    let (plan, diagnostics) = volvelle_paths::plan_path(&mut queue, &wanted, tracing);
    let plan = plan.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let mut chain = volvelle_paths::stepping::PathWalk::new(&mut queue.model, &plan).expect("a walk");
    let mut parcels = session("parcels.pml", PROCESSES, "", &[]);
    let runnable = volvelle_searches::runnable(&mut parcels.model);
    let (claims, _) = volvelle_searches::FollowedClaims::of(&parcels.model, &runnable, &[]);
    let processes = volvelle_searches::stepping::RunWalk::new(&parcels.model, &runnable, claims);
    let mut processes = processes.unwrap_or_else(|why| panic!("{why:?}"));
    let walks: [&mut dyn Walk; 2] = [&mut chain, &mut processes];
    for stepped in walks {
        walk_fits(stepped);
    }
}

#[cfg(feature = "weights")]
#[test]
fn weighted_walks_fit() {
    use volvelle_weights::stepping::{Walkable, WeightedWalk};
    let mut session = session("parcels.wccs", TERMS, "", &[]);
    let (settings, control) = (Settings::default(), Control::unlimited());
    let walkable = Walkable::of(&mut session, &Vec::new(), &settings, &control);
    let (found, said) = WeightedWalk::new(&session, walkable, &settings, &control);
    walk_fits(&mut found.unwrap_or_else(|| panic!("{said:?}")));
}

/// Whether a walk of some steps fits on screens of any width.
fn walk_fits(stepped: &mut dyn Walk) {
    let mut journey = Journey::new(stepped, 1, 1000);
    let pace = Pace { steps: 60, goal: None, is_stopped: &mut || false };
    // It may end before.
    let _ = journey.go(pace);
    let enabled = journey.walk().enabled().expect("steps");
    let state = journey.walk().state();
    let beginning = journey.walk().beginning();
    let steps: Vec<_> = (1..=journey.position()).filter_map(|number| journey.step(number).cloned()).collect();
    let stepped = &*journey.walk();
    walk("a walk", &[], |style| {
        let view = View::new(stepped, style);
        let taken = view.steps(1..=steps.len(), |number| steps.get(number - 1));
        let begun = view.title(stepped, 1) + &view.head() + &view.step(0, &beginning);
        begun + &taken + &view.enabled(&enabled) + &view.variables(&state) + &view.help()
    });
}

#[test]
fn runs_of_processes_fit() {
    let mut session = session("parcels.pml", PROCESSES, "", &[]);
    let report = volvelle_searches::search(
        &mut session,
        &Wanted::default(),
        &SearchSettings::default(),
        &Control::unlimited(),
    );
    assert!(report.results.iter().all(PropertyReport::is_false), "{:?}", report.results);
    for result in &report.results {
        assert!(!result.counterexamples.is_empty());
        walk("a verdict", &["violated".to_owned(), result.text.clone()], |style| {
            draw(&documents::verdicts(std::slice::from_ref(result), "a file"), true, style)
        });
        walk("steps", &[], |style| {
            let lines = runs::lines(style);
            let all = result.counterexamples.iter().flat_map(|example| &example.steps).enumerate();
            all.map(|(i, step)| lines.step(&runs::step(i as u64 + 1, step))).collect()
        });
    }
}
