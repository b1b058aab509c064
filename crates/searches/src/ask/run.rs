//! `volvelle simulate` of a Promela model: one run, step by step.

use crate::options::RunProcesses;
use crate::runs::is_spin_trail;
use crate::{Characters, SavedTrail, Simulation, Taken};
use std::time::Instant;
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::file_use::FileUse;
use volvelle_console::output::{EXIT_USAGE, Output};
use volvelle_console::presented::{Texts, Wanted};
use volvelle_console::refusal::Refused;
use volvelle_console::suggestions::{Subject, Suggestion};
use volvelle_console::{amounts, door, files, forms, machine};
use volvelle_control::{Control, Silent};
use volvelle_diagnostics::{Diagnostic, Severity};
use volvelle_lts::Dice;
use volvelle_present::csv;
use volvelle_present::document::{Block, Document, Note};
use volvelle_present::terminal::{StepLines, draw};
use volvelle_reports::documents::runs;
use volvelle_reports::{page, screen};
use volvelle_session::language::{Analysis, Offers};
use volvelle_session::limits::Allowance;
use volvelle_session::outline::Outline;
use volvelle_session::trace::{Counterexample, TraceStep};
use volvelle_session::{Session, Text, json, limits};

/// Steps of a run without `--steps`.
const DEFAULT_STEPS: u64 = 1000;

/// How the next step is found.
enum Chooser {
    Random(Dice),
    Trail(SavedTrail),
    /// A trail of SPIN, which the model turns into a saved one.
    SpinTrail(Text),
}

/// The next action.
enum Next {
    Take(usize),
    /// The trail continues, but nothing happens any more.
    Stay,
    End,
}

impl Member for RunProcesses {
    const WHAT: &'static str = "a run of a Promela model";
    const CHOSEN: Chosen = Chosen::ByModel;
    const OF: fn(&Offers) -> bool = |offers| offers.allows(Analysis::Run);
    const WHY: &'static str = "processes run step by step";
    const HELP: &'static str = "use `volvelle trace` to show a single path";
    const ANALYSIS: Option<Analysis> = Some(Analysis::Run);
    const FILES: &'static [(&'static str, FileUse)] = &[("trail", FileUse::Read)];
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> =
        |subject| vec![Suggestion::new("one random run", format!("simulate {}", subject.model()))];

    fn ask(&'static self, mut asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        let session = asked.session()?;
        let (limits, prepared) = (machine::limits(&self.limits)?, prepare(self)?);
        Ok(run(self, session, limits, prepared, asked.start, output))
    }
}

/// The page that is wanted.
fn page_of(args: &RunProcesses) -> Wanted<'_> {
    Wanted { answer: &args.answer, model: &args.model, seed: Some(args.seed.seed) }
}

/// Runs a model.
fn run(
    args: &RunProcesses,
    mut session: Session,
    (allowance, threads): (Allowance, usize),
    (steps, mut chooser): (u64, Chooser),
    start: Instant,
    output: &Output,
) -> u8 {
    let control = volvelle_console::opening::control(&allowance, threads, start, &Silent);
    let mut runnable = crate::runnable(&mut session.model);
    let diagnostics = std::mem::take(&mut runnable.diagnostics);
    let wanted = page_of(args);
    let outline = wanted.answer.page.html.as_ref().and_then(|_| session.model.outline().0);
    let mode = match (args.answer.output.json, args.answer.output.quiet) {
        _ if wanted.answer.is_page_printed() || wanted.answer.is_table_printed() => Mode::Instead,
        (true, _) => Mode::Json,
        (_, true) => Mode::Prints,
        _ => Mode::Table,
    };
    let seed = wanted.seed.filter(|_| matches!(chooser, Chooser::Random(_)));
    let page = Page { wanted: Wanted { seed, ..wanted }, outline };
    let reporter = Reporter { session: &session, output, mode, diagnostics, page };
    if reporter.diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return reporter.fail(None);
    }
    if let Chooser::SpinTrail(text) = &chooser {
        chooser = match crate::read_spin_trail(&session.model, &text.name, &text.text) {
            Ok(trail) => Chooser::Trail(trail),
            Err(diagnostic) => return reporter.fail(Some(diagnostic)),
        };
    }
    if let Chooser::Trail(trail) = &chooser
        && let Err(diagnostic) = crate::fits_model(&session.model, trail)
    {
        return reporter.fail(Some(diagnostic));
    }
    let source: Characters<'_> = Box::new(door::byte_of_input);
    match crate::simulate(&session.model, &runnable, Some(source)) {
        None => reporter.fail(None),
        Some(Err(diagnostic)) => reporter.fail(Some(diagnostic)),
        Some(Ok(simulation)) => {
            if mode != Mode::Json {
                output.print_diagnostics(&reporter.diagnostics, &session.model.sources);
            }
            let table = runs::lines(output.style);
            let (number, recorded) = (0, Vec::new());
            let runner = Runner { reporter, simulation, table, number, recorded, cycle_start: None };
            runner.run(chooser, steps, (&control, &allowance))
        }
    }
}

fn prepare(args: &RunProcesses) -> Result<(u64, Chooser), Vec<Diagnostic>> {
    let steps = args.run.steps.as_deref().map(|v| amounts::count(v, "a number of steps", "--steps 500"));
    let steps = steps.transpose().map_err(|d| vec![d])?;
    let chooser = match &args.run.trail {
        Some(path) => {
            let text = files::read(path).map_err(|d| vec![d])?;
            if is_spin_trail(&text.name, &text.text) {
                Chooser::SpinTrail(text)
            } else {
                Chooser::Trail(SavedTrail::read(&text.name, &text.text).map_err(|d| vec![d])?)
            }
        }
        None => Chooser::Random(Dice::new(args.seed.seed)),
    };
    let usual = if matches!(chooser, Chooser::Random(_)) { DEFAULT_STEPS } else { u64::MAX };
    Ok((steps.unwrap_or(usual), chooser))
}

/// The parts of a run that are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Table,
    /// Only what the model prints.
    Prints,
    Json,
    /// Nothing: the page or the table takes its place.
    Instead,
}

/// The page of the run.
struct Page<'a> {
    wanted: Wanted<'a>,
    /// The parts of the model.
    outline: Option<Outline>,
}

/// Prints a run in the requested form.
struct Reporter<'a> {
    session: &'a Session,
    output: &'a Output,
    mode: Mode,
    /// About the text of the model.
    diagnostics: Vec<Diagnostic>,
    page: Page<'a>,
}

impl Reporter<'_> {
    fn print_in_table(&self, text: &str) {
        if self.mode == Mode::Table {
            self.output.print(text);
        }
    }

    /// Ends with an error: there is no run, or it cannot continue.
    fn fail(mut self, diagnostic: Option<Diagnostic>) -> u8 {
        self.diagnostics.extend(diagnostic);
        let sources = &self.session.model.sources;
        if self.mode == Mode::Json {
            self.output.print(&json::Document::new(&self.diagnostics, sources).to_text());
        }
        self.output.print_diagnostics(&self.diagnostics, sources);
        EXIT_USAGE
    }
}

struct Runner<'a> {
    reporter: Reporter<'a>,
    simulation: Simulation<'a>,
    table: StepLines,
    /// Steps taken.
    number: usize,
    /// The same, for JSON and pages.
    recorded: Vec<TraceStep>,
    cycle_start: Option<usize>,
}

impl Runner<'_> {
    fn run(
        mut self,
        mut chooser: Chooser,
        limit: u64,
        (control, allowance): (&Control<'_>, &Allowance),
    ) -> u8 {
        let mut faults = self.simulation.faults();
        let (mut stopped, mut troubles) = (false, Vec::new());
        while faults.is_empty() {
            // Where the model waits for its input, the limit is that of reading.
            let stop = control.check().err().or_else(door::stopped);
            if self.number as u64 >= limit || stop.is_some() {
                stopped = true;
                troubles.extend(stop.map(|stop| limits::stopped(stop, allowance)));
                break;
            }
            let taken = match self.next(&mut chooser) {
                Ok(Next::Take(choice)) => self.simulation.take(choice),
                Ok(Next::Stay) => {
                    self.reporter.print_in_table("    from here on, nothing happens\n");
                    break;
                }
                Ok(Next::End) => break,
                Err(diagnostic) => return self.fail(diagnostic),
            };
            match taken {
                None => break,
                Some(Err(diagnostic)) => return self.fail(diagnostic),
                Some(Ok(taken)) => {
                    self.number += 1;
                    self.show(&taken);
                    faults = taken.faults;
                }
            }
        }
        // At a limit, what was to be read has no end that the model could see.
        if troubles.is_empty()
            && let Some(stop) = door::stopped()
        {
            (stopped, troubles) = (true, vec![limits::stopped(stop, allowance)]);
        }
        self.finish(&faults, &chooser, stopped, troubles)
    }

    /// The run cannot continue. Diagnostics about the text were printed before, except in JSON.
    fn fail(mut self, diagnostic: Diagnostic) -> u8 {
        if self.reporter.mode != Mode::Json {
            self.reporter.diagnostics.clear();
        }
        self.reporter.fail(Some(diagnostic))
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
                        self.reporter.print_in_table("    from here on, this cycle repeats:\n");
                    }
                    Ok(choice.map_or(Next::Stay, Next::Take))
                }
            },
            // Turned into a saved trail before.
            Chooser::SpinTrail(_) => Ok(Next::End),
            _ if choices == 0 => Ok(Next::End),
            Chooser::Random(dice) => Ok(Next::Take(dice.below(choices))),
        }
    }

    fn show(&mut self, taken: &Taken) {
        if self.reporter.mode == Mode::Json || self.reporter.page.wanted.is_document() {
            self.recorded.push(taken.step.clone());
        }
        match self.reporter.mode {
            Mode::Json | Mode::Instead => {}
            Mode::Prints => self.reporter.output.tell_document(&taken.step.printed),
            Mode::Table => {
                let head = if self.number == 1 { self.table.head() } else { String::new() };
                let step = self.table.step(&runs::step(self.number as u64, &taken.step));
                self.reporter.output.tell(&(head + &step));
            }
        }
    }

    fn finish(
        mut self,
        faults: &[Diagnostic],
        chooser: &Chooser,
        stopped: bool,
        mut troubles: Vec<Diagnostic>,
    ) -> u8 {
        let mut written = Vec::new();
        self.write_documents(faults, stopped, &mut written, &mut troubles);
        if self.reporter.mode == Mode::Json {
            let failed = volvelle_console::refusal::code_of(&troubles);
            self.reporter.diagnostics.extend(troubles);
            let code = self.into_json(faults, stopped);
            return if failed > 0 { failed } else { code };
        }
        let mut text = match self.number {
            1 => "1 step".to_owned(),
            n => format!("{n} steps"),
        };
        let ended = self.simulation.choices() == 0;
        match chooser {
            _ if !faults.is_empty() => text.push_str(", then an error"),
            _ if ended => text.push_str(", then no process can move; all processes are in valid end states"),
            Chooser::Trail(_) if !stopped => text.push_str(", as in the trail"),
            _ if stopped => text.push_str("; more are possible (--steps)"),
            _ => {}
        }
        let Reporter { output, session, .. } = &self.reporter;
        let ended = Note { text: text.into(), indent: 2, further: 4 }.into();
        let blocks = vec![Block::Gap, ended, runs::standings(&self.simulation.standings(), 4)];
        let mut text = draw(&Document { blocks, ..Document::default() }, false, output.style);
        text.push_str(&screen::written(&written, output.style));
        self.reporter.print_in_table(&text);
        output.print_diagnostics(&[faults, &troubles].concat(), &session.model.sources);
        match volvelle_console::refusal::code_of(&troubles) {
            0 => u8::from(!faults.is_empty()),
            failed => failed,
        }
    }

    /// Writes the page and the table that are wanted; notes what went wrong beside what did before.
    fn write_documents(
        &self,
        faults: &[Diagnostic],
        stopped: bool,
        written: &mut Vec<String>,
        troubles: &mut Vec<Diagnostic>,
    ) {
        let Reporter { session, output, diagnostics, page: Page { wanted, outline }, .. } = &self.reporter;
        if !wanted.is_document() {
            return;
        }
        let run = self.recorded_run(faults, stopped);
        let texts =
            Texts { file: &session.model.file, outline: outline.clone(), sources: &session.model.sources };
        let document = runs::document(&run, page::name(&session.model.file));
        let is_whole = !troubles.iter().any(files::is_cut);
        let table = || csv::document(&document);
        forms::write_table(wanted.answer, is_whole, table, written, troubles);
        if wanted.answer.is_table_printed() {
            output.print(&table());
        }
        let all = [diagnostics, faults].concat();
        wanted.write((&texts, is_whole), output, written, troubles, |context| {
            page::of_document(&document, &[], &all, None, context)
        });
    }

    /// The run as it was recorded.
    fn recorded_run(&self, faults: &[Diagnostic], stopped: bool) -> Counterexample {
        let reason = match faults.first() {
            Some(fault) => fault.message.clone(),
            None if self.simulation.choices() == 0 => "no process can move".to_owned(),
            None if stopped => "more steps are possible".to_owned(),
            None => "the trail ends".to_owned(),
        };
        let end = self.simulation.standings();
        let (steps, cycle_start) = (self.recorded.clone(), self.cycle_start);
        Counterexample { reason, steps, cycle_start, end, ..Counterexample::default() }
    }

    fn into_json(self, faults: &[Diagnostic], stopped: bool) -> u8 {
        let run = self.recorded_run(faults, stopped);
        let reporter = self.reporter;
        let mut diagnostics = reporter.diagnostics;
        diagnostics.extend_from_slice(faults);
        let (sources, file) = (&reporter.session.model.sources, &reporter.session.model.file);
        reporter.output.print(&json::Document::of_run(file, &run, &diagnostics, sources).to_text());
        reporter.output.print_diagnostics(&diagnostics, sources);
        u8::from(!faults.is_empty())
    }
}
