//! The course of a particle system while it is computed: a line for each report.

use crate::NbodyReport;
use crate::document::{HEADS, bodies, cells};
use volvelle_nbody::Totals;
use volvelle_reports::screen::format::time;
use volvelle_reports::screen::{Style, written};
use volvelle_session::limits::counted;

/// Width of a column.
const WIDTH: usize = 13;

/// What is above the lines.
pub fn head(report: &NbodyReport, style: Style) -> String {
    let about = [bodies(report), report.devices.join(", ")].join(style.separator());
    let names: String = HEADS.iter().map(|name| format!("{name:>WIDTH$}")).collect();
    format!("{}  {}\n\n{}\n", style.bold(&report.file), style.dim(&about), style.dim(&names))
}

/// The line of a report.
pub fn line(report: &NbodyReport, totals: &Totals, style: Style) -> String {
    let cells = cells(report, totals);
    let cells = cells.iter().map(|cell| format!("{:>WIDTH$}", cell.text().plain()));
    let paint = |(place, cell): (usize, String)| if place == 0 { style.bold(&cell) } else { cell };
    cells.enumerate().map(paint).collect::<String>() + "\n"
}

/// What is below the lines.
pub fn foot(report: &NbodyReport, files: &[String], style: Style) -> String {
    let cost = [counted(report.steps, "step"), counted(report.forces, "force"), time(report.elapsed)];
    format!("\n  {}\n{}", style.dim(&cost.join("   ")), written(files, style))
}
