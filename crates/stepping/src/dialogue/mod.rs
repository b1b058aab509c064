//! The dialogue: lines of standard input lead a walk, and standard output shows it. It knows no language.

mod command;
mod ending;
mod view;

pub use command::{Command, words};
pub use ending::{Ending, closing, finish};
pub use view::View;

use crate::{Enabled, End, Goal, Journey, Misread, Pace, Stopped, Walk};
use std::path::Path;
use volvelle_console::options::AnswerArgs;
use volvelle_console::output::Output;
use volvelle_console::refusal::Refused;
use volvelle_console::{door, files, machine};
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_session::limits::{self, Allowance, counted};

/// Random steps that a goal is given.
const PATIENCE: usize = 10_000;

/// What leads a walk, and where it is shown.
pub struct Setting<'a> {
    /// Where it is shown.
    pub output: &'a Output,
    /// Where the answer goes.
    pub answer: &'a AnswerArgs,
    /// When to stop.
    pub control: &'a Control<'a>,
    /// The limits, for what is said of them.
    pub allowance: &'a Allowance,
    /// The seed of random steps.
    pub seed: u64,
    /// Steps that the walk may have.
    pub limit: usize,
    /// The trail with which it begins.
    pub trail: Option<&'a Path>,
}

impl Setting<'_> {
    /// Whether the walk is not shown: its document stands on standard output, or nothing is to be there.
    pub fn is_muted(&self) -> bool {
        self.answer.is_on_standard_output() || self.answer.output.quiet
    }
}

/// A walk that was led to its end.
#[derive(Debug, Default)]
pub struct Led {
    /// Files with trails.
    written: Vec<String>,
    /// What is to be told of it: limits, and lines that were no commands where nobody saw the answer.
    diagnostics: Vec<Diagnostic>,
    /// How many steps led to the last state.
    pub steps: usize,
}

/// Refuses a model that is read from standard input, as commands are.
///
/// # Errors
/// It is one.
pub fn without_input(model: &Path) -> Result<(), Diagnostic> {
    if model != Path::new("-") {
        return Ok(());
    }
    let message = "commands are read from standard input, and so is the model";
    Err(Diagnostic::error(codes::BAD_USAGE, message).help("give the model as a file"))
}

/// Leads a walk from its beginning until the user quits, or the input ends. What was `said` about the model is shown first.
///
/// # Errors
/// The trail with which it is to begin cannot be followed.
pub fn lead(walk: &mut dyn Walk, setting: &Setting<'_>, said: &[Diagnostic]) -> Result<Led, Refused> {
    if !setting.is_muted() {
        setting.output.print_diagnostics(said, walk.sources());
    }
    let led = converse(walk, setting);
    led.map_err(|diagnostic| Refused::in_texts(vec![diagnostic], walk.sources()))
}

fn converse(walk: &mut dyn Walk, setting: &Setting<'_>) -> Result<Led, Diagnostic> {
    let view = View::new(walk, setting.output.style);
    let journey = Journey::new(walk, setting.seed, setting.limit);
    let dialogue = Dialogue {
        journey,
        setting,
        view,
        lines: 0,
        again: None,
        is_typed: door::is_input_typed(),
        led: Led::default(),
    };
    dialogue.lead()
}

struct Dialogue<'a, 'w> {
    journey: Journey<'w>,
    setting: &'a Setting<'a>,
    view: View,
    /// Lines that were read.
    lines: usize,
    /// The last command that moved.
    again: Option<Command>,
    /// Whether the user types, and sees the words.
    is_typed: bool,
    led: Led,
}

impl Dialogue<'_, '_> {
    fn lead(mut self) -> Result<Led, Diagnostic> {
        let beginning = self.journey.walk().beginning();
        let title = self.view.title(self.journey.walk(), self.setting.seed);
        self.show(&(title + &self.view.head() + &self.view.step(0, &beginning)));
        if let Some(path) = self.setting.trail {
            let note = self.follow(path)?;
            self.show_steps(0);
            self.show(&note);
        }
        let mut is_new = true;
        while self.goes_on() {
            let enabled = self.enabled();
            if is_new {
                self.show_choices(&enabled);
            }
            let Some(line) = self.ask(enabled.len()) else { break };
            match self.command(&line) {
                Err(message) => {
                    is_new = false;
                    self.complain(&message);
                }
                Ok(Command::Quit) => break,
                Ok(command) => is_new = self.carry_out(command, enabled.len()),
            }
        }
        // Where the user waits at a limit, the limit is that of reading.
        self.led
            .diagnostics
            .extend(door::stopped().map(|stop| limits::stopped(stop, self.setting.allowance)));
        self.led.steps = self.journey.position();
        Ok(self.led)
    }

    /// Shows something, unless the walk is not shown.
    fn show(&self, text: &str) {
        if !self.setting.is_muted() {
            self.setting.output.tell(text);
        }
    }

    /// Shows diagnostics about the texts of the model, unless the walk is not shown.
    fn show_diagnostics(&mut self, diagnostics: &[Diagnostic]) {
        if !self.setting.is_muted() {
            self.setting.output.print_diagnostics(diagnostics, self.journey.walk().sources());
        }
    }

    /// Says that a line has no effect.
    fn complain(&mut self, message: &str) {
        if self.setting.is_muted() {
            let message = format!("line {} of the commands: {message}", self.lines);
            self.led.diagnostics.push(Diagnostic::error(codes::BAD_USAGE, message));
        } else {
            self.show(&format!("  {message}\n"));
        }
    }

    /// The same with what is wrong with a text in it.
    fn complain_of(&mut self, diagnostics: &[Diagnostic], sources: &Sources) {
        self.setting.output.print_diagnostics(diagnostics, sources);
        if self.setting.is_muted() {
            self.complain("it has no effect");
        }
    }

    /// Whether no limit was reached. Ctrl-C ends a command, not the walk.
    fn goes_on(&mut self) -> bool {
        if machine::resume() {
            self.show("  interrupted\n");
        }
        match self.setting.control.check() {
            Ok(()) => true,
            Err(stop) => {
                self.led.diagnostics.push(limits::stopped(stop, self.setting.allowance));
                false
            }
        }
    }

    /// The steps of the state; none where evaluating them fails, which is why the walk ends.
    fn enabled(&mut self) -> Vec<Enabled> {
        match self.journey.walk().enabled() {
            Ok(enabled) => enabled,
            Err(diagnostic) => {
                self.show_diagnostics(&[diagnostic]);
                Vec::new()
            }
        }
    }

    fn show_choices(&mut self, enabled: &[Enabled]) {
        match self.journey.walk().end() {
            Some(End { message, faults, .. }) => {
                self.show_diagnostics(&faults);
                self.show(&format!("\n  the walk ends here: {message}\n"));
            }
            None if enabled.is_empty() => {}
            None => self.show(&self.view.enabled(enabled)),
        }
    }

    /// Prompts, and reads a line; `None` at the end of the input.
    fn ask(&mut self, choices: usize) -> Option<String> {
        let numbers = match choices {
            0 => String::new(),
            1 => "1, r random, u until, ".to_owned(),
            n => format!("1 to {n}, r random, u until, "),
        };
        let back = if self.journey.position() > 0 { "b back, " } else { "" };
        let style = self.setting.output.style;
        let keys = style.dim(&format!("({numbers}{back}v variables, ? help, q quit)"));
        self.show(&format!("step {} {keys} > ", self.journey.position() + 1));
        let line = door::line_of_input();
        self.lines += 1;
        match (&line, self.is_typed) {
            (None, _) => self.show("\n"),
            // As if someone had typed it.
            (Some(line), false) => self.show(&format!("{}\n", line.trim_end())),
            (Some(_), true) => {}
        }
        line
    }

    /// The command of a line.
    fn command(&mut self, line: &str) -> Result<Command, String> {
        let command = match Command::read(line)? {
            Command::Again => {
                self.again.clone().ok_or("an empty line repeats the last command: there is none yet")?
            }
            command => command,
        };
        if command.moves() {
            self.again = Some(command.clone());
        }
        Ok(command)
    }

    /// Whether the walk is in another state afterwards, or should be seen again.
    fn carry_out(&mut self, command: Command, choices: usize) -> bool {
        let before = self.journey.position();
        let went = match command {
            Command::Take(number) if (1..=choices).contains(&number) => self.journey.take(number - 1),
            Command::Take(number) => {
                self.complain(&match choices {
                    0 => format!("`{number}` is no step: the walk ends here; b goes back"),
                    1 => format!("`{number}` is no step: there is only step 1"),
                    n => format!("`{number}` is no step: they have the numbers 1 to {n}"),
                });
                return false;
            }
            Command::Random(steps) => self.go(steps, None),
            Command::Until(text) => match Goal::read(&text, self.journey.walk()) {
                Ok(goal) => return self.until(&goal),
                Err(Misread { diagnostics, sources }) => {
                    self.complain_of(&diagnostics, &sources);
                    return false;
                }
            },
            Command::Back(_) if before == 0 => {
                self.complain("there is no earlier state");
                return false;
            }
            Command::Back(steps) => self.journey.jump(before.saturating_sub(steps)),
            Command::Jump(position) if position > self.journey.known() => {
                let known = counted(self.journey.known() as u64, "step");
                self.complain(&format!("there are only {known} so far: r {} goes on", position - before));
                return false;
            }
            Command::Jump(position) => self.journey.jump(position),
            Command::Load(path) => {
                return match self.follow(&path) {
                    Ok(note) => {
                        self.show_steps(0);
                        self.show(&note);
                        true
                    }
                    Err(diagnostic) => {
                        self.complain_of(&[diagnostic], &Sources::new());
                        false
                    }
                };
            }
            other => {
                self.answer(&other);
                return false;
            }
        };
        self.tell(before, went)
    }

    /// Says where the walk has come to, and why it goes no further; whether it moved.
    fn tell(&mut self, before: usize, went: Result<(), Stopped>) -> bool {
        let position = self.journey.position();
        if position < before {
            self.show(&format!("  back to step {position}\n"));
        } else {
            self.show_steps(before);
        }
        match went {
            Ok(()) | Err(Stopped::Interrupted) => {}
            Err(Stopped::AtEnd) if position == before => self.complain("no step is enabled: b goes back"),
            Err(Stopped::AtEnd) => {}
            Err(Stopped::AtLimit) => {
                let limit = counted(self.journey.limit() as u64, "step");
                self.complain(&format!(
                    "the walk has {limit}, and may have no more: --steps sets how many; b goes back"
                ));
            }
            Err(Stopped::Unreached) => {
                self.complain(&format!(
                    "not reached in {}; an empty line goes on",
                    counted(PATIENCE as u64, "step")
                ));
            }
            Err(Stopped::Failed(diagnostic)) => {
                let sources = self.journey.walk().sources().clone();
                self.complain_of(&[diagnostic], &sources);
                self.show("  the step fails: the walk stays where it is\n");
            }
        }
        position != before
    }

    /// Shows the steps behind so many.
    fn show_steps(&mut self, before: usize) {
        let position = self.journey.position();
        if position > before {
            let text = self.view.steps(before + 1..=position, |number| self.journey.step(number));
            self.show(&text);
        }
    }

    /// Takes random steps, until a goal is reached if there is one.
    fn go(&mut self, steps: usize, goal: Option<&Goal>) -> Result<(), Stopped> {
        let control = self.setting.control;
        self.journey.go(Pace { steps, goal, is_stopped: &mut || control.check().is_err() })
    }

    /// Goes until a goal is reached; whether the walk moved. A state in which a condition holds already is left first.
    fn until(&mut self, goal: &Goal) -> bool {
        let before = self.journey.position();
        let went = self.go(PATIENCE, Some(goal));
        let note = match went {
            Ok(()) => format!("  reached in step {}\n", self.journey.position()),
            Err(Stopped::AtEnd) if self.journey.position() > before => "  not reached\n".to_owned(),
            _ => String::new(),
        };
        let is_new = self.tell(before, went);
        self.show(&note);
        is_new
    }

    /// Commands that do not move.
    fn answer(&mut self, command: &Command) {
        match command {
            Command::Variables => {
                let state = self.journey.walk().state();
                self.show(&self.view.variables(&state));
            }
            Command::List => {
                let beginning = self.journey.walk().beginning();
                let mut text = self.view.head() + &self.view.step(0, &beginning);
                for number in 1..=self.journey.position() {
                    let step = self.journey.step(number);
                    text.push_str(&step.map_or_else(String::new, |taken| self.view.step(number, taken)));
                }
                self.show(&text);
            }
            Command::Save(path) => self.save(path),
            _ => self.show(&self.view.help()),
        }
    }

    /// Writes the steps so far.
    fn save(&mut self, path: &Path) {
        let trail = self.journey.trail();
        let text = match self.journey.walk().trail_text(path, &trail) {
            Ok(text) => text,
            Err(diagnostic) => return self.complain_of(&[diagnostic], &Sources::new()),
        };
        match door::keep(path, |out| out.write_all(text.as_bytes())) {
            Ok(()) => {
                let name = path.display().to_string();
                self.show(&format!("  written: {name} ({})\n", counted(trail.steps.len() as u64, "step")));
                if !self.led.written.contains(&name) {
                    self.led.written.push(name);
                }
            }
            Err(error) => self.complain_of(&[files::not_written(path, &error)], &Sources::new()),
        }
    }

    /// Goes the way of a trail; gives what there is to say behind it.
    fn follow(&mut self, path: &Path) -> Result<String, Diagnostic> {
        let text = files::read(path)?;
        let trail = self.journey.walk().read_trail(&text.name, &text.text)?;
        self.journey.follow(&trail, &text.name)?;
        let cycle = trail.cycle_start.filter(|&start| start < trail.steps.len());
        Ok(cycle.map_or_else(String::new, |start| {
            format!(
                "  the trail goes round: behind step {} all is as behind step {start}\n",
                trail.steps.len()
            )
        }))
    }
}
