//! Explicit models in files: any bytes in, no panic; and what was read is written and read again unchanged.

mod generate;

use generate::Draws;
use volvelle_control::{Control, Limits};
use volvelle_diagnostics::{RenderOptions, Sources, render_all};
use volvelle_explicit::{
    Companions, Compression, Finding, Format, Input, Model, ReadOptions, WriteError, WriteOptions, read,
    write,
};

use volvelle_space::Kind;

/// Bytes that reading a file of a fuzzer may take.
const MEMORY: u64 = 64 << 20;

/// States beyond which a model that bytes describe is not converted and written again: a few bytes can announce many.
const LARGEST: usize = 10_000;

/// Reads bytes as a file of each format that they could be.
pub fn explicit_text(bytes: &[u8]) {
    for format in [Format::Drn, Format::PrismTransitions, Format::PrismCombined, Format::Aut] {
        // As a file beside transitions, too.
        let name = format!("model.{}", format.extension());
        if let Ok(model) = load(&name, bytes, &Companions::default()) {
            survives(&model, format);
        }
    }
    let transitions = b"3 4\n0 1 0.5\n0 2 0.5\n1 1 1\n2 0 1\n";
    let beside = |ending: &'static str| Some(Input { name: ending, bytes });
    let rewards = |ending: &'static str| vec![Input { name: ending, bytes }];
    for companions in [
        Companions { labels: beside("m.lab"), ..Companions::default() },
        Companions { states: beside("m.sta"), ..Companions::default() },
        Companions { observations: beside("m.obs"), ..Companions::default() },
        Companions { state_rewards: rewards("m.srew"), ..Companions::default() },
        Companions { transition_rewards: rewards("m.trew"), ..Companions::default() },
    ] {
        if let Ok(model) = load("m.tra", transitions, &companions) {
            survives(&model, Format::Umb);
        }
    }
}

/// Reads bytes as an archive, and an archive of a model that bytes choose with a few other bytes in it.
pub fn explicit_archive(bytes: &[u8]) {
    if let Ok(model) = load("model.umb", bytes, &Companions::default()) {
        survives(&model, Format::Umb);
    }
    let mut draws = Draws::new(bytes);
    let model = draws.model();
    let Ok(mut archive) = written(&model, Format::Umb, Compression::None) else {
        panic!("UMB holds every model that is not parametric");
    };
    for _ in 0..1 + draws.below(4) {
        let at = draws.below(archive.len() as u64) as usize;
        archive[at] = draws.below(256) as u8;
        mend_checksum(&mut archive, at);
    }
    if let Ok(model) = load("model.umb", &archive, &Companions::default()) {
        survives(&model, Format::Umb);
    }
}

/// A model that bytes choose is the same after writing and reading it, in the format that holds everything; in the
/// others it is written to the same text again.
pub fn explicit_round_trip(bytes: &[u8]) {
    let mut draws = Draws::new(bytes);
    let model = draws.model();
    // Making tables for xz takes as long as all the rest: of few models.
    let packed = if draws.below(16) == 0 { Compression::Xz } else { Compression::Gzip };
    for compression in [Compression::None, packed] {
        let archive =
            written(&model, Format::Umb, compression).expect("UMB holds every model that is not parametric");
        let again = load("model.umb", &archive, &Companions::default());
        let again = again.unwrap_or_else(|finding| panic!("refused: {finding:?}\nof {model:?}"));
        assert_eq!(again, model);
    }
    for format in [Format::Drn, Format::PrismTransitions, Format::PrismCombined, Format::Aut] {
        survives(&model, format);
    }
    if let Ok(converted) = model.to_space(true, &Control::unlimited()) {
        let space = converted.space;
        let back = Model::from_space(&space, converted.exact.as_ref(), Vec::new());
        let again = back.to_space(true, &Control::unlimited()).expect("the same kind");
        assert_eq!((&again.space.columns, &again.space.row_start), (&space.columns, &space.row_start));
        assert_eq!((&again.space.labels, &again.space.deadlocks), (&space.labels, &space.deadlocks));
        if converted.exact.is_some() {
            assert_eq!(again.exact, converted.exact);
        } else if space.kind == Kind::MarkovAutomaton {
            // Rates become probabilities and exit rates, and rates again.
            let near = |(a, b): (f64, f64)| (a - b).abs() <= 1e-12 * a.abs().max(b.abs());
            assert!(again.space.values.iter().zip(space.values.iter()).all(near));
            assert_eq!(again.space.choices, space.choices);
        } else {
            assert_eq!(again.space.values, space.values);
        }
    }
}

/// Writes a model, reads it, and writes the same bytes again. Formats may refuse what they cannot express.
fn survives(model: &Model, format: Format) {
    if model.num_states() > LARGEST {
        return;
    }
    let text = match written(model, format, Compression::None) {
        Ok(text) => text,
        Err(WriteError::Refused(finding)) => {
            draw(&finding);
            return;
        }
        Err(error) => panic!("{error:?}"),
    };
    let name = format!("again.{}", format.extension());
    let shown = || String::from_utf8_lossy(&text).into_owned();
    // Parts that the text leaves open, as a caller would give them.
    let options = ReadOptions { kind: Some(model.kind()), ..ReadOptions::default() };
    let limits = Limits { memory_bytes: Some(16 * MEMORY), ..Limits::default() };
    let control = Control { limits, ..Control::unlimited() };
    let input = Input { name: &name, bytes: &text };
    let again = read(input, &Companions::default(), &options, &control)
        .unwrap_or_else(|finding| panic!("refused: {finding:?}\n{}", shown()));
    if format == Format::Umb {
        let mut again = again.model;
        again.facts = model.facts.clone();
        // A variable may have the value NaN, which is not equal to itself; as text it is.
        let (left, right) = (|| format!("{again:?}"), || format!("{model:?}"));
        assert!(again == *model || left() == right(), "wrote: {}\nread: {}", right(), left());
        return;
    }
    let second = written(&again.model, format, Compression::None);
    let second = second.unwrap_or_else(|error| panic!("{error:?}\n{}", shown()));
    if format == Format::Drn {
        // The order of labels is that in which states have them, which the first text need not follow.
        let words = |text: &[u8]| {
            let mut words: Vec<Vec<u8>> = text.split(u8::is_ascii_whitespace).map(<[u8]>::to_vec).collect();
            words.sort();
            words
        };
        assert_eq!(words(&text), words(&second), "{}", shown());
        return;
    }
    assert!(second == text, "first:\n{}\nsecond:\n{}", shown(), String::from_utf8_lossy(&second));
}

fn load(name: &str, bytes: &[u8], companions: &Companions<'_>) -> Result<Model, Finding> {
    let limits = Limits { memory_bytes: Some(MEMORY), ..Limits::default() };
    // Texts are split among threads.
    let control = Control { limits, threads: 2, ..Control::unlimited() };
    let loaded = read(Input { name, bytes }, companions, &ReadOptions::default(), &control);
    loaded
        .map(|loaded| {
            loaded.warnings.iter().for_each(draw);
            let _ = loaded.model.summary();
            let mut model = loaded.model;
            // A written file names the tool that wrote it.
            model.facts = volvelle_explicit::Facts::default();
            model
        })
        .inspect_err(draw)
}

fn written(model: &Model, format: Format, compression: Compression) -> Result<Vec<u8>, WriteError> {
    let mut out = Vec::new();
    let findings =
        write(model, format, compression, &WriteOptions::default(), &mut out, &Control::unlimited())?;
    findings.iter().for_each(draw);
    Ok(out)
}

/// Draws a diagnostic as a terminal would show it.
fn draw(finding: &Finding) {
    let mut sources = Sources::new();
    let diagnostic = finding.to_diagnostic(&mut sources);
    let _ = render_all(&[diagnostic], &sources, RenderOptions::default());
}

/// Makes the checksum of the header right that a byte was changed in, if it was one.
fn mend_checksum(archive: &mut [u8], at: usize) {
    let start = at / 512 * 512;
    let header = &mut archive[start..start + 512];
    if &header[257..262] != b"ustar" {
        return;
    }
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}
