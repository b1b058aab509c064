//! The structure of PDF files: objects where the table says, streams of their lengths, an embedded font, texts that can be
//! copied.

mod bars;
mod charts;
mod odd;

use charts::{chart, generated};
use flate2::read::ZlibDecoder;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use volvelle_plot::layout::layout;
use volvelle_plot::scene::Scene;
use volvelle_plot::{Chart, Format, bar_chart, render, render_bar_chart};

/// A file, read back: the text of each object, and its stream, inflated.
struct Parsed {
    objects: BTreeMap<usize, (String, Vec<u8>)>,
    trailer: String,
}

fn find(data: &[u8], what: &str, from: usize) -> Option<usize> {
    data[from..].windows(what.len()).position(|w| w == what.as_bytes()).map(|at| at + from)
}

/// The number behind a name, such as `/Length 12`.
fn number(text: &str, name: &str) -> usize {
    let (_, rest) = text.split_once(&format!("{name} ")).unwrap_or_else(|| panic!("no {name} in {text}"));
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("{name} is no number in {text}"))
}

fn read(file: &[u8]) -> Parsed {
    assert!(file.starts_with(b"%PDF-1."));
    let text = String::from_utf8_lossy(file);
    let (_, end) = text.rsplit_once("startxref").expect("startxref");
    let table: usize = end.split_whitespace().next().expect("a number").parse().expect("a number");
    let table_text = String::from_utf8_lossy(&file[table..]).into_owned();
    let mut lines = table_text.lines();
    assert_eq!(lines.next(), Some("xref"));
    let count: usize =
        lines.next().and_then(|l| l.strip_prefix("0 ")).expect("a count").trim().parse().expect("a count");
    let mut objects = BTreeMap::new();
    for id in 0..count {
        let entry = lines.next().expect("an entry");
        let (offset, kind) = (entry[..10].parse::<usize>().expect("an offset"), &entry[17..18]);
        if id == 0 {
            assert_eq!(kind, "f");
            continue;
        }
        let start = format!("{id} 0 obj\n");
        assert!(file[offset..].starts_with(start.as_bytes()), "object {id} is not at {offset}");
        let body = offset + start.len();
        let end = find(file, "endobj", body).expect("an end");
        let stream = find(file, ">>\nstream\n", body).filter(|at| *at < end);
        let head = String::from_utf8_lossy(&file[body..stream.unwrap_or(end)]).into_owned();
        let mut data = Vec::new();
        if let Some(stream) = stream {
            let from = stream + ">>\nstream\n".len();
            let packed = &file[from..from + number(&head, "/Length")];
            assert!(file[from + packed.len()..].starts_with(b"\nendstream"), "object {id}");
            ZlibDecoder::new(packed).read_to_end(&mut data).expect("zlib");
        }
        objects.insert(id, (head, data));
    }
    assert_eq!(number(&table_text, "/Size"), count);
    Parsed { objects, trailer: table_text }
}

impl Parsed {
    fn object(&self, has: &str) -> &(String, Vec<u8>) {
        self.objects.values().find(|(head, _)| head.contains(has)).unwrap_or_else(|| panic!("no {has}"))
    }

    fn referred(&self, from: &str, name: &str) -> &(String, Vec<u8>) {
        &self.objects[&number(from, name)]
    }

    /// Letters by their numbers, as a reader copies them.
    fn unicode(&self) -> BTreeMap<u16, char> {
        let (font, _) = self.object("/Subtype /Type0");
        let map = String::from_utf8(self.referred(font, "/ToUnicode").1.clone()).expect("text");
        let pairs =
            map.lines().filter_map(|line| line.strip_prefix('<')?.strip_suffix('>')?.split_once("> <"));
        let hex = |text: &str| u16::from_str_radix(text, 16).expect("hexadecimal");
        let letter = |text: &str| {
            let units: Vec<u16> = (0..text.len() / 4).map(|k| hex(&text[4 * k..4 * k + 4])).collect();
            String::from_utf16(&units).expect("UTF-16").chars().next().expect("a letter")
        };
        pairs.filter(|(from, _)| from.len() == 4).map(|(from, to)| (hex(from), letter(to))).collect()
    }

    fn content(&self) -> &[u8] {
        let (page, _) = self.object("/Type /Page ");
        &self.referred(page, "/Contents").1
    }

    /// The texts that the page shows, in their order.
    fn texts(&self) -> Vec<String> {
        let letters = self.unicode();
        let mut texts = Vec::new();
        let content = self.content();
        let mut at = 0;
        while let Some(start) = find(content, "BT\n", at) {
            let end = find(content, "\nET", start).expect("the end of the text");
            let shown = strings(&content[start..end]);
            let text = shown.chunks_exact(2).map(|c| letters[&u16::from_be_bytes([c[0], c[1]])]);
            texts.push(text.collect());
            at = end;
        }
        texts
    }
}

/// The bytes of all strings, in parentheses or hexadecimal.
fn strings(content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < content.len() {
        match content[at] {
            b'<' => {
                let end = find(content, ">", at).expect("an end");
                let digits: String = content[at + 1..end].iter().map(|&b| char::from(b)).collect();
                let byte = |k: usize| u8::from_str_radix(&digits[2 * k..2 * k + 2], 16).expect("hexadecimal");
                out.extend((0..digits.len() / 2).map(byte));
                at = end;
            }
            b'(' => {
                at += 1;
                let mut depth = 1;
                while depth > 0 {
                    match content[at] {
                        b'\\' => {
                            at += 1;
                            out.push(match content[at] {
                                b'n' => b'\n',
                                b'r' => b'\r',
                                b't' => b'\t',
                                b'b' => 8,
                                b'f' => 12,
                                digit if digit.is_ascii_digit() => {
                                    let octal = content[at..at + 3].iter().fold(0, |n, d| 8 * n + (d - b'0'));
                                    at += 2;
                                    octal
                                }
                                other => other,
                            });
                        }
                        b'(' => {
                            depth += 1;
                            out.push(b'(');
                        }
                        b')' => {
                            depth -= 1;
                            if depth > 0 {
                                out.push(b')');
                            }
                        }
                        other => out.push(other),
                    }
                    at += 1;
                }
                at -= 1;
            }
            _ => {}
        }
        at += 1;
    }
    out
}

fn sample() -> Chart {
    let mut chart = chart(vec![
        ("größer, λ≤5 → 確率", vec![[0.0, 0.5, 0.3, 0.7], [1.0, 0.6, 0.4, 0.8]]),
        ("N=4", vec![[0.0, 1e-9, 0.0, 0.1], [1.0, 0.2, 0.2, 0.2]]),
    ]);
    chart.title = "P=? [ F<=T (\\\"AVATAR\") ]".to_owned();
    chart
}

#[test]
fn files_are_well_formed_and_fonts_embedded() {
    let file = render(&sample(), Format::Pdf);
    let read = read(&file);
    assert!(read.trailer.contains("/Root") && read.trailer.contains("/Info"));
    for (head, _) in read.objects.values() {
        assert!(!head.contains("/Type1") && !head.contains("Helvetica"), "a font of the reader: {head}");
    }
    let (descriptor, _) = read.object("/Type /FontDescriptor");
    let (_, font) = read.referred(descriptor, "/FontFile2");
    assert_eq!(number(&read.referred(descriptor, "/FontFile2").0, "/Length1"), font.len());
    let face = ttf_parser::Face::parse(font, 0).expect("a font");
    assert!(face.number_of_glyphs() < 60 && font.len() < 12_000, "{} bytes", font.len());
    // Bands are translucent, and as many texts as in the scene can be copied.
    assert!(read.object("/ca 0.22").0.contains("/ExtGState"));
    let content = String::from_utf8_lossy(read.content()).into_owned();
    assert!(content.contains("/G1 gs"));
    assert_eq!(content.matches("\nq\n").count(), content.matches("\nQ").count());
    let scene = layout(&sample());
    let expected: Vec<&str> = scene.texts().map(|t| t.text.as_str()).collect();
    assert_eq!(read.texts(), expected);
}

fn texts_are_those_of(scene: &Scene, file: &[u8], seed: u64) {
    let expected: Vec<&str> = scene.texts().map(|t| t.text.as_str()).filter(|t| !t.is_empty()).collect();
    let found = read(file).texts();
    let found: Vec<&str> = found.iter().map(String::as_str).filter(|t| !t.is_empty()).collect();
    assert_eq!(found, expected, "{seed}");
}

#[test]
fn generated_charts_are_files() {
    for seed in 0..80 {
        let chart = generated(seed);
        let file = render(&chart, Format::Pdf);
        texts_are_those_of(&layout(&chart), &file, seed);
        assert_eq!(file, render(&chart, Format::Pdf), "the same file in every run");
    }
    for seed in 0..40 {
        let chart = bars::generated(seed);
        let file = render_bar_chart(&chart, Format::Pdf);
        texts_are_those_of(&bar_chart::layout(&chart), &file, seed);
        assert_eq!(file, render_bar_chart(&chart, Format::Pdf), "the same file in every run");
    }
}

/// With a reader of PDF, where one is installed.
#[test]
fn readers_find_the_texts() {
    let child = Command::new("pdftotext")
        .args(["-layout", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else { return };
    let file = render(&sample(), Format::Pdf);
    child.stdin.take().expect("a pipe").write_all(&file).expect("written");
    let out = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&out.stdout);
    for wanted in ["P=? [ F<=T (\\\"AVATAR\") ]", "größer, λ≤5 → 確率", "queue.prism, N=4"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
}
