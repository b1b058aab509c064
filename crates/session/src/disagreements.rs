//! Values of an experiment that disagree with paths, and how many would by chance.

use crate::report::PropertyReport;
use volvelle_statistics::verdict::Place;

/// How many of the values that were verified lie outside of their intervals, and how many chance would put there.
pub fn disagreements<'a>(reports: impl Iterator<Item = &'a PropertyReport>) -> Option<Disagreements> {
    let verdicts: Vec<Place> =
        reports.filter_map(|r| Some(r.verification.as_ref()?.verdict.as_ref().ok()?.place)).collect();
    let outside = |from: Place| verdicts.iter().filter(|&&place| place >= from).count();
    (!verdicts.is_empty()).then(|| Disagreements {
        verified: verdicts.len(),
        outside: [outside(Place::Outside90), outside(Place::Outside95), outside(Place::Outside99)],
    })
}

/// Of the values of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disagreements {
    /// Values that were verified.
    pub verified: usize,
    /// Those outside of the 90 %, 95 % and 99 % interval.
    pub outside: [usize; 3],
}

impl Disagreements {
    /// In plain words.
    pub fn message(&self) -> String {
        let by_chance = |share: f64| share * self.verified as f64;
        let [of90, of95, of99] = self.outside;
        format!(
            "{of90}, {of95} and {of99} of {} verified values lie outside the 90, 95 and 99 % interval; by chance alone, {:.1}, {:.1} and {:.1} would be expected",
            self.verified,
            by_chance(0.10),
            by_chance(0.05),
            by_chance(0.01)
        )
    }
}
