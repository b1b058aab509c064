//! Where things stand in a picture: inside of it, and not on top of each other.

mod bars;
mod charts;
mod odd;

use charts::{chart, generated};
use volvelle_plot::bar_chart;
use volvelle_plot::layout::layout;
use volvelle_plot::scene::{Extent, Place, Scene, Shape, WIDTH};
use volvelle_plot::{Chart, Kind, Line, Point, Scale};

/// Charts of lines and bars.
fn scenes(seed: u64) -> [Scene; 2] {
    [layout(&generated(seed)), bar_chart::layout(&bars::generated(seed))]
}

fn places(scene: &Scene) -> Vec<Place> {
    let of_shape = |shape: &Shape| match shape {
        Shape::Path { places, .. } | Shape::Area { places, .. } => places.clone(),
        Shape::Tile { extent: [left, top, right, bottom], .. } => vec![(*left, *top), (*right, *bottom)],
        Shape::Sign { at, .. } => vec![*at],
        Shape::Text(text) => vec![text.at],
    };
    let notes = scene.notes.iter().map(|note| note.at);
    scene.shapes.iter().flat_map(of_shape).chain(notes).collect()
}

fn overlap(a: &Extent, b: &Extent) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

fn texts(scene: &Scene) -> Vec<&str> {
    scene.texts().map(|t| t.text.as_str()).collect()
}

#[test]
fn everything_stands_inside() {
    for (seed, scene) in (0..600).flat_map(|seed| scenes(seed).map(|scene| (seed, scene))) {
        assert!(scene.height > 200.0 && scene.height < 1500.0, "{seed}: {}", scene.height);
        for (x, y) in places(&scene) {
            assert!((0.0..=WIDTH).contains(&x) && (0.0..=scene.height).contains(&y), "{seed}: {x} {y}");
        }
        for text in scene.texts() {
            let [left, top, right, bottom] = text.extent();
            let is_inside = left >= 0.0 && right <= WIDTH && top >= 0.0 && bottom <= scene.height;
            assert!(is_inside, "{seed}: {text:?} {left} {top} {right} {bottom} of {}", scene.height);
        }
    }
}

/// Readers of SVG may have a font that is wider than the embedded one.
#[test]
fn there_is_room_for_wider_letters() {
    for (seed, scene) in (0..300).flat_map(|seed| scenes(seed).map(|scene| (seed, scene))) {
        for text in scene.texts() {
            let [left, top, right, bottom] = text.extent();
            let (x, y) = text.at;
            let stretched = |from: f64, at: f64| at + (from - at) * 1.15;
            match text.upwards {
                false => {
                    assert!(stretched(left, x) >= 0.0 && stretched(right, x) <= WIDTH, "{seed}: {text:?}")
                }
                true => assert!(
                    stretched(top, y) >= 0.0 && stretched(bottom, y) <= scene.height,
                    "{seed}: {text:?}"
                ),
            }
        }
    }
}

#[test]
fn no_text_covers_another() {
    for (seed, scene) in (0..600).flat_map(|seed| scenes(seed).map(|scene| (seed, scene))) {
        let extents: Vec<(&str, Extent)> = scene.texts().map(|t| (t.text.as_str(), t.extent())).collect();
        for (i, (text, extent)) in extents.iter().enumerate() {
            for (other, beside) in &extents[..i] {
                assert!(!overlap(extent, beside), "{seed}: {text:?} {extent:?} and {other:?} {beside:?}");
            }
        }
    }
}

fn logarithmic() -> Chart {
    let points = vec![
        [0.0, 1e-3, 1e-3, 1e-3],
        [1.0, 1e-4, 0.0, 1e-3],
        [2.0, 0.0, 0.0, 1e-3],
        [3.0, -1.0, -1.0, 1e-3],
        [4.0, 1e-1, 1e-2, 1.0],
        [5.0, f64::INFINITY, 1.0, 1.0],
    ];
    let mut chart = chart(vec![("a", points)]);
    chart.y.scale = Scale::Logarithmic;
    chart
}

#[test]
fn logarithmic_axes_say_what_they_leave_out() {
    let scene = layout(&logarithmic());
    let texts = texts(&scene);
    assert!(texts.contains(&"2 values ≤ 0 are left out: a logarithmic axis cannot show them."), "{texts:?}");
    assert!(texts.contains(&"1 value is infinite and left out."), "{texts:?}");
    for label in ["10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰"] {
        assert!(texts.contains(&label), "{label}: {texts:?}");
    }
    let signs = scene.shapes.iter().filter(|s| matches!(s, Shape::Sign { .. })).count();
    assert_eq!(signs, 3);
}

/// A lower bound of zero has no place: the band ends at the axis.
#[test]
fn bounds_are_cut_at_logarithmic_axes() {
    let scene = layout(&logarithmic());
    let frame_bottom = scene.shapes.iter().find_map(|shape| match shape {
        Shape::Path { places, .. } if places.len() == 3 => Some(places[1].1),
        _ => None,
    });
    let lowest = scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Area { places, .. } => places.iter().map(|p| p.1).reduce(f64::max),
        _ => None,
    });
    assert_eq!(lowest.reduce(f64::max), frame_bottom);
}

/// One bound that is very small does not press the values together.
#[test]
fn tiny_bounds_do_not_stretch_axes() {
    let mut chart = chart(vec![("a", vec![[0.0, 0.1, 1e-200, 1.0], [1.0, 0.2, 0.1, 1.0]])]);
    chart.y.scale = Scale::Logarithmic;
    let scene = layout(&chart);
    assert!(texts(&scene).contains(&"0.1") || texts(&scene).contains(&"10⁻¹"), "{:?}", texts(&scene));
}

#[test]
fn long_lines_have_some_signs() {
    let points: Vec<[f64; 4]> = (0..5000).map(|k| [f64::from(k), f64::from(k % 7), 0.0, 0.0]).collect();
    let scene = layout(&chart(vec![("a", points.clone()), ("b", points)]));
    let signs = scene.shapes.iter().filter(|s| matches!(s, Shape::Sign { .. })).count();
    assert!((40..120).contains(&signs), "{signs}");
    // All values are known, as the page shows them.
    assert_eq!(scene.notes.len(), 10_000);
}

#[test]
fn thousands_of_lines() {
    let names: Vec<String> = (0..3000).map(|n| format!("N={n}")).collect();
    let lines =
        names.iter().map(|n| (n.as_str(), vec![[0.0, 1.0, 1.0, 1.0], [1.0, 2.0, 2.0, 2.0]])).collect();
    let scene = layout(&chart(lines));
    let texts = texts(&scene);
    assert!(
        texts.contains(&"N=47") && !texts.contains(&"N=48") && texts.contains(&"and 2952 more"),
        "{texts:?}"
    );
}

/// The legend says once that rings are doubts and circles samples, however many lines have them.
#[test]
fn legends_say_things_once() {
    let point = Point { x: 1.0, y: 1.0, lo: 0.5, hi: 1.5 };
    let line = |name: &str, kind: Kind, style: usize| Line {
        name: name.to_owned(),
        kind,
        style,
        points: vec![point],
    };
    let mut chart = chart(Vec::new());
    for style in 0..4 {
        chart.lines.push(line(&format!("N={style}"), Kind::Curve, style));
        chart.lines.push(line("simulated", Kind::Samples, style));
        chart.lines.push(line("doubtful", Kind::Doubts, style));
    }
    let scene = layout(&chart);
    let count = |wanted: &str| texts(&scene).iter().filter(|t| **t == wanted).count();
    assert_eq!([count("simulated"), count("doubtful"), count("N=0"), count("N=3")], [1; 4]);
    // A single line is named by the title.
    chart.lines.truncate(1);
    assert!(!texts(&layout(&chart)).contains(&"N=0"));
}

#[test]
fn whole_numbers_have_whole_labels() {
    let points = (3..6).map(|n| [f64::from(n), 0.5, 0.5, 0.5]).collect();
    let scene = layout(&chart(vec![("a", points)]));
    let texts = texts(&scene);
    assert!(["3", "4", "5"].iter().all(|n| texts.contains(n)) && !texts.contains(&"3.5"), "{texts:?}");
}

#[test]
fn scales_fit_values() {
    assert_eq!(Scale::fitting([1.0, 5.0, 100.0]), Scale::Linear);
    assert_eq!(Scale::fitting([1.0, 5.0, 101.0]), Scale::Logarithmic);
    assert_eq!(Scale::fitting([0.0, 5.0, 101.0]), Scale::Linear);
    assert_eq!(Scale::fitting([]), Scale::Linear);
}
