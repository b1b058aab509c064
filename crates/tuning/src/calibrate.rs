//! `volvelle calibrate`: what things cost on a device, as a platform.

use crate::ask::measured::worker::Worker;
use crate::ask::measured::{LONGEST, device_number};
use crate::measuring::{Calibration, calibrate};
use crate::options::Calibrate;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};
use volvelle_console::given::GivenOptions;
use volvelle_console::output::{EXIT_USAGE, Output};
use volvelle_console::progress::Line;
use volvelle_console::question::{Ask, FileUse};
use volvelle_console::refusal::refuse;
use volvelle_console::{files, machine};
use volvelle_control::{Progress, ProgressEvent};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_opencl::platform::COEFFICIENTS;
use volvelle_opencl::processor::KINDS;
use volvelle_reports::screen;
use volvelle_session::limits;

impl Ask for Calibrate {
    const NAME: &'static str = "calibrate";
    const FILES: &'static [(&'static str, FileUse)] = &[("out", FileUse::Written)];

    fn ask(&'static self, _given: &GivenOptions, output: &Output) -> u8 {
        run(self, output)
    }
}

/// Measures a device.
pub fn run(args: &Calibrate, output: &Output) -> u8 {
    let start = Instant::now();
    let opened = device_number(args.device.as_deref()).and_then(|number| {
        let help = "`volvelle devices` lists the devices of this machine";
        Worker::start(number, LONGEST).map_err(|why| Diagnostic::error(codes::NO_DEVICE, why).help(help))
    });
    let (mut worker, device) = match opened {
        Ok(opened) => opened,
        Err(diagnostic) => return refuse(&[diagnostic], args.output.json, output),
    };
    let (allowance, threads) = match machine::limits(&args.limits) {
        Ok(limits) => limits,
        Err(diagnostics) => return refuse(&diagnostics, args.output.json, output),
    };
    let progress = Line::new();
    let control = volvelle_console::opening::control(&allowance, threads, start, &progress);
    let mut stop = None;
    let found = calibrate(&device, args.repetitions, &mut |job| worker.measure(job), &mut |done, total| {
        progress.report(ProgressEvent::Points { done: done as u64, total: total as u64 });
        stop = control.check().err();
        stop.is_none()
    });
    progress.finish();
    if let Some(stop) = stop {
        return refuse(&[limits::stopped(stop, &allowance)], args.output.json, output);
    }
    let found = match found {
        Ok(found) => found,
        Err(diagnostics) => return refuse(&diagnostics, args.output.json, output),
    };
    let text = found.platform.write();
    let (mut written, mut diagnostics) = (Vec::new(), Vec::new());
    match args.out.as_deref() {
        None => output.print_document(&text),
        Some(path) if path == Path::new("-") => output.print_document(&text),
        Some(path) => {
            files::write(path, text.as_bytes(), &mut written, &mut diagnostics);
            let mut summary = summary(&found, &device.driver, start.elapsed());
            summary.push_str(&screen::written(&written, output.style));
            output.print(&summary);
        }
    }
    output.print_diagnostics(&diagnostics, &Default::default());
    if diagnostics.is_empty() { 0 } else { EXIT_USAGE }
}

fn summary(found: &Calibration, driver: &str, elapsed: Duration) -> String {
    let platform = &found.platform;
    let mut out = format!("\n  device       {}, {driver}\n", platform.name);
    let launches: usize = found.kernels.iter().map(|(_, launches, ..)| launches).sum();
    let _ = writeln!(
        out,
        "  measured     {launches} launches of {} kernels, {:.0} s",
        found.kernels.len(),
        elapsed.as_secs_f64()
    );
    if found.failed > 0 {
        let _ = writeln!(out, "  failed       {} launches", found.failed);
    }
    if let Some(correlation) = found.correlation {
        let _ = writeln!(out, "  correlation  {correlation:.3} of predicted and measured times (Spearman)");
    }
    out.push_str("\n  nanoseconds of one");
    if let Some(processor) = &platform.processor {
        out.push_str(", in work-groups of so many items\n");
        let mut row = |name: &str, cells: Vec<String>| {
            let cells: String = cells.iter().map(|cell| format!("{cell:>10}")).collect();
            let _ = writeln!(out, "  {name:<18}{cells}");
        };
        row("", processor.groups.iter().map(u32::to_string).collect());
        for (kind, name) in KINDS.iter().enumerate() {
            row(name, processor.costs.iter().map(|costs| costs[kind].to_string()).collect());
        }
    } else if let Some(nanoseconds) = &platform.nanoseconds {
        out.push('\n');
        for (name, value) in COEFFICIENTS.iter().zip(nanoseconds.0) {
            let _ = writeln!(out, "  {name:<18} {value}");
        }
    }
    out.push_str("\n  kernel              launches   mean error   greatest\n");
    for (name, launches, mean, worst) in &found.kernels {
        let _ = writeln!(out, "  {name:<18} {launches:>9} {:>10.0} % {:>8.0} %", 100.0 * mean, 100.0 * worst);
    }
    out
}
