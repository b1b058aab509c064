//! Charts of many shapes become well-formed files, with what was put in.

mod bars;
mod charts;
mod odd;

use charts::{chart, generated};
use roxmltree::{Document, Node};
use volvelle_plot::{Chart, Format, render, render_bar_chart};

fn svg(chart: &Chart) -> String {
    String::from_utf8(render(chart, Format::Svg)).unwrap()
}

/// Shapes that are seen.
fn count(document: &Document, name: &str) -> usize {
    let is_seen = |n: &Node| n.has_tag_name(name) && n.attribute("pointer-events").is_none();
    document.descendants().filter(is_seen).count()
}

fn numbers(node: Node, attribute: &str) -> Vec<f64> {
    let text = node.attribute(attribute).unwrap_or_default();
    text.split([' ', ',']).filter(|t| !t.is_empty()).map(|t| t.parse().unwrap()).collect()
}

#[test]
fn lines_bands_and_legend() {
    let wide = vec![[0.0, 0.5, 0.3, 0.7], [1.0, 0.6, 0.4, 0.8], [2.0, 0.7, 0.5, 0.9]];
    let thin = vec![[0.0, 0.1, 0.1, 0.1], [1.0, 0.2, 0.2, 0.2 + 1e-9], [2.0, 0.3, 0.3, 0.3]];
    let text = svg(&chart(vec![("wide", wide), ("thin", thin)]));
    let document = Document::parse(&text).unwrap();
    // One band: that of the other line is too thin to be seen. A sign for each point, and one in the legend.
    assert_eq!(count(&document, "polygon"), 1);
    assert_eq!(count(&document, "g"), 2 * (3 + 1));
    assert_eq!(count(&document, "circle"), 3 + 1);
    let texts: Vec<&str> =
        document.descendants().filter(|n| n.has_tag_name("text")).filter_map(|n| n.text()).collect();
    for wanted in ["wide", "thin", "T", "P=? [ F<=T \"x\" ]", "a < b & \"c\""] {
        assert!(texts.contains(&wanted), "{wanted}: {texts:?}");
    }
    // Larger values are further up, later ones further right.
    let places: Vec<(f64, f64)> = (document.descendants().filter(|n| n.has_tag_name("circle")))
        .map(|n| (numbers(n, "cx")[0], numbers(n, "cy")[0]))
        .collect();
    for pair in places[..3].windows(2) {
        assert!(pair[0].0 < pair[1].0 && pair[0].1 > pair[1].1, "{places:?}");
    }
}

/// Whatever the numbers and names, all coordinates are within the picture.
#[test]
fn every_number_has_its_place() {
    let bars = |seed| String::from_utf8(render_bar_chart(&bars::generated(seed), Format::Svg)).unwrap();
    for (seed, text) in (0..200).flat_map(|seed| [(seed, svg(&generated(seed))), (seed, bars(seed))]) {
        let document = Document::parse(&text).unwrap_or_else(|e| panic!("{seed}: {e}\n{text}"));
        for node in document.descendants() {
            let all = ["points", "cx", "cy", "x", "y"].map(|name| numbers(node, name)).concat();
            assert!(all.iter().all(|v| (0.0..=1500.0).contains(v)), "{seed}: {node:?}: {all:?}");
        }
    }
}

/// What is known of a point is found around it, also where it has no sign of its own.
#[test]
fn values_are_found_under_the_pointer() {
    let points: Vec<[f64; 4]> = (0..500).map(|k| [f64::from(k), f64::from(k) / 500.0, 0.0, 1.0]).collect();
    let text = svg(&chart(vec![("a", points)]));
    let document = Document::parse(&text).unwrap();
    let targets = document.descendants().filter(|n| n.attribute("pointer-events") == Some("all"));
    let told: Vec<&str> = targets.filter_map(|n| n.first_element_child()?.text()).collect();
    assert_eq!(told.len(), 500);
    assert!(count(&document, "g") < 200, "signs would cover each other");
    assert_eq!(told[250], "T = 250\na = 0.5\nbetween 0 and 1");
}

/// Lines that are steps of an order have colours of a ramp, in the order of their styles.
#[test]
fn orders_have_ramps() {
    let line = |y: f64| vec![[0.0, y, y, y], [1.0, y, y, y]];
    let mut several = chart(vec![("a", line(1.0)), ("b", line(2.0)), ("c", line(3.0))]);
    let colors = |chart: &Chart| {
        let text = svg(chart);
        let document = Document::parse(&text).unwrap();
        let lines = document.descendants().filter(|n| n.has_tag_name("polyline"));
        let strokes = lines.filter_map(|n| n.attribute("stroke")).filter(|c| c[1..3] != c[3..5]);
        strokes.take(3).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(colors(&several), ["#0072b2", "#d55e00", "#009e73"]);
    several.is_ordered = true;
    assert_eq!(colors(&several), ["#5c3eb4", "#008a8c", "#cea000"]);
    several.lines.reverse();
    assert_eq!(colors(&several), ["#cea000", "#008a8c", "#5c3eb4"]);
}

#[test]
fn every_chart_is_a_file() {
    for seed in 0..8 {
        let (lines, bars) = (generated(seed), bars::generated(seed));
        for bytes in [render(&lines, Format::Png), render_bar_chart(&bars, Format::Png)] {
            let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            assert_eq!(reader.next_frame(&mut pixels).unwrap().width, 1200, "{seed}");
        }
        for bytes in [render(&lines, Format::Html), render_bar_chart(&bars, Format::Html)] {
            let page = String::from_utf8(bytes).unwrap();
            // The texts of points do not end the element that they stand in.
            assert_eq!(page.matches("</script>").count(), 2, "{seed}");
            assert_eq!(page.matches("<script").count(), 2, "{seed}");
        }
    }
}

#[test]
fn gaps_end_lines() {
    let nan = f64::NAN;
    let points = vec![[0.0, 1.0, 1.0, 1.0], [1.0, 2.0, 2.0, 2.0], [2.0, nan, nan, nan], [3.0, 1.0, 0.0, 2.0]];
    let text = svg(&chart(vec![("a", points)]));
    let document = Document::parse(&text).unwrap();
    assert_eq!(count(&document, "circle"), 3);
    // The third point of the run of two is alone: its bounds are a bar, not a band.
    assert_eq!(count(&document, "polygon"), 0);
}

#[test]
fn nothing_to_draw_is_a_picture_too() {
    for lines in [vec![], vec![("a", vec![])]] {
        for format in [Format::Svg, Format::Pdf, Format::Png, Format::Html] {
            assert!(render(&chart(lines.clone()), format).len() > 200);
        }
    }
}

#[test]
fn pages_are_whole() {
    let text = render(&chart(vec![("a", vec![[0.0, 1.0, 0.5, 2.0], [1.0, 1.0, 1.0, 1.0]])]), Format::Html);
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("</html>") && text.contains("<svg") && text.contains("between 0.5 and 2"));
    // Nothing comes from elsewhere: the only address is the name of the name space.
    let elsewhere = text.matches("http").count();
    assert_eq!(elsewhere, text.matches("http://www.w3.org/2000/svg").count());
    assert!(!text.contains("src=") && !text.contains("href"));
}

#[test]
fn pictures_have_pixels() {
    let line = ("line", vec![[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.5, 1.5]]);
    let bytes = render(&chart(vec![line.clone(), line]), Format::Png);
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (1200, info.height));
    let count = |color: [u8; 3]| pixels.chunks(3).filter(|p| *p == color).count();
    let (blue, dark) = (count([0, 114, 178]), count([30, 30, 30]));
    assert!(dark > 1000 && blue > 100, "{blue} {dark}");
    let density = reader.info().pixel_dims.expect("the density is known");
    assert_eq!(density.xppu, 13_498, "343 pixels for an inch");
}

#[test]
fn formats_by_ending() {
    assert_eq!(Format::of_extension("SVG"), Some(Format::Svg));
    assert_eq!(Format::of_extension("png"), Some(Format::Png));
    assert_eq!(Format::of_extension("htm"), Some(Format::Html));
    assert_eq!(Format::of_extension("pdf"), Some(Format::Pdf));
    assert_eq!(Format::of_extension("gif"), None);
}
