//! Writes charts into a folder, in every format: `cargo run -p volvelle-plot --example gallery -- FOLDER`.

mod bars;

use std::path::Path;
use volvelle_plot::{Chart, Dimension, Format, Kind, Line, Point, Scale, render, render_bar_chart};

fn line(name: &str, style: usize, points: impl Iterator<Item = [f64; 4]>) -> Line {
    let points = points.map(|[x, y, lo, hi]| Point { x, y, lo, hi }).collect();
    Line { name: name.to_owned(), kind: Kind::Curve, style, points }
}

fn dimension(label: &str, scale: Scale) -> Dimension {
    Dimension { label: label.to_owned(), scale }
}

/// Two lines with bands, and samples beside one of them.
fn bands() -> Chart {
    let curve = |t: f64, rate: f64| 1.0 - (-t * rate).exp();
    let wide = |rate: f64| {
        (0..=20).map(move |k| {
            let (t, y) = (10.0 * f64::from(k), curve(10.0 * f64::from(k), rate));
            [t, y, y - 0.15 * y * (1.0 - y), y + 0.2 * y * (1.0 - y)]
        })
    };
    let mut samples = line("simulated (99 %)", 1, wide(0.012).step_by(2));
    samples.kind = Kind::Samples;
    let mut doubts = line("probably wrong", 1, wide(0.012).skip(8).take(1));
    doubts.kind = Kind::Doubts;
    Chart {
        title: "How likely is the queue full by T?  P=? [ F<=T \"full\" ]".to_owned(),
        subtitle: "queue.prism, room=10, arrive=0.9".to_owned(),
        x: dimension("T", Scale::Linear),
        y: dimension("probability", Scale::Linear),
        lines: vec![line("serve=1", 0, wide(0.03)), line("serve=2", 1, wide(0.012)), samples, doubts],
        ..Chart::default()
    }
}

/// As many lines as need dashes and markers.
fn many() -> Chart {
    let of = |n: usize| {
        let rate = 1.3_f64.powi(n as i32) * 1e-3;
        line(
            &format!("N={}", n + 2),
            n,
            (0..=100).map(move |k| {
                let y = 1.0 - (-f64::from(k) * rate).exp();
                [f64::from(k), y, y, y]
            }),
        )
    };
    Chart {
        title: "P=? [ F<=T \"served\" ]".to_owned(),
        subtitle: "cluster.prism".to_owned(),
        x: dimension("T", Scale::Linear),
        y: dimension("probability", Scale::Linear),
        lines: (0..24).map(of).collect(),
        ..Chart::default()
    }
}

/// Logarithmic axes, with a zero, bounds that reach to zero, a gap, and an infinite value.
fn logarithmic() -> Chart {
    let of = |n: i32| {
        (0..=12).map(move |k| {
            let x = 10f64.powf(f64::from(k) / 3.0);
            let y = match k {
                0 => 0.0,
                7 => f64::NAN,
                12 => f64::INFINITY,
                k => 10f64.powi(-2 * n) * (1.0 + f64::from(k)).powi(-3),
            };
            [x, y, if k > 8 { 0.0 } else { y / 2.0 }, y * 1.7]
        })
    };
    Chart {
        title: "Smax=? [ \"lost\" & retries>=N ] of the transmission with errors in both channels".to_owned(),
        subtitle: String::new(),
        x: dimension("buffer", Scale::Logarithmic),
        y: dimension("long-run probability", Scale::Logarithmic),
        lines: (1..4).map(|n| line(&format!("retries={n}"), n as usize - 1, of(n))).collect(),
        ..Chart::default()
    }
}

/// Names that need care.
fn names() -> Chart {
    let of = |k: usize| {
        (0..9).map(move |x| [f64::from(x) * 1e7, f64::from(x) * -2e-5 * (1.0 + k as f64), 0.0, 0.0])
    };
    let names = [
        "P=? [ F<=T <tag attr=\"&amp;\"> ]",
        "Wahrscheinlichkeit für größere Übertragungsfehler im zweiten Kanal nach dem dritten Versuch, Zelle 17",
        "вероятность потери, λ=0.25·μ, ∀x∈S: x≥3 → ◇ok",
        "確率の上限 (T=5)",
    ];
    Chart {
        title: "R{\"größe <&>\"}max=? [ C<=T ] — αβγ ≤ ∞, with a title that is so long that it takes more than one line".into(),
        subtitle: names.join("; "),
        x: dimension("T", Scale::Linear),
        y: dimension("expected reward \"größe <&>\" of a name that is longer than the axis", Scale::Linear),
        lines: names.iter().enumerate().map(|(k, name)| line(name, k, of(k))).collect(), ..Chart::default() }
}

type Render = Box<dyn Fn(Format) -> Vec<u8>>;

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    std::fs::create_dir_all(&folder)?;
    let lines = |chart: Chart| -> Render { Box::new(move |format| render(&chart, format)) };
    let bars = |chart| -> Render { Box::new(move |format| render_bar_chart(&chart, format)) };
    for (name, render) in [
        ("bands", lines(bands())),
        ("many", lines(many())),
        ("logarithmic", lines(logarithmic())),
        ("names", lines(names())),
        ("misses", bars(bars::misses())),
        ("beside", bars(bars::beside())),
        ("variables", bars(bars::variables())),
        ("forty", bars(bars::forty())),
        ("histogram", bars(bars::histogram())),
        ("differences", bars(bars::differences())),
    ] {
        for (ending, format) in
            [("svg", Format::Svg), ("pdf", Format::Pdf), ("png", Format::Png), ("html", Format::Html)]
        {
            std::fs::write(Path::new(&folder).join(format!("{name}.{ending}")), render(format))?;
        }
    }
    Ok(())
}
