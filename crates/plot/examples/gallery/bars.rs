//! Bar charts.

use volvelle_plot::bar_chart::{BarChart, Bars};

fn bars(name: &str, style: usize, values: Vec<Option<f64>>) -> Bars {
    Bars { name: name.to_owned(), style, values, bounds: None }
}

fn known(values: &[f64]) -> Vec<Option<f64>> {
    values.iter().copied().map(Some).collect()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Parts of a sum.
pub fn misses() -> BarChart {
    BarChart {
        title: "Cache misses per message".to_owned(),
        subtitle: "pingpong, MESI, 2 processes".to_owned(),
        x: "configuration".to_owned(),
        y: "misses per message".to_owned(),
        categories: names(&["A1", "B1", "A2", "B2"]),
        series: vec![
            bars("packets", 0, known(&[2.0, 2.0, 3.5, 3.25])),
            bars("pointers", 1, known(&[4.0, 2.0, 4.0, 2.5])),
            bars("locks", 2, vec![Some(1.0), Some(0.0), Some(3.0), None]),
        ],
        stacked: true,
    }
}

/// The same, beside each other, with bounds.
pub fn beside() -> BarChart {
    let mut chart = misses();
    chart.stacked = false;
    for bars in &mut chart.series {
        let around = |value: &Option<f64>| value.map_or([f64::NAN; 2], |v| [v * 0.9, v * 1.15 + 0.05]);
        bars.bounds = Some(bars.values.iter().map(around).collect());
    }
    chart
}

/// Many parts.
pub fn variables() -> BarChart {
    let variables =
        ["head", "tail", "flag", "payload[0]", "payload[1]", "lock", "count", "turn", "credit", "other"];
    let part = |(k, name): (usize, &&str)| {
        let value = |distance: usize| 120.0 * (distance as f64 + 0.3) / (k as f64 + 1.5);
        bars(name, k, (0..3).map(|distance| Some(value(distance))).collect())
    };
    BarChart {
        title: "Latency of a message by variable".to_owned(),
        subtitle: String::new(),
        x: "distance".to_owned(),
        y: "latency (ns)".to_owned(),
        categories: names(&["0", "1", "2"]),
        series: variables.iter().enumerate().map(part).collect(),
        stacked: true,
    }
}

/// As many categories as have turned names.
pub fn forty() -> BarChart {
    let value = |k: usize, scale: usize| Some((k * 37 % 23 * scale) as f64);
    let all = |scale: usize| (0..40).map(|k| value(k + scale, scale)).collect();
    BarChart {
        title: "Messages in the queue, for all forty configurations of the buffer".to_owned(),
        subtitle: String::new(),
        x: "configuration".to_owned(),
        y: "messages".to_owned(),
        categories: (0..40).map(|k| format!("P{}C{}", k / 8 + 1, k % 8 + 1)).collect(),
        series: vec![bars("waiting", 0, all(1)), bars("lost", 1, all(2))],
        stacked: true,
    }
}

/// One series over numbers.
pub fn histogram() -> BarChart {
    let value = |k: u32| 1e-4 * 0.9_f64.powf((f64::from(k) - 30.0).powi(2) / 16.0);
    BarChart {
        title: "Distribution of the number of steps".to_owned(),
        subtitle: String::new(),
        x: "steps".to_owned(),
        y: "probability".to_owned(),
        categories: (1..=80).map(|k: u32| k.to_string()).collect(),
        series: vec![bars("", 0, (1..=80).map(|k| Some(value(k))).collect())],
        stacked: false,
    }
}

/// Names that need care, and values below zero.
pub fn differences() -> BarChart {
    BarChart {
        title: "Change of the latency".to_owned(),
        subtitle: "against MESI, for <tag attr=\"&amp;\">".to_owned(),
        x: String::new(),
        y: "change (%)".to_owned(),
        categories: names(&[
            "rendezvous, one process for each socket",
            "eager, short messages",
            "eager, long messages in two parts",
            "one-sided",
        ]),
        series: vec![
            bars("MOESI", 0, known(&[-12.0, 3.25, 0.0, f64::INFINITY])),
            bars("MESIF", 1, known(&[-1.5, -20.0, 17.0, 4.0])),
        ],
        stacked: false,
    }
}
