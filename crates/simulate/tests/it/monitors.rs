//! Which measures one path answers together.

use volvelle_kernel::ExprId;
use volvelle_model::Kind;
use volvelle_simulate::measure::{Event, Measure, UNDECIDED, Window};
use volvelle_simulate::monitor::Monitors;

fn until(lower: f64, upper: Option<f64>, negated: bool) -> Measure {
    let event = Event::Until(ExprId(0), ExprId(1), Window { lower, upper });
    Measure::Indicator { event, negated }
}

#[test]
fn what_belongs_together() {
    let at = |at: f64| Measure::Instantaneous { structure: 0, at };
    let measures = [
        until(0.0, Some(5.0), false),
        at(4.0),
        until(0.0, Some(2.0), true),
        until(1.0, Some(5.0), false),
        at(1.5),
        until(0.0, None, false),
        at(4.0),
        Measure::Cumulative { structure: 0, until: 4.0 },
        Measure::Instantaneous { structure: 1, at: 4.0 },
    ];
    let timed = Monitors::together(Kind::Ctmc, &measures);
    assert_eq!(timed.order(), [0, 2, 1, 4, 6, 3, 5, 7, 8]);
    assert_eq!((timed.all().len(), timed.columns()), (6, 7));
    assert_eq!(timed.all()[0].horizons, [2.0, 5.0]);
    assert_eq!(timed.all()[0].measure, measures[0]);
    assert_eq!(timed.all()[1].horizons, [1.5, 4.0]);
    let row = [3.0, 10.0, 11.0, 0.0, 1.0, 7.0, 8.0];
    let values: Vec<f64> = timed.values(&row).collect();
    assert_eq!(values, [1.0, 11.0, 1.0, 0.0, 10.0, 1.0, 11.0, 7.0, 8.0]);
    // In discrete time, one and a half is no number of steps.
    let steps = Monitors::together(Kind::Dtmc, &measures);
    assert!(steps.all().iter().all(|monitor| !monitor.tells_values()));
    assert!(steps.all().iter().any(|monitor| monitor.measure == at(1.5)));
    let apart = Monitors::apart(Kind::Ctmc, &measures);
    assert_eq!((apart.all().len(), apart.columns()), (9, 9));
    assert!(apart.order().iter().copied().eq(0..9));
}

#[test]
fn the_same_horizon_both_ways() {
    let monitors =
        Monitors::together(Kind::Dtmc, &[until(0.0, Some(3.0), false), until(0.0, Some(3.0), true)]);
    assert_eq!(monitors.columns(), 1);
    for (told, expected) in [(3.0, [1.0, 0.0]), (4.0, [0.0, 1.0]), (f64::INFINITY, [0.0, 1.0])] {
        assert!(monitors.values(&[told]).eq(expected));
    }
}

#[test]
fn what_is_known_later() {
    let measures = [2.0, 4.0, 6.0].map(|upper| until(0.0, Some(upper), upper == 4.0));
    let monitors = Monitors::together(Kind::Dtmc, &measures);
    let bits = |row: &[f64]| monitors.values(row).map(f64::to_bits).collect::<Vec<u64>>();
    let is = |row: &[f64], values: [f64; 3]| assert_eq!(bits(row), values.map(f64::to_bits));
    // It was not witnessed in three steps.
    is(&[-3.0], [0.0, UNDECIDED, UNDECIDED]);
    is(&[-0.0], [UNDECIDED; 3]);
    for (values, known) in [
        ([0.0, 1.0, 0.0], [0.0, 1.0, 0.0]),
        ([0.0, 0.0, 1.0], [0.0, 0.0, 1.0]),
        // Half of an answer is none.
        ([0.0, UNDECIDED, 1.0], [0.0, UNDECIDED, UNDECIDED]),
        ([0.0, UNDECIDED, UNDECIDED], [0.0, UNDECIDED, UNDECIDED]),
        // A consistent oracle never says this.
        ([0.0, 1.0, 1.0], [0.0, UNDECIDED, UNDECIDED]),
    ] {
        let mut row = [-3.0];
        monitors.decide(&mut row, &values);
        is(&row, known);
        // Decided values stay.
        let decided = row;
        monitors.decide(&mut row, &[1.0, 0.0, 0.0]);
        if known[1].is_finite() {
            assert_eq!(row, decided);
        }
    }
}
