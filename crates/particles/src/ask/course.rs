//! The run itself, from report to report.

use super::opened::Opened;
use super::outputs::Outputs;
use crate::options::MoveBodies;
use crate::{NbodyReport, document as documents, screen};
use volvelle_console::output::Output;
use volvelle_console::plots;
use volvelle_console::presented::Shown;
use volvelle_console::progress::Line;
use volvelle_control::{Control, Progress, ProgressEvent, Stop};
use volvelle_diagnostics::{Diagnostic, Severity, codes};
use volvelle_nbody::pictures::{energy_drift, positions};
use volvelle_nbody::{Bodies, Doubt, Due, Simulation, Trouble, doubts};
use volvelle_plot::{render, render_scatter};
use volvelle_present::document::{Block, Chart};

/// A run with what it found so far.
pub struct Course<'a> {
    pub report: NbodyReport,
    pub outputs: Outputs,
    pub diagnostics: Vec<Diagnostic>,
    /// Where lines are printed as soon as they are known.
    screen: Option<&'a Output>,
    progress: &'a Line,
    /// The bodies of the last report.
    last: Bodies,
    /// What was told already.
    doubts: Vec<Doubt>,
}

impl<'a> Course<'a> {
    pub fn new(opened: &Opened, outputs: Outputs, screen: Option<&'a Output>, progress: &'a Line) -> Self {
        let names = opened.context.devices().iter().map(|device| device.name().to_owned());
        let report = NbodyReport {
            file: opened.name.clone(),
            bodies: opened.bodies.len(),
            devices: names.collect(),
            ..NbodyReport::default()
        };
        Course {
            report,
            diagnostics: outputs.lost_columns(&opened.bodies).into_iter().collect(),
            outputs,
            screen,
            progress,
            last: opened.bodies.clone(),
            doubts: Vec::new(),
        }
    }

    /// Runs to the end, or until it is to stop.
    pub fn run(&mut self, opened: &Opened, control: &Control<'_>) -> Result<(), Trouble> {
        let schedule = opened.configuration.schedule;
        let mut simulation = Simulation::new(&opened.context, &opened.bodies, &opened.physics)?;
        if let Some(output) = self.screen {
            output.tell(&screen::head(&self.report, output.style));
        }
        let start = simulation.time();
        self.record(&simulation, opened, Due { is_report: true, ..schedule.at(simulation.time()) })?;
        if self.has_failed() {
            // What cannot be kept is not computed.
            return Ok(());
        }
        while let Some(due) = schedule.next(simulation.time()) {
            let whole = Whole { line: self.progress, start, end: schedule.end, steps: self.report.steps };
            let advanced = simulation.advance(due.time, &Control { progress: &whole, ..*control })?;
            self.report.steps += advanced.steps;
            self.report.forces += advanced.forces;
            if let Some(stop) = advanced.stopped {
                self.stopped(stop, simulation.bodies()?);
                return Ok(());
            }
            self.record(&simulation, opened, due)?;
        }
        self.report.is_complete = true;
        Ok(())
    }

    /// Whether something went wrong.
    pub fn has_failed(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Notes reasons to doubt what was found, each kind once.
    fn doubt(&mut self, simulation: &Simulation, opened: &Opened, bodies: &Bodies) -> Result<(), Trouble> {
        let [first, .., now] = self.report.totals.as_slice() else {
            let Some(only) = self.report.totals.first() else { return Ok(()) };
            return self.note(doubts([only, only], bodies, &[], &opened.physics, f64::INFINITY));
        };
        let most = opened.configuration.largest_drift;
        let unresolved = simulation.unresolved()?;
        self.note(doubts([first, now], bodies, &unresolved, &opened.physics, most))
    }

    fn note(&mut self, doubts: Vec<Doubt>) -> Result<(), Trouble> {
        for doubt in doubts {
            if !self.doubts.iter().any(|told| told.is_like(&doubt)) {
                let diagnostic = Diagnostic::warning(codes::NBODY_DOUBT, doubt.to_string());
                self.diagnostics.push(diagnostic.help(doubt.help()));
                self.doubts.push(doubt);
            }
        }
        Ok(())
    }

    /// Reports, and writes what is due.
    fn record(&mut self, simulation: &Simulation, opened: &Opened, due: Due) -> Result<(), Trouble> {
        let bodies = simulation.bodies()?;
        if due.is_report {
            let totals = simulation.totals()?;
            self.report.totals.push(totals);
            if let Some(output) = self.screen {
                self.progress.finish();
                output.tell(&screen::line(&self.report, &totals, output.style));
            }
            self.doubt(simulation, opened, &bodies)?;
            self.outputs.frame(&bodies, &mut self.diagnostics);
            self.outputs.last(&bodies, &mut self.diagnostics);
        }
        if let Some(number) = due.snapshot {
            self.outputs.snapshot(number, &bodies, &mut self.diagnostics);
        }
        self.last = bodies;
        Ok(())
    }

    /// Keeps the bodies of an interruption.
    fn stopped(&mut self, stop: Stop, bodies: Bodies) {
        self.report.stopped = Some(stop);
        self.outputs.last(&bodies, &mut self.diagnostics);
        let (code, what) = match stop {
            Stop::Timeout => (codes::TIME_LIMIT, "the time limit was reached"),
            Stop::Memory => (codes::MEMORY_LIMIT, "the memory limit was reached"),
            Stop::States => (codes::STATE_LIMIT, "the limit of states was reached"),
            Stop::Cancelled => (codes::CANCELLED, "cancelled"),
        };
        let kept = self.outputs.path_of_last();
        let diagnostic = Diagnostic::error(code, what)
            .note(format!("the bodies came to time {}", bodies.time))
            .help(format!("go on with --restart {}", kept.display()));
        self.diagnostics.push(diagnostic);
        self.last = bodies;
    }

    /// Writes the table, the charts and the page that are wanted.
    pub fn write_answer(&mut self, args: &MoveBodies, opened: &Opened, output: &Output) {
        let (written, diagnostics) = (&mut self.outputs.written, &mut self.diagnostics);
        let mut document = documents::document(&self.report);
        let charts = (!self.report.totals.is_empty()).then(|| {
            let bodies = positions(&self.last, &self.outputs.view, &self.report.file);
            (bodies, energy_drift(&self.report.totals, &self.report.file))
        });
        if let Some((bodies, drift)) = charts.clone().filter(|_| args.answer.page.html.is_some()) {
            document.blocks.extend([Chart::Points(bodies), Chart::Lines(drift)].map(Block::from));
        }
        let shown = Shown::new(&args.answer, document, self.report.file.clone(), &opened.sources)
            .with_table(|| self.report.csv());
        shown.write_table(written, diagnostics);
        if let Some((bodies, drift)) = charts {
            plots::write(&args.pictures.plot, |format| render_scatter(&bodies, format), written, diagnostics);
            plots::write(&args.pictures.plot_energy, |format| render(&drift, format), written, diagnostics);
        }
        *written = shown.write_page(written, diagnostics, output);
    }
}

/// Progress from output to output, as that of the whole run.
struct Whole<'a> {
    line: &'a Line,
    start: f64,
    end: f64,
    /// Steps before.
    steps: u64,
}

impl Progress for Whole<'_> {
    fn report(&self, event: ProgressEvent) {
        self.line.report(match event {
            ProgressEvent::Moving { times: [_, now, _], steps } => {
                ProgressEvent::Moving { times: [self.start, now, self.end], steps: self.steps + steps }
            }
            other => other,
        });
    }
}

/// What ended a run.
pub fn failed(trouble: &Trouble) -> Diagnostic {
    let help = match trouble {
        Trouble::Coincident { .. } => "give `[physics]` a `softening` above 0",
        Trouble::NotANumber { .. } => "give `[physics]` a smaller `step`, or a `softening` above 0",
        Trouble::Overflow { .. } => "use other units: masses, distances and velocities nearer to 1",
        Trouble::StepTooLarge { .. } => {
            "give `[physics]` a smaller `smallest_step`, or a `softening` above 0"
        }
        Trouble::Runtime(_) => "`volvelle devices` lists the devices and their capabilities",
        Trouble::Bodies(_) | Trouble::Physics(_) | Trouble::Kernel { .. } => "",
    };
    let diagnostic = Diagnostic::error(codes::NBODY_RUN, trouble.to_string());
    if help.is_empty() { diagnostic } else { diagnostic.help(help) }
}
