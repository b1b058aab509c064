//! Gains of predictors over another one, window by window where there are windows.

use serde_json::{Value, json};
use volvelle_multicore::Answer;

/// How much more instructions per cycle: 0.02 is 2 %.
#[derive(Clone, Copy, Debug)]
pub struct Gain {
    pub value: f64,
    /// Where it lies with 95 % confidence; none where all was simulated, as then nothing is left to chance.
    pub interval: Option<(f64, f64)>,
}

impl Gain {
    /// That of an answer over another one; none without cycles.
    pub fn of(answer: &Answer, base: &Answer) -> Option<Gain> {
        if answer.cycles == 0 || base.cycles == 0 {
            return None;
        }
        let interval = answer.gain_interval(base).map(|interval| (interval.lo, interval.hi));
        Some(Gain { value: answer.ipc() / base.ipc() - 1.0, interval })
    }

    /// The gain of geometric means over several programs.
    ///
    /// Half widths of independent intervals with the same confidence add up by their squares.
    pub fn of_means(all: &[Gain]) -> Gain {
        let count = all.len().max(1) as f64;
        let mean = all.iter().map(|gain| gain.value.ln_1p()).sum::<f64>() / count;
        let half = |gain: &Gain| gain.interval.map_or(0.0, |(lo, hi)| (hi - lo) / 2.0 / (1.0 + gain.value));
        let spread = all.iter().map(|gain| half(gain).powi(2)).sum::<f64>().sqrt() / count;
        let interval = ((mean - spread).exp_m1(), (mean + spread).exp_m1());
        let is_sampled = all.iter().any(|gain| gain.interval.is_some());
        Gain { value: mean.exp_m1(), interval: is_sampled.then_some(interval) }
    }

    /// Whether it is told from nothing.
    pub fn is_significant(&self) -> bool {
        self.interval.is_none_or(|(lo, hi)| lo > 0.0 || hi < 0.0)
    }

    /// `+1.42 %`, and with an interval `+1.42 % ± 0.30 %`; where it may be nothing, it is marked.
    pub fn text(&self) -> String {
        let value = format!("{:+.2} %", 100.0 * self.value);
        match self.interval {
            // Machines on which predictions change nothing.
            Some((0.0, 0.0)) => value,
            Some((lo, hi)) => {
                let mark = if self.is_significant() { "" } else { " (not significant)" };
                format!("{value} \u{b1} {:.2} %{mark}", 50.0 * (hi - lo))
            }
            None => value,
        }
    }

    pub fn json(&self) -> Value {
        match self.interval {
            Some((lo, hi)) => {
                json!({"value": self.value, "lower": lo, "upper": hi, "is_significant": self.is_significant()})
            }
            None => json!({"value": self.value}),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_of_gains() {
        let gain = |value, half: f64| Gain { value, interval: Some((value - half, value + half)) };
        let mean = Gain::of_means(&[gain(0.02, 0.001), gain(0.02, 0.001)]);
        let (lo, hi) = mean.interval.expect("both have one");
        assert!((mean.value - 0.02).abs() < 1e-12);
        assert!((hi - lo - 2.0 * 0.001 / f64::sqrt(2.0)).abs() < 1e-6, "{lo} {hi}");
        assert!(mean.is_significant() && !gain(0.001, 0.002).is_significant());
        assert_eq!(gain(0.001, 0.002).text(), "+0.10 % \u{b1} 0.20 % (not significant)");
        assert_eq!(Gain { value: -0.01, interval: None }.text(), "-1.00 %");
    }
}
