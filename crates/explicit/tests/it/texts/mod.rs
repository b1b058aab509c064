//! Texts in and out: what is read of every variant of the formats, how diagnostics are drawn, and that models survive being
//! written and read.

mod across;
mod aut;
mod drn;
mod generated;
mod prism;

use volvelle_control::Control;
use volvelle_diagnostics::{RenderOptions, Sources, render};
use volvelle_explicit::{
    Companions, Compression, Finding, Format, Input, Loaded, Model, Number, Numbers, ReadOptions,
    WriteOptions, read, write,
};

/// Reads a text whose name tells the format.
fn load(name: &str, text: &str) -> Result<Loaded, Finding> {
    load_with(name, text, &ReadOptions::default())
}

fn load_with(name: &str, text: &str, options: &ReadOptions) -> Result<Loaded, Finding> {
    read(Input { name, bytes: text.as_bytes() }, &Companions::default(), options, &Control::unlimited())
}

/// The model of a text that is legal.
fn model(name: &str, text: &str) -> Model {
    load(name, text).unwrap_or_else(|finding| panic!("{}", draw(&finding))).model
}

/// A finding as people see it, without the line that leads to its page.
fn draw(finding: &Finding) -> String {
    let mut sources = Sources::new();
    let diagnostic = finding.to_diagnostic(&mut sources);
    let drawn = render(&diagnostic, &sources, RenderOptions::default());
    let mut lines: Vec<&str> =
        drawn.lines().filter(|line| !line.contains("= explain:")).map(str::trim_end).collect();
    // The bar in front of that line.
    if lines.last().is_some_and(|line| line.trim() == "|") {
        lines.pop();
    }
    lines.join("\n") + "\n"
}

/// Whether a text is refused with this drawing.
#[track_caller]
fn refused(name: &str, text: &str, drawing: &str) {
    let drawn = match load(name, text) {
        Ok(loaded) => panic!("it is read as a {}", loaded.model.kind()),
        Err(finding) => draw(&finding),
    };
    assert_eq!(drawn, drawing.strip_prefix('\n').unwrap_or(drawing), "\n{drawn}");
}

/// A model as text.
fn written(model: &Model, format: Format, options: &WriteOptions) -> String {
    let mut out = Vec::new();
    write(model, format, Compression::None, options, &mut out, &Control::unlimited()).expect("it is written");
    String::from_utf8(out).expect("text")
}

/// Numbers as text, for short expectations.
fn shown(numbers: Option<&Numbers>) -> String {
    let Some(numbers) = numbers else { return "none".to_owned() };
    let one = |number: Number<'_>| match number {
        Number::Double(value) => value.to_string(),
        Number::Exact(value) => value.to_string(),
        Number::DoubleInterval(lower, upper) => format!("[{lower},{upper}]"),
        Number::ExactInterval(lower, upper) => format!("[{lower},{upper}]"),
        Number::Symbolic(text) => text.to_owned(),
    };
    numbers.iter().map(one).collect::<Vec<_>>().join(" ")
}
