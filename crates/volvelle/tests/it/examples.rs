//! The examples, with values derived by hand.

use crate::common::{examples, run_in};
use serde_json::Value;

/// Checks all properties of an example; gives name and value of each.
fn check(model: &str, options: &[&str]) -> Vec<(String, Value)> {
    let mut arguments = vec!["check", "--json"];
    let (prism, props) = (format!("{model}.prism"), format!("{model}.props"));
    arguments.extend([prism.as_str(), props.as_str()]);
    arguments.extend(options);
    let run = run_in(&examples(), &arguments);
    let json = run.json();
    let results = json["results"].as_array().expect("results");
    results
        .iter()
        .map(|r| {
            assert!(r.get("error").is_none(), "{r}");
            (r["name"].as_str().expect("a name").to_owned(), r["value"].clone())
        })
        .collect()
}

/// Compares with expectations: the same names in the same order, numbers up to one part in a million.
#[track_caller]
fn expect(found: &[(String, Value)], expected: &[(&str, Expected)]) {
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, expected.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for ((name, value), (_, expected)) in found.iter().zip(expected) {
        match expected {
            Expected::Is(truth) => assert_eq!(value, &Value::Bool(*truth), "{name}"),
            Expected::Points(points) => {
                let found: Vec<Vec<f64>> = serde_json::from_value(value.clone()).expect("points");
                assert_eq!(found.len(), points.len(), "{name}: {value}");
                for (x, y) in found.iter().flatten().zip(points.iter().flatten()) {
                    assert!((x - y).abs() <= 1e-6 * y.abs(), "{name}: {value}");
                }
            }
            Expected::Near(number) => {
                let value = value.as_f64().unwrap_or_else(|| panic!("{name}: {value}"));
                let error = (value - number).abs();
                assert!(error <= 1e-6 * number.abs(), "{name}: {value} instead of {number}");
            }
        }
    }
}

enum Expected {
    Near(f64),
    Is(bool),
    Points(Vec<[f64; 2]>),
}
use Expected::{Is, Near, Points};

#[test]
fn die() {
    let sixth = 1.0 / 6.0;
    expect(
        &check("die", &[]),
        &[
            ("one", Near(sixth)),
            ("six", Near(sixth)),
            ("likely", Is(false)),
            ("ends", Is(true)),
            ("flips", Near(11.0 / 3.0)),
            ("three", Near(0.75)),
        ],
    );
}

#[test]
fn gambler() {
    for start in [1, 20, 100] {
        let p = 0.49f64;
        let r = (1.0 - p) / p;
        let wins = 1.0 / (1.0 + r.powi(start));
        let games = (f64::from(start) - 2.0 * f64::from(start) * wins) / (1.0 - 2.0 * p);
        expect(
            &check("gambler", &["--const", &format!("start={start}")]),
            &[("wins", Near(wins)), ("games", Near(games)), ("ends", Is(true))],
        );
    }
}

#[test]
fn bold_play() {
    let (p, r) = (0.4f64, 1.5f64);
    let worst = (r.powi(2) - 1.0) / (r.powi(8) - 1.0);
    expect(
        &check("bold_play", &[]),
        &[
            ("best", Near(p * p)),
            ("worst", Near(worst)),
            ("ends", Is(true)),
            ("short", Near(1.0 + p)),
            ("long", Near((2.0 - 8.0 * worst) / (1.0 - 2.0 * p))),
        ],
    );
}

#[test]
fn mutex() {
    expect(
        &check("mutex", &[]),
        &[
            ("safe", Is(true)),
            ("least", Near(0.5)),
            ("most", Near(0.5)),
            ("served", Near(1.0)),
            ("asks", Near(0.0)),
            ("both", Near(1.0)),
            ("neglect", Near(1.0)),
            ("answered", Near(1.0)),
            ("must", Is(false)),
            ("never_both", Is(true)),
        ],
    );
}

#[test]
fn penney() {
    expect(
        &check("penney", &[]),
        &[
            ("thh_hhh", Near(7.0 / 8.0)),
            ("thh_hht", Near(3.0 / 4.0)),
            ("hht_htt", Near(2.0 / 3.0)),
            ("wait_hht", Near(8.0)),
            ("wait_hth", Near(10.0)),
            ("wait_hhh", Near(14.0)),
            // One of the two comes after 7 flips, the other after 14 more: the flips before are no help for it.
            ("wait_both", Near(21.0)),
            ("again", Is(true)),
            ("must", Is(false)),
            ("can", Is(true)),
        ],
    );
}

#[test]
fn queue() {
    let (arrive, serve, room) = (2.0f64, 2.5f64, 10i32);
    let r = arrive / serve;
    let empty = (1.0 - r) / (1.0 - r.powi(room + 1));
    let length: f64 = (0..=room).map(|n| f64::from(n) * empty * r.powi(n)).sum();
    // Going up from n takes u(n) = 1/arrive + serve/arrive * u(n-1) on average.
    let mut up = 0.0;
    let until_full: f64 = (0..room)
        .map(|n| {
            up = 1.0 / arrive + if n == 0 { 0.0 } else { serve / arrive * up };
            up
        })
        .sum();
    let found = check("queue", &[]);
    let (transient, rest): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(name, _)| name == "full_soon" || name == "lost");
    expect(
        &rest,
        &[
            ("idle", Near(empty)),
            ("crowded", Near(empty * r.powi(room))),
            ("length", Near(length)),
            ("until_full", Near(until_full)),
        ],
    );
    let (full_soon, lost) = queue_until(60.0);
    expect(&transient, &[("full_soon", Near(full_soon)), ("lost", Near(lost))]);
}

/// The queue by integrating its differential equations (classical Runge-Kutta): the probability to have been full
/// before `time`, and the expected number of customers lost.
fn queue_until(time: f64) -> (f64, f64) {
    const ROOM: usize = 10;
    let flow = |state: &[f64; 12], absorbing: bool| {
        let mut change = [0.0; 12];
        for n in 0..=ROOM {
            if n < ROOM {
                change[n] -= 2.0 * state[n];
                change[n + 1] += 2.0 * state[n];
            }
            if n > 0 && !(absorbing && n == ROOM) {
                change[n] -= 2.5 * state[n];
                change[n - 1] += 2.5 * state[n];
            }
        }
        change[11] = 2.0 * state[ROOM];
        change
    };
    let integrate = |absorbing: bool| {
        let mut state = [0.0; 12];
        state[0] = 1.0;
        let steps = 60_000;
        let h = time / f64::from(steps);
        for _ in 0..steps {
            let at = |k: &[f64; 12], f: f64| std::array::from_fn(|i| state[i] + f * h * k[i]);
            let k1 = flow(&state, absorbing);
            let k2 = flow(&at(&k1, 0.5), absorbing);
            let k3 = flow(&at(&k2, 0.5), absorbing);
            let k4 = flow(&at(&k3, 1.0), absorbing);
            state = std::array::from_fn(|i| state[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
        }
        state
    };
    (integrate(true)[ROOM], integrate(false)[11])
}

#[test]
fn retransmission() {
    let (lose, lose_ack, retries, frames) = (0.02f64, 0.01f64, 3, 4);
    let f = 1.0 - (1.0 - lose) * (1.0 - lose_ack);
    let g = f.powi(retries + 1);
    let per_frame = (1.0 - g) / (1.0 - f);
    let attempts: f64 = (0..frames).map(|k| (1.0 - g).powi(k) * per_frame).sum();
    expect(
        &check("retransmission", &[]),
        &[
            ("fails", Near(-((frames as f64) * (-g).ln_1p()).exp_m1())),
            ("ends", Is(true)),
            ("attempts", Near(attempts)),
            ("smooth", Near((1.0 - f).powi(frames))),
        ],
    );
}

/// Values of a dense matrix exponential, confirmed by two other methods to 1e-8.
const WAITING: &[(u32, f64)] = &[(20, 152.163399), (40, 208.467996), (60, 229.616159)];

#[test]
fn client_server() {
    let states = run_in(&examples(), &["explore", "client_server.prism", "--json"]).exits(0).json();
    assert_eq!(states["model"]["states"], 3010);
    assert_eq!(states["model"]["transitions"], 10218);
    for (time, expected) in WAITING {
        let run = run_in(
            &examples(),
            &["check", "client_server.prism", "--prop", "R{\"requesting\"}=? [ I=T ]", "--json", "--const"]
                .map(str::to_owned)
                .into_iter()
                .chain([format!("T={time}")])
                .collect::<Vec<_>>(),
        );
        let json = run.exits(0).json();
        let result = &json["results"][0];
        assert_eq!(result["constants"]["T"], *time);
        let value = result["value"].as_f64().expect("a number");
        assert!((value - expected).abs() <= 1e-6 * expected, "T={time}: {value}");
        let (lo, hi) = (result["lo"].as_f64().expect("lo"), result["hi"].as_f64().expect("hi"));
        assert!(lo <= expected + 1e-6 && expected - 1e-6 <= hi, "T={time}: {lo}..{hi}");
    }
    let run = run_in(
        &examples(),
        &[
            "check",
            "client_server.prism",
            "client_server.props",
            "--prop",
            "waiting_in_the_long_run",
            "--json",
        ],
    );
    let json = run.exits(0).json();
    let result = &json["results"][0];
    let number = |key: &str| result[key].as_f64().expect("a number");
    let expected = 276.019184652;
    assert!((number("value") - expected).abs() <= 1e-6 * expected, "{result}");
    assert!(number("lo") <= expected + 1e-9 && expected - 1e-9 <= number("hi"), "{result}");
}

#[test]
fn courier() {
    // Probability and energy of the choices for the two hops, where the second is made only if the first succeeded.
    let (cheap, dear) = ((0.9, 1.0), (0.99, 3.0));
    let both = |first: (f64, f64), second: (f64, f64)| [first.0 * second.0, first.1 + first.0 * second.1];
    let [least, middle, most] = [both(cheap, cheap), both(cheap, dear), both(dear, dear)];
    let between = |a: [f64; 2], b: [f64; 2], share: f64| [0, 1].map(|j| a[j] + share * (b[j] - a[j]));
    let best = between(middle, most, (4.0 - middle[1]) / (most[1] - middle[1]))[0];
    let cheapest = between(least, middle, (0.85 - least[0]) / (middle[0] - least[0]))[1];
    expect(
        &check("courier", &[]),
        &[
            ("curve", Points(vec![least, middle, most])),
            ("best", Near(best)),
            ("cheapest", Near(cheapest)),
            ("possible", Is(best >= 0.9)),
            ("first_hop", Near(0.1 / 0.109)),
            ("first_hop_least", Near(0.01 / 0.109)),
        ],
    );
}

#[test]
fn fork() {
    // A job leaves the beginning at rate 2, by half to each side; from there it is done at rate 2: two phases of one kind.
    let soon = 0.5 * (1.0 - (-2.0_f64).exp() * (1.0 + 2.0));
    expect(&check("fork", &[]), &[("reached", Near(0.5)), ("for_ever", Near(0.5)), ("soon", Near(soon))]);
}

/// Every example has properties and a test above.
#[test]
fn none_is_left_out() {
    let here = include_str!("examples.rs");
    for entry in std::fs::read_dir(examples()).expect("the examples are there") {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().and_then(|s| s.to_str()).expect("a name").to_owned();
        assert!(here.contains(&format!("fn {stem}()")), "{} has no test", path.display());
        assert!(path.with_extension("props").exists(), "{stem} has no properties");
    }
}
