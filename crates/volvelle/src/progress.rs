//! Progress of long work: a line on standard error, only on a terminal, only after half a second.

use crate::screen::format::{bytes_short, count_short, error_short};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use volvelle_control::{News, Progress};

/// Work that ends sooner shows nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// Draws news as one line that changes.
pub struct Line {
    visible: bool,
    start: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    bar: Option<ProgressBar>,
    /// When exploration last reported, and how many states it had: for the speed.
    last: Option<(Instant, u64)>,
    speed: f64,
}

impl Line {
    /// Draws on standard error if that is a terminal.
    pub fn new() -> Self {
        Line { visible: stderr().is_terminal(), start: Instant::now(), state: Mutex::default() }
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
    fn news(&self, news: News) {
        if !self.visible || self.start.elapsed() < PATIENCE {
            return;
        }
        let Ok(mut state) = self.state.lock() else { return };
        let message = match news {
            News::Exploring { states, transitions: _, frontier, bytes } => {
                let now = Instant::now();
                if let Some((then, before)) = state.last {
                    let seconds = (now - then).as_secs_f64();
                    if seconds > 0.2 {
                        state.speed = states.saturating_sub(before) as f64 / seconds;
                        state.last = Some((now, states));
                    }
                } else {
                    state.speed = states as f64 / (now - self.start).as_secs_f64().max(1e-3);
                    state.last = Some((now, states));
                }
                format!(
                    "exploring   {} states   {}/s   frontier {}   {}",
                    count_short(states as f64),
                    count_short(state.speed),
                    count_short(frontier as f64),
                    bytes_short(bytes)
                )
            }
            News::Solving { what, done, total, error } => {
                let of = if total > 0 { format!(" of {}", count_short(total as f64)) } else { String::new() };
                let error = if error.is_finite() {
                    format!("   error {}", error_short(error))
                } else {
                    String::new()
                };
                format!("solving     {what}   {} steps{of}{error}", count_short(done as f64))
            }
        };
        let bar = state.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
                bar.set_style(style);
            }
            bar
        });
        bar.set_message(message);
        bar.tick();
    }
}
