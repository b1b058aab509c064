//! What bar charts show: bars as high as their values, in their order, and everything that is left out.

mod bars;
mod odd;

use bars::generated;
use volvelle_plot::bar_chart::{BarChart, Bars, layout};
use volvelle_plot::fill::fill;
use volvelle_plot::scene::{Extent, Scene, Shape};
use volvelle_plot::{Format, render_bar_chart};

/// A chart of series A, B, ... over categories 0, 1, ...
fn chart(stacked: bool, series: &[&[Option<f64>]]) -> BarChart {
    let bars = |(style, values): (usize, &&[Option<f64>])| Bars {
        name: char::from(b'A' + style as u8).to_string(),
        style,
        values: values.to_vec(),
        bounds: None,
    };
    let categories = series.iter().map(|values| values.len()).max().unwrap_or(0);
    BarChart {
        title: "misses".to_owned(),
        y: "misses per message".to_owned(),
        categories: (0..categories).map(|k| format!("c{k}")).collect(),
        series: series.iter().enumerate().map(bars).collect(),
        stacked,
        ..BarChart::default()
    }
}

fn texts(scene: &Scene) -> Vec<&str> {
    scene.texts().map(|t| t.text.as_str()).collect()
}

/// Rectangles of the known values, in the order of categories.
fn extents(scene: &Scene) -> Vec<Extent> {
    let known = scene.notes.iter().filter(|note| !note.text.ends_with("not known"));
    known.map(|note| note.extent.expect("bars have an extent")).collect()
}

fn height([_, top, _, bottom]: Extent) -> f64 {
    bottom - top
}

/// The frame: the left axis, and the line at zero.
fn frame(scene: &Scene) -> (Extent, f64) {
    let lines: Vec<_> = (scene.shapes.iter())
        .filter_map(|shape| match shape {
            Shape::Path { places, width, .. } if *width == 0.8 && places.len() == 2 => {
                Some((places[0], places[1]))
            }
            _ => None,
        })
        .collect();
    let upright = lines.iter().find(|(a, b)| a.0 == b.0 && b.1 - a.1 > 200.0).expect("a vertical axis");
    let level = lines.iter().find(|(a, b)| a.1 == b.1 && a.0 == upright.0.0).expect("a line at zero");
    ([upright.0.0, upright.0.1, level.1.0, upright.1.1], level.0.1)
}

/// Values that are drawn, in the order of categories.
fn shown(chart: &BarChart) -> Vec<f64> {
    let of = |k: usize| {
        let values = chart.series.iter().filter_map(move |bars| bars.values.get(k).copied().flatten());
        values.filter(|v| v.is_finite() && !(chart.stacked && *v < 0.0))
    };
    (0..chart.categories.len()).flat_map(of).collect()
}

#[test]
fn heights_are_proportional_to_values() {
    for seed in 0..200 {
        let chart = generated(seed);
        let scene = layout(&chart);
        let (extents, values) = (extents(&scene), shown(&chart));
        assert_eq!(extents.len(), values.len(), "{seed}");
        let ([_, top, _, bottom], zero) = frame(&scene);
        let largest = values.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        // Beyond these, there are no numbers on axes.
        if !(1e-200..1e200).contains(&largest) {
            continue;
        }
        let tallest = extents.iter().copied().map(height).fold(0.0, f64::max);
        assert!(tallest > 0.0, "{seed}");
        for (extent, value) in extents.iter().zip(&values) {
            let expected = tallest * (value.abs() / largest);
            assert!((height(*extent) - expected).abs() < 1e-6, "{seed}: {value} of {largest}: {extent:?}");
            if !chart.stacked {
                let end = if *value > 0.0 { extent[3] } else { extent[1] };
                assert!((end - zero).abs() < 1e-9, "{seed}: {value} does not start at zero");
            }
        }
        assert!((top - 1e-9..=bottom + 1e-9).contains(&zero), "{seed}");
    }
}

#[test]
fn bars_stay_inside_and_do_not_cover_each_other() {
    for seed in 0..200 {
        let scene = layout(&generated(seed));
        let ([left, top, right, bottom], _) = frame(&scene);
        let extents = extents(&scene);
        for extent in &extents {
            let is_inside = extent[0] >= left && extent[2] <= right + 1e-9;
            assert!(is_inside && extent[1] >= top - 1e-9 && extent[3] <= bottom + 1e-9, "{seed}: {extent:?}");
        }
        for pair in extents.windows(2) {
            let [a, b] = [pair[0], pair[1]];
            let beside = b[0] >= a[2] - 1e-9;
            let above = (b[0] - a[0]).abs() < 1e-9 && b[3] <= a[1] + 1e-9;
            assert!(beside || above, "{seed}: {a:?} {b:?}");
        }
    }
}

/// Readers of SVG may have a font that is wider than the embedded one.
#[test]
fn wider_letters_do_not_touch() {
    for seed in 0..200 {
        let scene = layout(&generated(seed));
        let stretched: Vec<(&str, Extent)> = scene
            .texts()
            .map(|text| {
                let [left, top, right, bottom] = text.extent();
                let (x, y) = text.at;
                let wider = |from: f64, at: f64| at + (from - at) * 1.15;
                let extent = match text.upwards {
                    false => [wider(left, x), top, wider(right, x), bottom],
                    true => [left, wider(top, y), right, wider(bottom, y)],
                };
                (text.text.as_str(), extent)
            })
            .collect();
        for (i, (text, a)) in stretched.iter().enumerate() {
            for (other, b) in &stretched[..i] {
                let apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
                assert!(apart, "{seed}: {text:?} {a:?} and {other:?} {b:?}");
            }
        }
    }
}

/// Numbers stand on their bars, and on nothing of others.
#[test]
fn numbers_cover_no_bars() {
    for seed in 0..200 {
        let chart = generated(seed);
        let scene = layout(&chart);
        let ([left, top, right, bottom], _) = frame(&scene);
        let numbers: Vec<Extent> = (scene.texts().map(|text| text.extent()))
            .filter(|e| e[0] >= left && e[2] <= right && e[3] > top && e[1] < bottom)
            .collect();
        let extents = extents(&scene);
        for number in &numbers {
            for bar in &extents {
                let covers =
                    number[0] < bar[2] && bar[0] < number[2] && number[1] < bar[3] && bar[1] < number[3];
                assert!(!covers || height(*bar) < 1e-9, "{seed}: {number:?} {bar:?}");
            }
        }
    }
}

#[test]
fn stacks_have_sums() {
    let values: [&[Option<f64>]; 3] = [
        &[Some(2.0), Some(0.1), None, None, Some(1.0)],
        &[Some(4.0), Some(0.2), Some(1.5), None, Some(f64::INFINITY)],
        &[Some(1.0), Some(0.0), Some(1.0), None, Some(2.0)],
    ];
    let scene = layout(&chart(true, &values));
    let texts = texts(&scene);
    for wanted in ["misses", "misses per message", "c0", "7", "0.3", "≥2.5", "?", "≥3"] {
        assert!(texts.contains(&wanted), "{wanted}: {texts:?}");
    }
    assert!(
        texts.contains(&"4 values are not known.") && texts.contains(&"1 value is infinite and left out.")
    );
    // The parts of the first one stand on each other, from the axis upwards.
    let extents = extents(&scene);
    let (_, zero) = frame(&scene);
    assert_eq!(extents[0][3], zero);
    assert!((extents[1][3] - extents[0][1]).abs() < 1e-9 && (extents[2][3] - extents[1][1]).abs() < 1e-9);
    let note = &scene.notes[1].text;
    assert_eq!(note, "c0\nB = 4\n57.1 % of 7");
}

/// Legend and stack have the same order, seen from above; bars beside each other, that from the left.
#[test]
fn legends_have_the_order_of_bars() {
    let values: [&[Option<f64>]; 3] = [&[Some(2.0)], &[Some(1.0)], &[Some(3.0)]];
    for stacked in [true, false] {
        let scene = layout(&chart(stacked, &values));
        let mut names: Vec<(f64, &str)> = (scene.texts())
            .filter(|t| ["A", "B", "C"].contains(&t.text.as_str()))
            .map(|t| (t.at.1, t.text.as_str()))
            .collect();
        names.sort_by(|a, b| a.0.total_cmp(&b.0));
        let names: Vec<&str> = names.into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, if stacked { ["C", "B", "A"] } else { ["A", "B", "C"] });
        // In the legend, and as a bar.
        for style in 0..3 {
            let with =
                |shape: &&Shape| matches!(shape, Shape::Tile { color, .. } if *color == fill(style).color);
            assert_eq!(scene.shapes.iter().filter(with).count(), 2);
        }
    }
}

#[test]
fn what_is_left_out_is_said() {
    let values: [&[Option<f64>]; 2] =
        [&[Some(f64::NAN), Some(-1.0), None], &[Some(1.0), Some(f64::NEG_INFINITY), Some(2.0)]];
    let stacked = layout(&chart(true, &values));
    let said = texts(&stacked);
    for wanted in [
        "1 value is not known.",
        "1 value is no number and left out.",
        "1 value is infinite and left out.",
        "1 value < 0 is left out: a stack cannot show it.",
    ] {
        assert!(said.contains(&wanted), "{wanted}: {said:?}");
    }
    assert_eq!(extents(&stacked).len(), 2);
    // Beside each other, what is negative has a place below zero.
    let beside = layout(&chart(false, &values));
    assert_eq!(extents(&beside).len(), 3);
    assert!(texts(&beside).contains(&"−1") && !texts(&beside).iter().any(|t| t.contains("< 0")));
}

#[test]
fn bounds_are_drawn_on_bars_beside_each_other() {
    let mut chart = chart(false, &[&[Some(2.0), Some(4.0), Some(0.0)]]);
    chart.series[0].bounds = Some(vec![[1.0, 3.0], [4.0, 4.0], [f64::NEG_INFINITY, f64::NAN]]);
    let scene = layout(&chart);
    let unit = height(extents(&scene)[0]) / 2.0;
    // The upright line of a bar with bounds, in ink.
    let upright = |scene: &Scene| -> Vec<f64> {
        let length = |shape: &Shape| match shape {
            Shape::Path { places, width, .. } if *width == 1.0 && places[0].0 == places[1].0 => {
                Some((places[0].1 - places[1].1).abs())
            }
            _ => None,
        };
        scene.shapes.iter().filter_map(length).collect()
    };
    let found = upright(&scene);
    assert!(found.len() == 1 && (found[0] - 2.0 * unit).abs() < 1e-9, "{found:?}, {unit}");
    assert!(scene.notes[0].text.ends_with("= 2\nbetween 1 and 3"), "{:?}", scene.notes[0]);
    chart.stacked = true;
    assert_eq!(upright(&layout(&chart)), Vec::<f64>::new());
}

#[test]
fn all_zero_and_nothing() {
    for stacked in [false, true] {
        let zero = layout(&chart(stacked, &[&[Some(0.0), Some(0.0)], &[Some(0.0), Some(5e-324)]]));
        let (_, at) = frame(&zero);
        let ([_, _, _, bottom], _) = frame(&zero);
        assert_eq!(at, bottom, "zero is at the bottom");
        assert!(texts(&zero).contains(&"1"), "{:?}", texts(&zero));
        for chart in
            [BarChart::default(), chart(stacked, &[]), chart(stacked, &[&[]]), chart(stacked, &[&[None]])]
        {
            for format in [Format::Svg, Format::Pdf, Format::Png, Format::Html] {
                assert!(render_bar_chart(&chart, format).len() > 200);
            }
        }
    }
}

/// Sums of large numbers are infinite as numbers; the bars end at the end of the axis.
#[test]
fn huge_values() {
    let scene = layout(&chart(true, &[&[Some(f64::MAX)], &[Some(f64::MAX)]]));
    let ([_, top, _, bottom], _) = frame(&scene);
    let extents = extents(&scene);
    assert_eq!((extents[0][3], extents[0][1]), (bottom, top));
    assert_eq!(height(extents[1]), 0.0);
}

fn named(names: &[&str]) -> Scene {
    let values: Vec<Option<f64>> = names.iter().map(|_| Some(1.0)).collect();
    let mut chart = chart(false, &[&values]);
    chart.categories = names.iter().map(|name| (*name).to_owned()).collect();
    layout(&chart)
}

#[test]
fn names_of_categories_find_room() {
    // In lines.
    let scene =
        named(&["eager, short messages", "eager, long messages", "rendezvous messages", "one-sided", "x"]);
    assert!(texts(&scene).contains(&"rendezvous") && scene.texts().all(|t| !t.upwards || t.at.0 < 30.0));
    // Turned: a word that is too long for its room is not broken.
    let scene =
        named(&["MPI_Neighbor_alltoallv", "MPI_Reduce_scatter", "MPI_Barrier", "MPI_Sendrecv", "MPI_Bcast"]);
    let turned = scene.texts().filter(|t| t.upwards && t.text.starts_with("MPI_"));
    assert_eq!(turned.count(), 5, "{:?}", texts(&scene));
    // All of forty, and some of two hundred.
    let names: Vec<String> = (0..200).map(|k| format!("P{k}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert!(names[..40].iter().all(|name| texts(&named(&names[..40])).contains(name)));
    let scene = named(&names);
    assert!(texts(&scene).iter().any(|t| t.starts_with("One name in ")), "{:?}", texts(&scene));
    // Of numbers, round ones are enough, and nothing has to be said.
    let names: Vec<String> = (1..=200).map(|k: u32| k.to_string()).collect();
    let scene = named(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let texts = texts(&scene);
    assert!(texts.contains(&"20") && texts.contains(&"200") && !texts.contains(&"2"), "{texts:?}");
    assert!(!texts.iter().any(|t| t.starts_with("One name in ")), "{texts:?}");
}

#[test]
fn pages_and_pictures_know_the_values() {
    let chart = chart(true, &[&[Some(2.0), None], &[Some(0.5), None]]);
    let page = String::from_utf8(render_bar_chart(&chart, Format::Html)).unwrap();
    assert!(page.contains("c0\\nA = 2\\n80 % of 2.5") && page.contains("c1\\nnot known"), "{page}");
    let picture = String::from_utf8(render_bar_chart(&chart, Format::Svg)).unwrap();
    assert!(picture.contains("<title>c0\nB = 0.5\n20 % of 2.5</title>"), "{picture}");
}
