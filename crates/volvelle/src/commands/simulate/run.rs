//! `volvelle simulate` of a model of processes: one run, step by step.

use crate::args::Simulate;
use crate::commands;
use crate::output::{EXIT_USAGE, Output};
use crate::screen::trace::{self, Steps};
use crate::{amounts, files, machine};
use std::io::{self, BufRead, Read};
use volvelle_diagnostics::{Diagnostic, Severity, codes};
use volvelle_verify::{
    Characters, Counterexample, Dice, SavedTrail, Session, Simulation, Taken, TraceStep, json,
};

/// Steps of a run that nobody limits.
const USUAL_STEPS: u64 = 1000;

/// How the next step is found.
enum Chooser {
    Random(Dice),
    Person,
    Trail(SavedTrail),
}

/// What is to be done next.
enum Next {
    Take(usize),
    /// Nothing happens any more, and the trail says so.
    Stay,
    End,
}

/// Runs a model.
pub fn run(args: &Simulate, mut session: Session, output: &Output) -> u8 {
    let (steps, chooser) = match prepare(args) {
        Ok(prepared) => prepared,
        Err(diagnostics) => return commands::refuse(&diagnostics, args.output.json, output),
    };
    let mut runnable = session.runnable();
    let complaints = std::mem::take(&mut runnable.diagnostics);
    let mode = match (args.output.json, args.run.quiet) {
        (true, _) => Mode::Json,
        (_, true) => Mode::Prints,
        _ => Mode::Table,
    };
    let teller = Teller { session: &session, output, mode, complaints };
    if teller.complaints.iter().any(|d| d.severity == Severity::Error) {
        return teller.fail(None);
    }
    if let Chooser::Trail(trail) = &chooser
        && let Err(complaint) = session.fits(trail)
    {
        return teller.fail(Some(complaint));
    }
    // Choices and the model itself come first; what is left of the input is for the model.
    let source: Option<Characters<'_>> =
        (!args.run.interactive).then(|| Box::new(next_byte) as Characters<'_>);
    match session.simulate(&runnable, source) {
        None => teller.fail(None),
        Some(Err(complaint)) => teller.fail(Some(complaint)),
        Some(Ok(simulation)) if simulation.reads() && args.run.interactive => {
            let message = "the model reads `STDIN`, and --interactive reads choices from it";
            let complaint = Diagnostic::error(codes::BAD_USAGE, message).help("leave --interactive out");
            teller.fail(Some(complaint))
        }
        Some(Ok(simulation)) => {
            if mode != Mode::Json {
                output.complain(&teller.complaints, session.sources());
            }
            let table = Steps::new(output.style);
            let (number, recorded) = (0, Vec::new());
            Runner { teller, simulation, table, number, recorded, cycle_start: None }.run(chooser, steps)
        }
    }
}

/// The next byte of standard input.
fn next_byte() -> Option<u8> {
    let mut byte = [0];
    (io::stdin().lock().read(&mut byte).ok()? == 1).then_some(byte[0])
}

fn prepare(args: &Simulate) -> Result<(u64, Chooser), Vec<Diagnostic>> {
    let steps = args.run.steps.as_deref().map(|v| amounts::count(v, "a number of steps", "--steps 500"));
    let steps = steps.transpose().map_err(|d| vec![d])?;
    let chooser = match &args.run.trail {
        Some(path) => {
            let text = files::read(path).map_err(|d| vec![d])?;
            Chooser::Trail(SavedTrail::read(&text.name, &text.text).map_err(|d| vec![d])?)
        }
        None if args.run.interactive => Chooser::Person,
        None => Chooser::Random(Dice::new(args.seed)),
    };
    let usual = if matches!(chooser, Chooser::Random(_)) { USUAL_STEPS } else { u64::MAX };
    Ok((steps.unwrap_or(usual), chooser))
}

/// What is shown of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Table,
    /// Only what the model prints.
    Prints,
    Json,
}

/// Who says what there is to say.
struct Teller<'a> {
    session: &'a Session,
    output: &'a Output,
    mode: Mode,
    /// About the text of the model.
    complaints: Vec<Diagnostic>,
}

impl Teller<'_> {
    fn say(&self, text: &str) {
        if self.mode == Mode::Table {
            self.output.print(text);
        }
    }

    /// There is no run, or no more of it.
    fn fail(mut self, complaint: Option<Diagnostic>) -> u8 {
        self.complaints.extend(complaint);
        let sources = self.session.sources();
        if self.mode == Mode::Json {
            self.output.print(&json::Document::new(&self.complaints, sources).to_text());
        }
        self.output.complain(&self.complaints, sources);
        EXIT_USAGE
    }
}

struct Runner<'a> {
    teller: Teller<'a>,
    simulation: Simulation<'a>,
    table: Steps,
    /// Steps taken.
    number: usize,
    /// The same, for JSON.
    recorded: Vec<TraceStep>,
    cycle_start: Option<usize>,
}

impl Runner<'_> {
    fn run(mut self, mut chooser: Chooser, limit: u64) -> u8 {
        let cancel = machine::cancel_on_signal();
        let mut faults = self.simulation.faults();
        let mut stopped = false;
        while faults.is_empty() {
            if self.number as u64 >= limit || cancel.is_cancelled() {
                stopped = true;
                break;
            }
            let taken = match self.next(&mut chooser) {
                Ok(Next::Take(choice)) => self.simulation.take(choice),
                Ok(Next::Stay) => {
                    self.teller.say("    from here on nothing happens any more\n");
                    break;
                }
                Ok(Next::End) => break,
                Err(complaint) => return self.fail(complaint),
            };
            match taken {
                None => break,
                Some(Err(complaint)) => return self.fail(complaint),
                Some(Ok(taken)) => {
                    self.number += 1;
                    self.show(&taken);
                    faults = taken.faults;
                }
            }
        }
        self.finish(&faults, &chooser, stopped)
    }

    /// The run cannot go on. What was said about the text was said, but for JSON.
    fn fail(mut self, complaint: Diagnostic) -> u8 {
        if self.teller.mode != Mode::Json {
            self.teller.complaints.clear();
        }
        self.teller.fail(Some(complaint))
    }

    fn next(&mut self, chooser: &mut Chooser) -> Result<Next, Diagnostic> {
        let choices = self.simulation.choices();
        match chooser {
            Chooser::Trail(trail) => match trail.steps.get(self.number) {
                None => Ok(Next::End),
                Some(saved) => {
                    let choice = self.simulation.follow(self.number + 1, saved)?;
                    if choice.is_some() && trail.cycle_start == Some(self.number) {
                        self.cycle_start = Some(self.number);
                        self.teller.say("    from here on again and again:\n");
                    }
                    Ok(choice.map_or(Next::Stay, Next::Take))
                }
            },
            _ if choices == 0 => Ok(Next::End),
            Chooser::Random(dice) => Ok(Next::Take(dice.below(choices))),
            Chooser::Person => Ok(self.ask(choices)),
        }
    }

    /// Shows the steps that can be taken and reads a number.
    fn ask(&self, choices: usize) -> Next {
        let steps: Vec<TraceStep> = (0..choices).filter_map(|i| self.simulation.look(i)).collect();
        let output = self.teller.output;
        output.print(&trace::choices(&steps, output.style));
        if choices == 1 {
            return Next::Take(0);
        }
        let mut line = String::new();
        loop {
            output.print(&format!("  step {}, 1 to {choices} (q ends): ", self.number + 1));
            line.clear();
            match io::stdin().lock().read_line(&mut line) {
                Ok(0) | Err(_) => {
                    output.print("\n");
                    return Next::End;
                }
                Ok(_) => {}
            }
            match line.trim() {
                "q" | "quit" => return Next::End,
                text => match text.parse::<usize>() {
                    Ok(number) if (1..=choices).contains(&number) => return Next::Take(number - 1),
                    _ => output.print(&format!("  `{text}` is no number from 1 to {choices}\n")),
                },
            }
        }
    }

    fn show(&mut self, taken: &Taken) {
        match self.teller.mode {
            Mode::Json => self.recorded.push(taken.step.clone()),
            Mode::Prints => self.teller.output.print(&taken.step.printed),
            Mode::Table => {
                let text = self.table.step(self.number, &taken.step);
                self.teller.output.print(&text);
            }
        }
    }

    fn finish(self, faults: &[Diagnostic], chooser: &Chooser, stopped: bool) -> u8 {
        if self.teller.mode == Mode::Json {
            return self.into_json(faults, stopped);
        }
        let mut text = match self.number {
            1 => "\n  1 step".to_owned(),
            n => format!("\n  {n} steps"),
        };
        let ended = self.simulation.choices() == 0;
        match chooser {
            _ if !faults.is_empty() => text.push_str(", then an error"),
            _ if ended => {
                text.push_str(", then nothing can move any more; every process may stay where it is")
            }
            Chooser::Trail(_) if !stopped => text.push_str(", as in the trail"),
            _ if stopped => text.push_str("; more are possible (--steps)"),
            _ => {}
        }
        text.push('\n');
        let Teller { output, session, .. } = self.teller;
        text.push_str(&trace::standings(&self.simulation.standings(), output.style));
        self.teller.say(&text);
        output.complain(faults, session.sources());
        u8::from(!faults.is_empty())
    }

    fn into_json(self, faults: &[Diagnostic], stopped: bool) -> u8 {
        let reason = match faults.first() {
            Some(fault) => fault.message.clone(),
            None if self.simulation.choices() == 0 => "nothing can move any more".to_owned(),
            None if stopped => "more steps are possible".to_owned(),
            None => "the trail ends".to_owned(),
        };
        let end = self.simulation.standings();
        let Runner { teller, recorded: steps, cycle_start, .. } = self;
        let run = Counterexample { reason, steps, cycle_start, is_stuck: false, end, choices: Vec::new() };
        let mut complaints = teller.complaints;
        complaints.extend_from_slice(faults);
        let (sources, file) = (teller.session.sources(), teller.session.file());
        teller.output.print(&json::Document::of_run(file, &run, &complaints, sources).to_text());
        teller.output.complain(&complaints, sources);
        u8::from(!faults.is_empty())
    }
}
