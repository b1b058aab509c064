//! When a run reports and when it keeps its bodies.

/// Times of outputs: multiples of intervals, counted from time 0, and the end. They do not depend on the
/// start of a run, so a run that continues from an output makes the same steps as one that never stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// The last time.
    pub end: f64,
    /// Between reports.
    pub report: f64,
    /// Interval between snapshots; `None` for the last snapshot only.
    pub snapshots: Option<f64>,
}

/// An output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Due {
    /// When.
    pub time: f64,
    /// Whether energies are reported.
    pub is_report: bool,
    /// The number of the snapshot.
    pub snapshot: Option<u64>,
}

/// Shorter intervals, relative to the time, cannot be distinguished.
const FINEST: f64 = 1e-12;

impl Schedule {
    /// The first output after a time; `None` at the end.
    pub fn next(&self, time: f64) -> Option<Due> {
        if time >= self.end {
            return None;
        }
        let candidates = std::iter::once(self.report).chain(self.snapshots);
        let next = candidates.map(|interval| multiple_behind(time, interval) * interval);
        Some(self.at(next.fold(self.end, f64::min)))
    }

    /// What is due at a time; everything at the end.
    pub fn at(&self, time: f64) -> Due {
        let is_end = time >= self.end;
        let number = |interval: f64| {
            let multiple = (time / interval).round();
            (multiple >= 0.0 && multiple * interval == time).then_some(multiple as u64)
        };
        Due {
            time,
            is_report: is_end || number(self.report).is_some(),
            snapshot: self.snapshots.and_then(number),
        }
    }
}

/// The least multiple of an interval after a time.
fn multiple_behind(time: f64, interval: f64) -> f64 {
    let mut multiple = (time / interval).floor() + 1.0;
    // The quotient is rounded.
    while multiple * interval <= time {
        multiple += 1.0;
    }
    while (multiple - 1.0) * interval > time {
        multiple -= 1.0;
    }
    multiple
}

/// Whether outputs are too frequent for the precision of times.
pub(crate) fn is_too_fine(interval: f64, end: f64) -> bool {
    interval < FINEST * end.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(schedule: Schedule, from: f64) -> Vec<Due> {
        let mut time = from;
        std::iter::from_fn(|| {
            let due = schedule.next(time)?;
            time = due.time;
            Some(due)
        })
        .collect()
    }

    #[test]
    fn outputs_are_multiples_and_the_end() {
        let schedule = Schedule { end: 1.0, report: 0.3, snapshots: Some(0.5) };
        let due = |time, is_report, snapshot| Due { time, is_report, snapshot };
        let expected = [
            due(0.3, true, None),
            due(0.5, false, Some(1)),
            due(0.6, true, None),
            due(3.0 * 0.3, true, None),
            due(1.0, true, Some(2)),
        ];
        assert_eq!(times(schedule, 0.0), expected);
        assert_eq!(schedule.at(0.0), due(0.0, true, Some(0)));
        assert_eq!(times(schedule, 1.0), []);
    }

    #[test]
    fn a_run_that_goes_on_has_the_same_outputs() {
        for (interval, count) in [(0.1, 1000_u64), (1.0 / 3.0, 300), (0.7, 143), (1e-3, 5000)] {
            let schedule = Schedule { end: interval * count as f64, report: interval, snapshots: None };
            let all = times(schedule, 0.0);
            assert_eq!(all.len() as u64, count, "{interval}");
            for start in (0..all.len()).step_by(97) {
                assert_eq!(times(schedule, all[start].time), all[start + 1..], "{interval} {start}");
            }
        }
    }

    #[test]
    fn runs_that_start_before_zero() {
        let schedule = Schedule { end: 0.0, report: 0.5, snapshots: Some(1.0) };
        let all = times(schedule, -1.25);
        assert_eq!(all.iter().map(|due| due.time).collect::<Vec<_>>(), [-1.0, -0.5, 0.0]);
    }
}
