//! Monitors: the state that a path keeps for a measure, or for a whole curve of measures.
//!
//! Measures that differ only in their horizon (`I=T`, `C<=T`, `a U<=T b` for many `T`) share one monitor,
//! which costs about as much as one of them alone:
//! - for an until, a path reports the *moment* at which it is satisfied: it has happened by all horizons from
//!   then on;
//! - for rewards, a path reports the value at every horizon as it passes it, in increasing order.
//!
//! The results of a path are a row of numbers. A [`Reading`] says where in the row the value of a measure is;
//! it is bit for bit the value that the measure would have alone.

use crate::measure::{Event, MAX_STEPS, Measure, UNDECIDED, Window, is_undecided};
use volvelle_model::Kind;

/// The state that a path keeps for one measure, or for measures that differ only in their horizon.
#[derive(Clone, Debug, PartialEq)]
pub struct Monitor {
    /// The measure; if there are several, that of the last horizon, not negated.
    pub measure: Measure,
    /// The horizons of several measures: increasing, in time or steps.
    pub horizons: Vec<f64>,
    /// Its first column in the row. A curve of rewards has a column per horizon. A moment has one column: the
    /// time (or number of steps) at which the path entered the state that satisfies the until. It is infinite
    /// if the until fails, or is not satisfied by the last horizon. If the path was given up, it is minus the
    /// moment up to which the until was not satisfied.
    pub column: usize,
}

impl Monitor {
    /// Whether it is for several measures.
    pub fn is_curve(&self) -> bool {
        !self.horizons.is_empty()
    }

    /// Whether it reports the moment of an until.
    pub fn tells_moment(&self) -> bool {
        self.is_curve() && self.measure.is_indicator()
    }

    /// Whether it reports a value at every horizon.
    pub fn tells_values(&self) -> bool {
        self.is_curve() && !self.measure.is_indicator()
    }

    /// Number of columns.
    fn width(&self) -> usize {
        if self.tells_values() { self.horizons.len() } else { 1 }
    }
}

/// Where the value of a measure is in the row of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The column.
    pub column: usize,
    /// If the column has a moment.
    pub within: Option<Within>,
}

/// The comparison of a moment with a horizon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Within {
    /// The moment must not be later, in time or steps.
    pub horizon: f64,
    /// Index of the horizon among those of the monitor.
    pub number: usize,
    /// Whether the moment must be later instead.
    pub negated: bool,
}

impl Reading {
    /// The value of the measure in the row of a path; [`UNDECIDED`] if the path was given up before.
    pub fn value(&self, row: &[f64]) -> f64 {
        let told = row[self.column];
        let Some(Within { horizon, negated, .. }) = self.within else { return told };
        if told.is_sign_negative() && horizon >= -told {
            return UNDECIDED;
        }
        let is_within = told.is_sign_positive() && told <= horizon;
        f64::from(u8::from(is_within != negated))
    }
}

/// The monitors of some measures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Monitors {
    all: Vec<Monitor>,
    columns: usize,
    readings: Vec<Reading>,
    indicators: Vec<bool>,
    order: Vec<usize>,
}

impl Monitors {
    /// One monitor for all measures that differ only in their horizon; the others have their own. `kind` is
    /// that of the program.
    pub fn together(kind: Kind, measures: &[Measure]) -> Self {
        let mut known: Vec<Option<Measure>> = Vec::new();
        let mut families: Vec<Vec<usize>> = Vec::new();
        for (i, &measure) in measures.iter().enumerate() {
            // Members of a family agree in the measure without a horizon.
            let family = Member::of(kind, measure).map(|_| with_horizon(measure, f64::INFINITY));
            match family.and_then(|_| known.iter().position(|known| *known == family)) {
                Some(place) => families[place].push(i),
                None => {
                    known.push(family);
                    families.push(vec![i]);
                }
            }
        }
        Self::of(kind, measures, &families)
    }

    /// One for each measure.
    pub fn apart(kind: Kind, measures: &[Measure]) -> Self {
        let families: Vec<Vec<usize>> = (0..measures.len()).map(|i| vec![i]).collect();
        Self::of(kind, measures, &families)
    }

    /// One monitor for each family: numbers of measures that differ only in their horizon.
    fn of(kind: Kind, measures: &[Measure], families: &[Vec<usize>]) -> Self {
        let nowhere = Reading { column: 0, within: None };
        let mut monitors = Monitors {
            readings: vec![nowhere; measures.len()],
            indicators: measures.iter().map(Measure::is_indicator).collect(),
            ..Self::default()
        };
        for numbers in families {
            monitors.order.extend(numbers);
            let column = monitors.columns;
            let first = measures[numbers[0]];
            let mut monitor = Monitor { measure: first, horizons: Vec::new(), column };
            let members: Vec<Member> =
                numbers.iter().filter_map(|&i| Member::of(kind, measures[i])).collect();
            if members.len() < numbers.len() || numbers.iter().all(|&i| measures[i] == first) {
                numbers.iter().for_each(|&i| monitors.readings[i].column = column);
                monitors.add(monitor);
                continue;
            }
            let mut horizons: Vec<f64> = members.iter().map(|member| member.horizon).collect();
            horizons.sort_by(f64::total_cmp);
            horizons.dedup();
            for (member, &i) in members.iter().zip(numbers) {
                let &Member { horizon, negated, .. } = member;
                let number = horizons.partition_point(|&earlier| earlier < horizon);
                monitors.readings[i] = if first.is_indicator() {
                    Reading { column, within: Some(Within { horizon, number, negated }) }
                } else {
                    Reading { column: column + number, within: None }
                };
            }
            monitor.measure = with_horizon(first, horizons[horizons.len() - 1]);
            monitor.horizons = horizons;
            monitors.add(monitor);
        }
        monitors
    }

    fn add(&mut self, monitor: Monitor) {
        self.columns += monitor.width();
        self.all.push(monitor);
    }

    /// All monitors, in the order in which they are evaluated in a state.
    pub fn all(&self) -> &[Monitor] {
        &self.all
    }

    /// Number of columns in the row of a path.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The reading of each measure.
    pub fn readings(&self) -> &[Reading] {
        &self.readings
    }

    /// For each measure whether it is 0 or 1.
    pub fn indicators(&self) -> &[bool] {
        &self.indicators
    }

    /// The numbers of all measures, grouped by monitor: the order in which they are evaluated in a state.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The value of each measure in a row; [`UNDECIDED`] if the path was given up before.
    pub fn values<'a>(&'a self, row: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        self.readings.iter().map(|reading| reading.value(row))
    }

    /// Writes now known values of undecided measures into a row.
    pub fn decide(&self, row: &mut [f64], values: &[f64]) {
        // For each moment, the value of its undecided measures if all agree: whether it comes by the first of
        // their horizons.
        let mut moments: Vec<(usize, Option<bool>)> = Vec::new();
        for (reading, &value) in self.readings.iter().zip(values) {
            if !is_undecided(reading.value(row)) {
                continue;
            }
            let Some(Within { negated, .. }) = reading.within else {
                row[reading.column] = value;
                continue;
            };
            let comes = (!is_undecided(value)).then_some((value == 1.0) != negated);
            match moments.iter_mut().find(|(column, _)| *column == reading.column) {
                Some((_, known)) if *known == comes => {}
                Some((_, known)) => *known = None,
                None => moments.push((reading.column, comes)),
            }
        }
        for (column, comes) in moments {
            match comes {
                Some(true) => row[column] = -row[column],
                Some(false) => row[column] = f64::INFINITY,
                None => {}
            }
        }
    }
}

/// A measure as one of several.
struct Member {
    /// In time or steps.
    horizon: f64,
    negated: bool,
}

impl Member {
    /// `None` for measures without a horizon, or with one that time cannot reach.
    fn of(kind: Kind, measure: Measure) -> Option<Self> {
        let (horizon, negated) = match measure {
            Measure::Indicator { event: Event::Until(_, _, window), negated } => {
                (window.upper.filter(|&upper| window.lower <= upper)?, negated)
            }
            Measure::Instantaneous { at, .. } => (at, false),
            Measure::Cumulative { until, .. } => (until, false),
            Measure::Indicator { .. } | Measure::Reach { .. } | Measure::Within { .. } => return None,
        };
        let is_step = horizon.fract() == 0.0 && horizon < MAX_STEPS;
        let comes = horizon >= 0.0 && horizon.is_finite() && (kind == Kind::Ctmc || is_step);
        comes.then_some(Member { horizon, negated })
    }
}

/// The measure of a family with a horizon, not negated.
fn with_horizon(measure: Measure, horizon: f64) -> Measure {
    match measure {
        Measure::Indicator { event: Event::Until(left, right, window), .. } => {
            let window = Window { upper: Some(horizon), ..window };
            Measure::Indicator { event: Event::Until(left, right, window), negated: false }
        }
        Measure::Instantaneous { structure, .. } => Measure::Instantaneous { structure, at: horizon },
        Measure::Cumulative { structure, .. } => Measure::Cumulative { structure, until: horizon },
        Measure::Indicator { .. } | Measure::Reach { .. } | Measure::Within { .. } => measure,
    }
}
