//! The course of a particle system: a line for each report.

use crate::NbodyReport;
use volvelle_nbody::Totals;
use volvelle_present::document::{Block, Cell, Column, Document, Items, Table, name, strong, took};
use volvelle_present::format::{count, error_short};
use volvelle_session::limits::counted;

/// What is reported.
pub const HEADS: [&str; 7] = ["time", "kinetic", "potential", "energy", "drift", "ang. mom.", "virial"];

/// The numbers of a report.
pub fn cells(report: &NbodyReport, totals: &Totals) -> [Cell; 7] {
    let spin = totals.angular_momentum.iter().map(|x| x * x).sum::<f64>().sqrt();
    let digits = |x: f64, relative: f64| Cell::number(x, x.abs() * relative);
    let short = |x: f64| digits(x, 1e-6);
    [
        short(totals.time),
        short(totals.kinetic),
        short(totals.potential),
        short(totals.energy),
        Cell::shown(error_short(report.drift(totals))),
        short(spin),
        digits(totals.virial_ratio, 1e-4),
    ]
}

/// `1 body`, `2,000 bodies`
pub fn bodies(report: &NbodyReport) -> String {
    match report.bodies {
        1 => "1 body".to_owned(),
        n => format!("{} bodies", count(n as u64)),
    }
}

/// The whole course.
pub fn document(report: &NbodyReport) -> Document {
    let mut document = Document::new(format!("The course of {}", report.file));
    let about = [bodies(report).into(), report.devices.join(", ").into()];
    let items = [strong(name(&report.file))].into_iter().chain(about).collect();
    document.push(Items { items, indent: 0 });
    document.push(Block::Gap);
    let rows = report.totals.iter().map(|totals| cells(report, totals).to_vec());
    document.push(Table::new(HEADS.map(Column::numbers).to_vec(), 1, rows));
    document.push(Block::Gap);
    let sizes = [counted(report.steps, "step").into(), counted(report.forces, "force").into()];
    let items = sizes.into_iter().chain([took(report.elapsed)]).collect();
    document.push(Items { items, indent: 2 });
    document
}
