//! The course of a particle system: a line for each report.

use super::format::{error_short, number, time};
use super::{Style, written};
use volvelle_nbody::Totals;
use volvelle_verify::limits::{count, counted};
use volvelle_verify::nbody::NbodyReport;

/// Width of a column.
const WIDTH: usize = 13;

const HEAD: [&str; 7] = ["time", "kinetic", "potential", "energy", "drift", "ang. mom.", "virial"];

/// What is above the lines.
pub fn head(report: &NbodyReport, style: Style) -> String {
    let bodies = match report.bodies {
        1 => "1 body".to_owned(),
        n => format!("{} bodies", count(n as u64)),
    };
    let about = [bodies, report.devices.join(", ")].join(style.separator());
    let names: String = HEAD.iter().map(|name| format!("{name:>WIDTH$}")).collect();
    format!("{}  {}\n\n{}\n", style.bold(&report.file), style.dim(&about), style.dim(&names))
}

/// The line of a report.
pub fn line(report: &NbodyReport, totals: &Totals, style: Style) -> String {
    let spin = totals.angular_momentum.iter().map(|x| x * x).sum::<f64>().sqrt();
    let short = |x: f64| number(x, x.abs() * 1e-6);
    let cells = [
        short(totals.time),
        short(totals.kinetic),
        short(totals.potential),
        short(totals.energy),
        error_short(report.drift(totals)),
        short(spin),
        number(totals.virial_ratio, totals.virial_ratio.abs() * 1e-4),
    ];
    let mut out = String::new();
    for (place, cell) in cells.iter().enumerate() {
        let cell = format!("{cell:>WIDTH$}");
        out.push_str(&if place == 0 { style.bold(&cell) } else { cell });
    }
    format!("{out}\n")
}

/// What is below the lines.
pub fn foot(report: &NbodyReport, files: &[String], style: Style) -> String {
    let cost = [counted(report.steps, "step"), counted(report.forces, "force"), time(report.elapsed)];
    format!("\n  {}\n{}", style.dim(&cost.join("   ")), written(files, style))
}
