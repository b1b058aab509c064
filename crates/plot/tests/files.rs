//! Charts of many shapes become well-formed files, with what was put in.

use roxmltree::{Document, Node};
use volvelle_plot::{Chart, Format, Line, Point, render};

fn chart(lines: Vec<(&str, Vec<[f64; 4]>)>) -> Chart {
    let point = |[x, y, lo, hi]: [f64; 4]| Point { x, y, lo, hi };
    Chart {
        title: "a < b & \"c\"".to_owned(),
        x_label: "T".to_owned(),
        y_label: "P=? [ F<=T \"x\" ]".to_owned(),
        lines: lines
            .into_iter()
            .map(|(name, points)| Line {
                name: name.to_owned(),
                apart: false,
                points: points.into_iter().map(point).collect(),
            })
            .collect(),
    }
}

fn svg(chart: &Chart) -> String {
    String::from_utf8(render(chart, Format::Svg)).unwrap()
}

fn count(document: &Document, name: &str) -> usize {
    document.descendants().filter(|n| n.has_tag_name(name)).count()
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
    // One band: that of the other line is too thin to be seen.
    assert_eq!(count(&document, "polygon"), 1);
    assert_eq!(count(&document, "circle"), 6);
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

/// Whatever the numbers, all coordinates are within the picture.
#[test]
fn every_number_has_its_place() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let odd = [0.0, 1.0, -1.0, 1e-300, 1e300, f64::MAX, inf, -inf, nan, 0.5];
    let mut seed = 7u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        odd[(seed >> 33) as usize % odd.len()]
    };
    for round in 0..400 {
        let points = (0..round % 6).map(|_| [next(), next(), next(), next()]).collect();
        let others = (0..round % 4).map(|_| [next(), next(), next(), next()]).collect();
        let text = svg(&chart(vec![("a", points), ("b", others)]));
        let document = Document::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        for node in document.descendants() {
            let all = ["points", "cx", "cy", "x", "y"].map(|name| numbers(node, name)).concat();
            assert!(all.iter().all(|v| (-10.0..=900.0).contains(v)), "{node:?}: {all:?}");
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
}

#[test]
fn nothing_to_draw_is_a_picture_too() {
    for lines in [vec![], vec![("a", vec![])]] {
        for format in [Format::Svg, Format::Png, Format::Html] {
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
    assert_eq!((info.width, info.height), (1520, 920));
    let blue = pixels.chunks(4).filter(|p| p[..3] == [0, 114, 178]).count();
    let dark = pixels.chunks(4).filter(|p| p[..3] == [60, 60, 60]).count();
    assert!(dark > 1000, "{blue} {dark}");
    assert!(pixels.chunks(4).any(|p| p[2] > p[0].saturating_add(50)), "a coloured line");
}

#[test]
fn formats_by_ending() {
    assert_eq!(Format::of_extension("SVG"), Some(Format::Svg));
    assert_eq!(Format::of_extension("png"), Some(Format::Png));
    assert_eq!(Format::of_extension("htm"), Some(Format::Html));
    assert_eq!(Format::of_extension("pdf"), None);
}
