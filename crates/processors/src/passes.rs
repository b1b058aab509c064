//! Passes over programs, on threads. Each pass serves as many configurations as there is use for: more passes than threads would run
//! programs again for nothing.

use super::asked::{Case, Run};
use super::meter::Meter;
use super::source::{Ended, with_stream};
use super::world::Files;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;
use volvelle_control::tasks::{TaskQueue, Tasks, compute_all, encoded};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, Distinct};
use volvelle_instructions::{Failure, Stream};
use volvelle_multicore::{Ahead, Answer, Configuration, run};
use volvelle_riscv::Arguments;

/// What a pass found.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Pass {
    pub answers: Vec<Answer>,
    pub exit: Option<u8>,
    pub diagnostics: Vec<Diagnostic>,
    pub stop: Option<Stop>,
    /// What the program wrote to files.
    pub written: Vec<(String, Vec<u8>)>,
}

/// A pass that is to be made: the program, and which cases.
struct Part {
    run: usize,
    cases: std::ops::Range<usize>,
}

/// All answers of a program.
#[derive(Clone, Default)]
pub struct Answers {
    /// By case; none where its pass was ended.
    pub all: Vec<Option<Answer>>,
    pub exit: Option<u8>,
    pub written: Vec<(String, Vec<u8>)>,
}

/// The arguments that a program gets: its name first.
pub fn arguments(run: &Run) -> Arguments {
    let name =
        run.source.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Arguments::new(std::iter::once(name).chain(run.arguments.iter().cloned()))
}

/// Cases of a pass, at most: eight cores with the paper's caches hold 1.2 MB, and to run a program once more costs less than a
/// hundredth of what so many cases take.
const MOST_AT_ONCE: usize = 48;

/// Makes all passes; answers by program, in the order of the cases. What went wrong is told once.
pub fn all(
    runs: &[&Run],
    asked: &[Case],
    may_write: bool,
    control: &Control<'_>,
) -> (Vec<Answers>, Vec<Diagnostic>, Option<Stop>) {
    let count = asked.len();
    let pieces = control.threads.div_ceil(runs.len().max(1)).clamp(1, count.max(1));
    let piece = count.div_ceil(pieces).clamp(1, MOST_AT_ONCE);
    let mut parts = Vec::new();
    for number in 0..runs.len() {
        let starts = (0..count).step_by(piece);
        parts.extend(starts.map(|start| Part { run: number, cases: start..(start + piece).min(count) }));
    }
    let all: Vec<Configuration> = asked.iter().map(|case| case.configuration.clone()).collect();
    // What has to be known ahead is found once for each program.
    let ahead: Vec<OnceLock<Result<Ahead, Failure>>> = runs.iter().map(|_| OnceLock::new()).collect();
    let lengths = parts.iter().map(|part| runs[part.run].source.length());
    let meter = Meter::new("instructions", lengths, control);
    let worker = |queue: &dyn TaskQueue| {
        while let Some(number) = queue.next() {
            let part = &parts[number as usize];
            let run = runs[part.run];
            let ahead = ahead[part.run].get_or_init(|| find_ahead(run, &all, may_write, control));
            let pass = one(run, &all[part.cases.clone()], ahead, may_write, (&meter, control));
            queue.deliver(number, encoded(&pass));
        }
    };
    let tasks = Tasks { count: parts.len(), ends: None, completes: false };
    let passes = compute_all::<Pass>(&tasks, control, &worker);
    let none = Answers { all: vec![None; count], ..Answers::default() };
    let mut answers = vec![none; runs.len()];
    let (mut diagnostics, mut stop) = (Distinct::default(), None);
    let passes = passes.unwrap_or_else(|ended| {
        stop = Some(ended);
        Vec::new()
    });
    for (part, pass) in parts.iter().zip(passes) {
        let Some(pass) = pass else { continue };
        let of = &mut answers[part.run];
        let places = &mut of.all[part.cases.clone()];
        places.iter_mut().zip(pass.answers).for_each(|(place, answer)| *place = Some(answer));
        of.exit = pass.exit;
        of.written = pass.written;
        stop = stop.or(pass.stop);
        pass.diagnostics.into_iter().for_each(|found| diagnostics.push(found));
    }
    (answers, diagnostics.take(), stop)
}

/// Goes through a program for what has to be known ahead of its passes.
fn find_ahead(
    of: &Run,
    cases: &[Configuration],
    may_write: bool,
    control: &Control<'_>,
) -> Result<Ahead, Failure> {
    if !Ahead::is_needed(cases) {
        return Ok(Ahead::default());
    }
    let mut world = Files::new(of.input.clone());
    world.may_write = may_write;
    let meter = Meter::new("instructions looked at ahead", std::iter::once(of.source.length()), control);
    let find = |stream: &mut dyn Stream| Ahead::find(stream, cases, control);
    with_stream(&of.source, &arguments(of), &mut world, (&meter, control), find).0
}

fn one(
    of: &Run,
    cases: &[Configuration],
    ahead: &Result<Ahead, Failure>,
    may_write: bool,
    (meter, control): (&Meter<'_>, &Control<'_>),
) -> Pass {
    let ahead = match ahead {
        Ok(ahead) => ahead,
        Err(Failure::Stopped(stop)) => return Pass { stop: Some(*stop), ..Pass::default() },
        Err(Failure::Faulty(found)) => {
            return Pass { diagnostics: vec![(**found).clone()], ..Pass::default() };
        }
    };
    let mut world = Files::new(of.input.clone());
    world.may_write = may_write;
    let (found, Ended { exit, warnings }) =
        with_stream(&of.source, &arguments(of), &mut world, (meter, control), |stream| {
            run(stream, cases, ahead, control)
        });
    let mut pass = Pass { exit, diagnostics: warnings, ..Pass::default() };
    match found {
        Ok(answers) => {
            pass.answers = answers;
            pass.written = world.into_written();
        }
        Err(Failure::Stopped(stop)) => pass.stop = Some(stop),
        Err(Failure::Faulty(found)) => pass.diagnostics.push(*found),
    }
    pass
}
