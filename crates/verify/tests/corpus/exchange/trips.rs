//! A model written in a format, as files that are read again.

use super::Files;
use volvelle_control::Control;
use volvelle_explicit::prism::{Section, write_section};
use volvelle_explicit::{Compression, Finding, Format, Model, WriteError, WriteOptions, write};
use volvelle_verify::Part;

/// What was written.
pub struct Trip {
    pub files: Files,
    /// What the format cannot hold.
    lost: Vec<String>,
    /// Names of labels and rewards that are still there.
    names: Vec<String>,
}

impl Trip {
    /// Whether everything that a property names came through.
    pub fn carries(&self, property: &str) -> bool {
        let mut names = property.split('"').skip(1).step_by(2).filter(|name| *name != "init");
        names.all(|name| {
            let is_lost = |message: &String| message.contains(name);
            self.names.iter().any(|known| known == name) && !self.lost.iter().any(is_lost)
        })
    }
}

/// A model in a format; `None` where the format has no such models.
pub fn written(model: &Model, format: Format) -> Result<Option<Trip>, String> {
    let control = Control::unlimited();
    let options = WriteOptions::default();
    let mut lost: Vec<Finding> = Vec::new();
    let mut bytes = Vec::new();
    match write(model, format, Compression::None, &options, &mut bytes, &control) {
        Ok(findings) => lost.extend(findings),
        Err(WriteError::Refused(_)) => return Ok(None),
        Err(error) => return Err(format!("{error:?}")),
    }
    let mut parts = Vec::new();
    if format == Format::PrismTransitions {
        let mut part = |part: Part, number: usize, section: Section<'_>| {
            let mut bytes = Vec::new();
            match write_section(model, section, &options, &mut bytes, &control) {
                Ok(findings) => lost.extend(findings),
                // Without this part: properties that need it are not carried.
                Err(WriteError::Refused(_)) => return Ok(()),
                Err(error) => return Err(format!("{}: {error:?}", part.ending())),
            }
            parts.push((part, format!("again{number}.{}", part.ending()), bytes));
            Ok(())
        };
        part(Part::Labels, 0, Section::Labels)?;
        if !model.valuations.is_empty() {
            part(Part::States, 0, Section::States)?;
        }
        for (i, reward) in model.rewards.iter().enumerate() {
            if reward.states.is_some() {
                part(Part::StateRewards, i, Section::StateRewards(reward))?;
            }
            if reward.choices.is_some() || reward.branches.is_some() {
                part(Part::TransitionRewards, i, Section::TransitionRewards(reward))?;
            }
        }
    }
    let files = Files { main: (format!("again.{}", format.extension()), bytes), parts };
    let mut session = files.session(model.is_exact());
    if session.model.explicit().is_none() {
        let why = session.model.outline().1.first().map_or("no reason".to_owned(), |d| d.message.clone());
        return Err(format!("what was written is refused: {why}"));
    }
    let Some(again) = session.model.explicit() else { return Ok(None) };
    let names = again.labels.iter().map(|label| label.name.clone());
    let names = names.chain(again.rewards.iter().map(|reward| reward.name.clone())).collect();
    Ok(Some(Trip { files, lost: lost.into_iter().map(|finding| finding.message).collect(), names }))
}
