//! Runs of particle systems as JSON.

use crate::NbodyReport;
use serde::Serialize;
use volvelle_control::Stop;
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_session::json::Document;
use volvelle_session::json::values::Number;

/// The answer to `nbody`, with the files written.
pub fn of_nbody<'a>(
    report: &'a NbodyReport,
    exports: &'a [String],
    diagnostics: &'a [Diagnostic],
    sources: &'a Sources,
) -> Document<'a> {
    Document::new(diagnostics, sources).with("nbody", NbodyShape::of(report)).exported(exports)
}

/// A run of bodies.
#[derive(Serialize)]
struct NbodyShape<'a> {
    file: &'a str,
    bodies: usize,
    devices: &'a [String],
    steps: u64,
    forces: u64,
    reports: Vec<ReportShape>,
    complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<&'static str>,
    seconds: f64,
}

#[derive(Serialize)]
struct ReportShape {
    time: Number,
    mass: Number,
    kinetic: Number,
    potential: Number,
    energy: Number,
    drift: Number,
    virial_ratio: Number,
    momentum: [Number; 3],
    angular_momentum: [Number; 3],
    centre_of_mass: [Number; 3],
}

impl<'a> NbodyShape<'a> {
    /// Of its report.
    fn of(report: &'a NbodyReport) -> Self {
        let reports = report.totals.iter().map(|totals| ReportShape {
            time: Number(totals.time),
            mass: Number(totals.mass),
            kinetic: Number(totals.kinetic),
            potential: Number(totals.potential),
            energy: Number(totals.energy),
            drift: Number(report.drift(totals)),
            virial_ratio: Number(totals.virial_ratio),
            momentum: totals.momentum.map(Number),
            angular_momentum: totals.angular_momentum.map(Number),
            centre_of_mass: totals.centre_of_mass.map(Number),
        });
        NbodyShape {
            file: &report.file,
            bodies: report.bodies,
            devices: &report.devices,
            steps: report.steps,
            forces: report.forces,
            reports: reports.collect(),
            complete: report.is_complete,
            stopped: report.stopped.map(|stop| match stop {
                Stop::Timeout => "timeout",
                Stop::Memory => "memory",
                Stop::States => "states",
                Stop::Cancelled => "cancelled",
            }),
            seconds: report.elapsed.as_secs_f64(),
        }
    }
}
