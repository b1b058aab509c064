//! `volvelle simulate`

use super::processes;
use crate::args::Simulate;
use crate::output::{EXIT_USAGE, Output};
use crate::screen::trace::{self, Steps};
use crate::{amounts, files, machine};
use std::io::{self, BufRead, Read};
use volvelle_diagnostics::{Diagnostic, Severity, codes};
use volvelle_verify::{Characters, Dice, ProcessSession, SavedTrail, Simulation, Taken, TraceStep};

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
pub fn run(args: &Simulate) -> u8 {
    let output = Output::new();
    if !processes::is_one(&args.model) {
        let message = "`simulate` runs models of processes (Promela)";
        let complaint = Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
            .note("a simulator for models of probabilities is to come")
            .help("`volvelle check --witness` shows the most probable path of a property");
        return super::refuse(&[complaint], false, &output);
    }
    let prepared = prepare(args)
        .and_then(|(steps, chooser)| Ok((processes::open(&args.model, &args.define)?, steps, chooser)));
    let (mut session, steps, chooser) = match prepared {
        Ok(prepared) => prepared,
        Err(complaints) => return super::refuse(&complaints, false, &output),
    };
    let runnable = session.runnable();
    output.complain(&runnable.diagnostics, session.sources());
    if runnable.diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return EXIT_USAGE;
    }
    if let Chooser::Trail(trail) = &chooser
        && let Err(complaint) = session.fits(trail)
    {
        output.complain(&[complaint], session.sources());
        return EXIT_USAGE;
    }
    // Choices and the model itself come first; what is left of the input is for the model.
    let source: Option<Characters<'_>> = (!args.interactive).then(|| Box::new(next_byte) as Characters<'_>);
    match session.simulate(&runnable, source) {
        None => EXIT_USAGE,
        Some(Err(complaint)) => {
            output.complain(&[complaint], session.sources());
            EXIT_USAGE
        }
        Some(Ok(simulation)) if simulation.reads() && args.interactive => {
            let message = "the model reads `STDIN`, and --interactive reads choices from it";
            let complaint = Diagnostic::error(codes::BAD_USAGE, message).help("leave --interactive out");
            output.complain(&[complaint], session.sources());
            EXIT_USAGE
        }
        Some(Ok(simulation)) => {
            let quiet = args.quiet;
            let steps_table = Steps::new(output.style);
            let runner = Runner {
                session: &session,
                output: &output,
                simulation,
                table: steps_table,
                quiet,
                number: 0,
            };
            runner.run(chooser, steps)
        }
    }
}

/// The next byte of standard input.
fn next_byte() -> Option<u8> {
    let mut byte = [0];
    (io::stdin().lock().read(&mut byte).ok()? == 1).then_some(byte[0])
}

fn prepare(args: &Simulate) -> Result<(u64, Chooser), Vec<Diagnostic>> {
    let steps = args.steps.as_deref().map(|v| amounts::count(v, "a number of steps", "--steps 500"));
    let steps = steps.transpose().map_err(|d| vec![d])?;
    let chooser = match &args.trail {
        Some(path) => {
            let text = files::read(path).map_err(|d| vec![d])?;
            Chooser::Trail(SavedTrail::read(&text.name, &text.text).map_err(|d| vec![d])?)
        }
        None if args.interactive => Chooser::Person,
        None => Chooser::Random(Dice::new(args.seed)),
    };
    let usual = if matches!(chooser, Chooser::Random(_)) { USUAL_STEPS } else { u64::MAX };
    Ok((steps.unwrap_or(usual), chooser))
}

struct Runner<'a> {
    session: &'a ProcessSession,
    output: &'a Output,
    simulation: Simulation<'a>,
    table: Steps,
    quiet: bool,
    /// Steps taken.
    number: usize,
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
                    self.say("    from here on nothing happens any more\n");
                    break;
                }
                Ok(Next::End) => break,
                Err(complaint) => {
                    self.output.complain(&[complaint], self.session.sources());
                    return EXIT_USAGE;
                }
            };
            match taken {
                None => break,
                Some(Err(complaint)) => {
                    self.output.complain(&[complaint], self.session.sources());
                    return EXIT_USAGE;
                }
                Some(Ok(taken)) => {
                    self.number += 1;
                    self.show(&taken);
                    faults = taken.faults;
                }
            }
        }
        self.finish(&faults, &chooser, stopped)
    }

    fn next(&self, chooser: &mut Chooser) -> Result<Next, Diagnostic> {
        let choices = self.simulation.choices();
        match chooser {
            Chooser::Trail(trail) => match trail.steps.get(self.number) {
                None => Ok(Next::End),
                Some(saved) => {
                    let choice = self.simulation.follow(self.number + 1, saved)?;
                    if choice.is_some() && trail.cycle_start == Some(self.number) {
                        self.say("    from here on again and again:\n");
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
        self.output.print(&trace::choices(&steps, self.output.style));
        if choices == 1 {
            return Next::Take(0);
        }
        let mut line = String::new();
        loop {
            self.output.print(&format!("  step {}, 1 to {choices} (q ends): ", self.number + 1));
            line.clear();
            match io::stdin().lock().read_line(&mut line) {
                Ok(0) | Err(_) => {
                    self.output.print("\n");
                    return Next::End;
                }
                Ok(_) => {}
            }
            match line.trim() {
                "q" | "quit" => return Next::End,
                text => match text.parse::<usize>() {
                    Ok(number) if (1..=choices).contains(&number) => return Next::Take(number - 1),
                    _ => self.output.print(&format!("  `{text}` is no number from 1 to {choices}\n")),
                },
            }
        }
    }

    fn say(&self, text: &str) {
        if !self.quiet {
            self.output.print(text);
        }
    }

    fn show(&mut self, taken: &Taken) {
        if self.quiet {
            self.output.print(&taken.step.printed);
            return;
        }
        let text = self.table.step(self.number, &taken.step);
        self.output.print(&text);
    }

    fn finish(&self, faults: &[Diagnostic], chooser: &Chooser, stopped: bool) -> u8 {
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
        text.push_str(&trace::standings(&self.simulation.standings(), self.output.style));
        self.say(&text);
        self.output.complain(faults, self.session.sources());
        u8::from(!faults.is_empty())
    }
}
