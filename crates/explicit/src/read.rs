//! Reading a model: which format, decompression, the reader, the checks.

use crate::allowance::Allowance;
use crate::archive::Archive;
use crate::decompress::{self, Decompressor, damaged};
use crate::finding::{Finding, Place};
use crate::format::{Compression, Format};
use crate::input::{Companions, Input};
use crate::model::Model;
use crate::options::ReadOptions;
use crate::shares::scale;
use crate::validate::validate;
use crate::{aut, drn, prism, umb};
use std::borrow::Cow;
use std::io::{ErrorKind, Read};
use volvelle_control::Control;
use volvelle_diagnostics::codes;

/// A model that was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// The format of its file.
    pub format: Format,
    /// Oddities of the file that do not prevent reading it.
    pub warnings: Vec<Finding>,
}

/// Reads a model and checks it. The format is the one that the ending of the name tells, or else the content.
///
/// Sizes stay within the limits of `control`; texts are parsed on its threads.
pub fn read(
    input: Input<'_>,
    companions: &Companions<'_>,
    options: &ReadOptions,
    control: &Control<'_>,
) -> Result<Loaded, Finding> {
    let allowance = Allowance::new(control);
    let format = match Format::of_name(input.name) {
        Some(format) => format,
        None => format_of_content(input, &allowance)?,
    };
    let (mut model, mut warnings) = match format {
        Format::Umb => umb::read(input, &allowance)?,
        _ => read_text(format, input, companions, options, &allowance)?,
    };
    let nearly = validate(&model, input.name, &allowance)?;
    warnings.extend(scale(&mut model, &nearly, input.name));
    Ok(Loaded { model, format, warnings })
}

/// First bytes that are looked at to tell a format.
const HEAD: u64 = 1 << 12;

fn format_of_content(input: Input<'_>, allowance: &Allowance<'_>) -> Result<Format, Finding> {
    let mut head = Vec::new();
    let read = Decompressor::new(input.bytes, allowance).take(HEAD).read_to_end(&mut head);
    if let Err(error) = read
        && error.kind() != ErrorKind::UnexpectedEof
    {
        return Err(damaged(input.name, &error));
    }
    Format::of_content(unmarked(&head)).ok_or_else(|| {
        let endings: Vec<String> =
            Format::ALL.iter().map(|format| format!("`.{}`", format.extension())).collect();
        Finding::error(codes::EXPLICIT_FORMAT, format!("the format of `{}` is unknown", input.name))
            .at(Place::File(input.name.to_owned()))
            .help(format!("give the file the extension of its format: {}", endings.join(", ")))
    })
}

fn read_text(
    format: Format,
    input: Input<'_>,
    companions: &Companions<'_>,
    options: &ReadOptions,
    allowance: &Allowance<'_>,
) -> Result<(Model, Vec<Finding>), Finding> {
    let bytes = text_of(input, allowance)?;
    let plain = Input { name: input.name, bytes: unmarked(&bytes) };
    let result = match format {
        Format::Umb => unreachable!("UMB is not a text"),
        Format::Drn => drn::read(plain, options, allowance),
        Format::Aut => aut::read(plain, options, allowance),
        Format::PrismCombined => prism::read_combined(plain, options, allowance),
        Format::PrismTransitions => {
            let one = |input: &Option<Input<'_>>| input.map(|input| named_text(input, allowance)).transpose();
            let all = |inputs: &[Input<'_>]| -> Result<Vec<_>, Finding> {
                inputs.iter().map(|input| named_text(*input, allowance)).collect()
            };
            let (labels, states) = (one(&companions.labels)?, one(&companions.states)?);
            let observations = one(&companions.observations)?;
            let state_rewards = all(&companions.state_rewards)?;
            let transition_rewards = all(&companions.transition_rewards)?;
            let decompressed = Companions {
                labels: labels.as_ref().map(borrowed),
                states: states.as_ref().map(borrowed),
                observations: observations.as_ref().map(borrowed),
                state_rewards: state_rewards.iter().map(borrowed).collect(),
                transition_rewards: transition_rewards.iter().map(borrowed).collect(),
            };
            prism::read(plain, &decompressed, options, allowance)
        }
    };
    if let Cow::Owned(bytes) = &bytes {
        allowance.give_back(bytes.len() as u64);
    }
    result
}

fn borrowed<'a>((name, bytes): &'a (String, Vec<u8>)) -> Input<'a> {
    Input { name, bytes: unmarked(bytes) }
}

/// A text without the mark of the byte order that some editors put in front.
fn unmarked(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

fn named_text(input: Input<'_>, allowance: &Allowance<'_>) -> Result<(String, Vec<u8>), Finding> {
    Ok((input.name.to_owned(), text_of(input, allowance)?.into_owned()))
}

/// The text of a file: decompressed, and out of an archive of one member, as Storm writes compressed files.
fn text_of<'a>(input: Input<'a>, allowance: &Allowance<'_>) -> Result<Cow<'a, [u8]>, Finding> {
    let bytes = decompress::whole(input.name, input.bytes, allowance)?;
    if Compression::of_content(input.bytes) == Compression::None
        || Format::of_content(&bytes) != Some(Format::Umb)
    {
        return Ok(bytes);
    }
    let mut archive = Archive::new(input.name, &bytes, allowance);
    let text = match archive.next()? {
        Some(_) => archive.rest()?,
        None => Vec::new(),
    };
    if archive.next()?.is_some() {
        return Err(Finding::error(codes::EXPLICIT_ARCHIVE, "the archive has more than one member")
            .at(Place::File(input.name.to_owned()))
            .help("unpack it and read the intended file"));
    }
    allowance.give_back(bytes.len() as u64);
    Ok(Cow::Owned(text))
}
