//! Runs of particle systems: `volvelle nbody`, and what it reports.

pub mod ask;
mod document;
pub mod json;
pub mod options;
mod screen;
use std::time::Duration;
use volvelle_control::Stop;
use volvelle_nbody::Totals;
use volvelle_nbody::pictures::drift;

/// What a run of a particle system found.
#[derive(Clone, Debug, Default)]
pub struct NbodyReport {
    /// Name of the configuration.
    pub file: String,
    /// How many bodies.
    pub bodies: usize,
    /// Names of the devices.
    pub devices: Vec<String>,
    /// Energies and other sums at the times of reports, the first one at the start.
    pub totals: Vec<Totals>,
    /// Steps; of steps of different lengths those after which some body had moved.
    pub steps: u64,
    /// Forces on bodies that were computed.
    pub forces: u64,
    /// Why it ended before its time.
    pub stopped: Option<Stop>,
    /// Whether it came to its end.
    pub is_complete: bool,
    /// How long it took.
    pub elapsed: Duration,
}

impl NbodyReport {
    /// The relative change of the energy from the start to a report.
    pub fn drift(&self, now: &Totals) -> f64 {
        self.totals.first().map_or(0.0, |first| drift(first, now))
    }

    /// The reports as a table of comma-separated values.
    pub fn csv(&self) -> String {
        let mut out =
            "time,mass,kinetic,potential,energy,drift,virial ratio,momentum x,momentum y,momentum z,\
                       angular momentum x,angular momentum y,angular momentum z,centre x,centre y,centre z\n"
                .to_owned();
        for t in &self.totals {
            let mut cells =
                vec![t.time, t.mass, t.kinetic, t.potential, t.energy, self.drift(t), t.virial_ratio];
            cells.extend([t.momentum, t.angular_momentum, t.centre_of_mass].as_flattened());
            let cells: Vec<String> = cells.iter().map(f64::to_string).collect();
            out.push_str(&format!("{}\n", cells.join(",")));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_a_cell_for_each_column() {
        let totals =
            |energy| Totals { energy, kinetic: 0.1, angular_momentum: [1.0, 2.0, 3.0], ..Totals::default() };
        let report = NbodyReport { totals: vec![totals(-0.25), totals(-0.375)], ..NbodyReport::default() };
        let csv = report.csv();
        let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
        assert!(lines.len() == 3 && lines.iter().all(|cells| cells.len() == 16), "{csv}");
        assert_eq!(lines[2][4..6], ["-0.375", "-0.5"]);
        assert_eq!(lines[2][10..13], ["1", "2", "3"]);
    }
}
