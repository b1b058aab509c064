//! Computes what is asked: records, executes, counts, or simulates.

use super::asked::{Asked, Case, Run};
use super::found::{Found, Told};
use super::meter::Meter;
use super::report::Report;
use super::{emit, executed, precise, record, search, streams};
use crate::options::{MulticorePart, SimulateMulticore};
use std::path::Path;
use volvelle_console::files;
use volvelle_control::Control;
use volvelle_diagnostics::Distinct;
use volvelle_multicore::Form;
use volvelle_session::limits;
use volvelle_session::limits::Allowance;

/// Lists that rows have.
pub struct Lists {
    pub timeline: usize,
    pub branches: usize,
}

/// Computes what is asked.
pub fn answer(
    args: &SimulateMulticore,
    lists: &Lists,
    asked: &mut Asked,
    control: &Control<'_>,
    allowance: &Allowance,
) -> Told {
    let mut told = Told { found: None, diagnostics: Vec::new(), stop: None, written: Vec::new() };
    let mut of_programs: Vec<(String, Vec<u8>)> = Vec::new();
    if let (Some(path), Some(run)) = (&args.record, asked.runs.first()) {
        match record::record(run, path, args.write, control) {
            Ok(recorded) => {
                of_programs.extend(recorded.files.iter().cloned());
                told.diagnostics.extend(recorded.warnings.iter().cloned());
                told.written.push(path.display().to_string());
                told.found = Some(Found::Recorded(recorded));
            }
            Err((found, stop)) => (told.diagnostics, told.stop) = (found, stop),
        }
    } else if args.only == Some(MulticorePart::Program) {
        let mut all = Vec::new();
        let meter = Meter::new("instructions", asked.runs.iter().map(|run| run.source.length()), control);
        for run in &asked.runs {
            let (mut executed, found, stop) = executed::execute(run, args.write, (&meter, control));
            told.diagnostics.extend(found);
            told.stop = told.stop.or(stop);
            of_programs.append(&mut executed.written);
            all.push((run.name.clone(), executed));
        }
        told.found = Some(Found::Executed(all));
    } else if let (Some(form), [run]) = (asked.runs.first().and_then(Run::form), &asked.runs[..])
        && form != Form::Instructions
    {
        let found = match form {
            Form::Accesses => streams::accesses(run, asked, control).map(Found::Accesses),
            _ => streams::outcomes(run, asked, control).map(Found::Outcomes),
        };
        match found {
            Ok(found) => told.found = Some(found),
            Err((found, stop)) => (told.diagnostics, told.stop) = (found, stop),
        }
    } else {
        for case in &mut asked.cases {
            let configuration = &mut case.configuration;
            configuration.is_timed = args.only != Some(MulticorePart::Predictors);
            configuration.has_branches = lists.branches > 0 || args.csv_branches.is_some();
            configuration.has_shared_blocks = lists.branches > 0;
            configuration.timeline = lists.timeline;
            configuration.sampling = asked.windows.map(|windows| windows.sampling);
        }
        // All are looked at before the first one takes time.
        let wrong = asked.cases.iter().filter_map(|case| case.configuration.check().err());
        let mut distinct = Distinct::default();
        wrong.for_each(|found| distinct.push(found));
        told.diagnostics = distinct.take();
        if !told.diagnostics.is_empty() {
            return told;
        }
        let compute = |asked: &Asked, cases: &[Case]| {
            precise::all(&asked.runs, cases, asked.windows, args.write, control)
        };
        let (mut answers, found, stop) = match asked.goal.clone().filter(|goal| goal.strategy.is_some()) {
            Some(goal) => search::search(asked, &goal, control, compute),
            None => compute(asked, &asked.cases),
        };
        (told.diagnostics, told.stop) = (found, stop);
        for of in &mut answers {
            of_programs.append(&mut of.written);
        }
        for answer in answers.iter_mut().flat_map(|of| of.all.iter_mut().flatten()) {
            answer.shared_blocks.truncate(lists.branches);
        }
        let mut report = Report::new(asked, answers);
        report.branches = lists.branches;
        if let (Some(path), Some(row), Some(case)) =
            (&args.export_model, report.rows.first(), asked.cases.first())
        {
            let machine = &case.configuration.machine;
            match emit::model(&row.program, &row.answer, machine, path, allowance, control) {
                Ok((model, stop)) => {
                    report.model = Some(Box::new(model));
                    told.stop = told.stop.or(stop);
                }
                Err(found) => told.diagnostics.extend(found),
            }
        }
        told.found = Some(Found::Rows(report));
    }
    if let Some(stop) = told.stop {
        told.diagnostics.push(limits::stopped(stop, allowance));
    }
    // What programs wrote appears when they have come to their ends.
    if told.stop.is_none() {
        for (path, bytes) in of_programs {
            files::write(Path::new(&path), &bytes, &mut told.written, &mut told.diagnostics);
        }
    }
    told
}
