//! Progress of long work: a line on standard error, only on a terminal, only after half a second. Only runs that are to be
//! shortened, and answers while other work takes long, are told at once, wherever standard error leads to.

use crate::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use volvelle_control::{Progress, ProgressEvent};
use volvelle_present::format::{bytes_short, count_short, error_short, time};
use volvelle_session::limits::counted;

/// Work that ends sooner shows nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// Where work takes longer, answers are told before all of it is done.
const LONG: Duration = Duration::from_secs(2);

/// Parts of a run whose steps are of different lengths, for its speed.
const PARTS: f64 = 1e9;

/// Draws progress as one line that is updated in place.
pub struct Line {
    visible: bool,
    start: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    bar: Option<ProgressBar>,
    /// When the work last reported, and how far it was: for the speed.
    last: Option<(Instant, u64)>,
    /// Per second, averaged.
    speed: f64,
    /// Points of an experiment, and answers for the present state space: done, of how many.
    points: Option<(u64, u64)>,
    answers: Option<(u64, u64)>,
    /// Answers that are told if the rest of the work takes long.
    untold: Vec<String>,
}

impl State {
    /// Writes a line of its own.
    fn tell(&self, line: &str) {
        let tell = || output::say(line);
        match &self.bar {
            Some(bar) => bar.suspend(tell),
            None => tell(),
        }
    }

    fn message(&mut self, event: ProgressEvent, start: Instant) -> String {
        let message = self.work(event, start);
        let of = |(done, total): (u64, u64), what: &str| {
            format!("{} of {} {what}   ", count_short(done as f64), count_short(total as f64))
        };
        let points = self.points.map_or(String::new(), |points| of(points, "points"));
        let answers = self.answers.filter(|&(_, total)| total > 1);
        format!("{points}{}{message}", answers.map_or(String::new(), |answers| of(answers, "answers")))
    }

    /// The work in progress, without the progress of the whole.
    fn work(&mut self, event: ProgressEvent, start: Instant) -> String {
        match event {
            ProgressEvent::Points { done, total } => {
                self.points = Some((done, total)).filter(|_| total > 1);
                self.answers = None;
                String::new()
            }
            // Told in lines of their own.
            ProgressEvent::Counterexample { .. } | ProgressEvent::Answer { .. } => String::new(),
            ProgressEvent::Answered { done, total } => {
                self.answers = Some((done, total));
                String::new()
            }
            ProgressEvent::Exploring { counted, states, transitions: _, frontier, bytes } => {
                self.measure(states, start);
                let what = if counted.is_product { "product states" } else { "states" };
                let pending = if counted.is_depth_first { "stack" } else { "frontier" };
                format!(
                    "exploring   {} {what}   {}/s   {pending} {}   {}",
                    count_short(states as f64),
                    count_short(self.speed),
                    count_short(frontier as f64),
                    bytes_short(bytes)
                )
            }
            ProgressEvent::Sampling { paths, total, steps_per_second, interval } => {
                self.measure(paths, start);
                let of =
                    if total == 0 { String::new() } else { format!(" of {}", count_short(total as f64)) };
                let now = interval.map_or(String::new(), |[lo, hi]| format!("   {:.5} to {:.5}", lo, hi));
                let left = match total {
                    0 => String::new(),
                    total => self.left(total.saturating_sub(paths) as f64),
                };
                format!(
                    "sampling    {}{of} paths   {} steps/s{now}{left}",
                    count_short(paths as f64),
                    count_short(steps_per_second)
                )
            }
            ProgressEvent::Refining { rounds, classes, states } => format!(
                "reducing    {} classes of {} states   round {rounds}",
                count_short(classes as f64),
                count_short(states as f64)
            ),
            ProgressEvent::Executing { what, done, share, passes: [ended, passes] } => {
                self.measure(done, start);
                let verb = if what == "instructions" { "executing" } else { "reading" };
                let passes = match passes {
                    0 | 1 => String::new(),
                    _ => format!("   {ended} of {passes} passes"),
                };
                let share = share.map_or_else(String::new, |share| {
                    // Passes that read ahead seem to be further than they are.
                    let share = share.clamp(0.0, 1.0);
                    let rest = done as f64 * (1.0 - share) / share.max(f64::MIN_POSITIVE);
                    format!("   {:.0} %{}", 100.0 * share, self.left(rest))
                });
                let (done, speed) = (count_short(done as f64), count_short(self.speed));
                format!("{verb:<12}{done} {what}   {speed}/s{share}{passes}")
            }
            ProgressEvent::Moving { times: [from, now, until], steps } => {
                let share = (now - from) / (until - from).max(f64::MIN_POSITIVE);
                self.measure((share * PARTS) as u64, start);
                let left = self.left((1.0 - share) * PARTS);
                format!("moving      to time {now:.6} of {until}   {} steps{left}", count_short(steps as f64))
            }
            ProgressEvent::Solving { what, done, total, error } => {
                self.measure(done, start);
                let done_short = count_short(done as f64);
                if total == 0 {
                    let error = if error.is_finite() {
                        format!("   error {}", error_short(error))
                    } else {
                        String::new()
                    };
                    return format!("solving     {what}   {done_short} steps{error}");
                }
                let left = self.left(total.saturating_sub(done) as f64);
                format!("solving     {what}   {done_short} of {} steps{left}", count_short(total as f64))
            }
        }
    }

    /// How long the rest of the work takes at the present speed, unless that is beyond all patience.
    fn left(&self, rest: f64) -> String {
        match Duration::try_from_secs_f64(rest / self.speed.max(1e-9)) {
            Ok(left) if left < Duration::from_secs(1000 * 3600) => format!("   about {} left", time(left)),
            _ => String::new(),
        }
    }

    fn measure(&mut self, done: u64, start: Instant) {
        let now = Instant::now();
        // A new piece of work starts from zero.
        let last = self.last.filter(|&(_, before)| before <= done);
        let (then, before) = last.unwrap_or((start, 0));
        let seconds = (now - then).as_secs_f64();
        if last.is_none() {
            self.speed = done as f64 / seconds.max(1e-3);
        } else if seconds > 0.2 {
            let speed = (done - before) as f64 / seconds;
            self.speed = 0.7 * self.speed + 0.3 * speed;
        } else {
            return;
        }
        self.last = Some((now, done));
    }
}

impl Default for Line {
    fn default() -> Self {
        Self::new()
    }
}

impl Line {
    /// Draws on standard error if that is a terminal.
    pub fn new() -> Self {
        Line {
            visible: !crate::cluster::is_follower() && stderr().is_terminal(),
            start: Instant::now(),
            state: Mutex::default(),
        }
    }

    /// Takes the line away.
    pub fn finish(&self) {
        if let Ok(mut state) = self.state.lock()
            && let Some(bar) = state.bar.take()
        {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Progress for Line {
    fn report(&self, event: ProgressEvent) {
        if output::is_quiet() {
            return;
        }
        let Ok(mut state) = self.state.lock() else { return };
        if let ProgressEvent::Counterexample { property, reason, steps, is_first } = &event {
            let steps = counted(*steps, "step");
            let line = match is_first {
                true => {
                    format!("{property}: violated by a run of {steps} ({reason}); going on for a shorter one")
                }
                false => format!("{property}: a run of {steps}"),
            };
            return state.tell(&line);
        }
        if let ProgressEvent::Answer { property, holds, steps } = event {
            let run = steps.map_or(String::new(), |steps| format!(" by a run of {}", counted(steps, "step")));
            let verdict = if holds { "holds" } else { "violated" };
            return state.untold.push(format!("{property}: {verdict}{run}; going on with the others"));
        }
        if !state.untold.is_empty() && self.start.elapsed() >= LONG {
            let untold = std::mem::take(&mut state.untold);
            untold.iter().for_each(|line| state.tell(line));
        }
        if !self.visible {
            return;
        }
        let message = state.message(event, self.start);
        if self.start.elapsed() < PATIENCE {
            return;
        }
        let bar = state.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
                bar.set_style(style);
            }
            bar
        });
        bar.set_message(volvelle_present::terminal::marks::line(&message).into_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(what: &'static str, done: u64, share: Option<f64>, passes: [u64; 2]) -> String {
        let event = ProgressEvent::Executing { what, done, share, passes };
        State::default().message(event, Instant::now())
    }

    #[test]
    fn passes_say_what_is_known() {
        let program = told("instructions", 12_340_000, None, [0, 1]);
        assert!(program.starts_with("executing   12.3 M instructions   "), "{program}");
        assert!(program.ends_with("/s"), "{program}");
        let traces = told("instructions", 5000, Some(0.37), [1, 4]);
        assert!(traces.contains("5000 instructions") && traces.contains("/s   37 %   about "), "{traces}");
        assert!(traces.ends_with(" left   1 of 4 passes"), "{traces}");
        // What is read ahead may be counted before it is used.
        assert!(told("instructions", 9, Some(1.2), [0, 1]).contains("   100 %"));
        assert!(told("outcomes", 7, Some(0.0), [0, 1]).starts_with("reading     7 outcomes   "));
    }
}
