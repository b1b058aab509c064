//! Files in TOML that commands read besides models: how they are told from others, and what is wrong with them.
//!
//! Each is told by its keys and tables, as `volvelle FILE` does; TOML of other programs has nothing to do with this one.

use crate::reader::Reader;
use crate::settings;
use volvelle_declarations::form::Form;
use volvelle_diagnostics::{Diagnostic, FileId};
use volvelle_multicore::{Machine, Protocol, Protocols};
use volvelle_symbols::{Declared, Indexed};

/// A kind of file.
pub struct Room {
    /// Its names.
    pub names: Declared,
    /// What is wrong with a text.
    pub read: fn(FileId, &str, &Reader) -> Vec<Diagnostic>,
}

const fn room(form: &'static Form, read: fn(FileId, &str, &Reader) -> Vec<Diagnostic>) -> Room {
    Room { names: Declared { form }, read }
}

/// All of them. Of several that a text may be the first counts.
pub static ROOMS: &[Room] = &[
    room(&settings::SETTINGS, |file, text, _| settings::diagnosed(file, text)),
    room(&volvelle_pipelines::PIPELINE, |file, text, _| volvelle_pipelines::read(file, text).1),
    room(&volvelle_nbody::configuration::CONFIGURATION, |file, text, _| {
        volvelle_nbody::configuration::Configuration::read(file, text).err().unwrap_or_default()
    }),
    room(&volvelle_opencl::platform::PLATFORM, |file, text, _| volvelle_opencl::Platform::read(file, text).1),
    room(&volvelle_multicore::STUDY, |file, text, _| {
        volvelle_multicore::Study::read(file, text).err().unwrap_or_default()
    }),
    room(&volvelle_coherence::PROTOCOL, |file, text, _| volvelle_coherence::read(file, text).1),
    room(&volvelle_multicore::PREDICTOR, |file, text, _| {
        volvelle_multicore::read_predictor(file, text).err().unwrap_or_default()
    }),
    room(&volvelle_multicore::MACHINE, |file, text, reader| {
        Machine::read(file, text, &mut Beside(reader)).err().unwrap_or_default()
    }),
];

/// The room with this name.
pub fn named(name: &str) -> Option<&'static dyn Indexed> {
    let room = ROOMS.iter().find(|room| room.names.form.name == name)?;
    Some(&room.names)
}

/// What a file in TOML is.
pub enum Kind {
    /// A study of message passing, which is a model.
    Study,
    /// A declaration.
    Declared(&'static Room),
}

/// Whether the name of a file is one of TOML.
pub fn is_toml(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("toml"))
}

/// What a file is; `None` where it is no TOML, or TOML of another program.
pub fn kind(name: &str, text: &str) -> Option<Kind> {
    if name == settings::FILE {
        return Some(Kind::Declared(&ROOMS[0]));
    }
    if !is_toml(name) {
        return None;
    }
    let found = ROOMS[1..].iter().find(|room| room.names.form.is_of(text)).map(Kind::Declared);
    let study = || volvelle_mpi::study::STUDY.is_of(text).then_some(Kind::Study);
    study().or(found)
}

/// Protocols in files beside a machine.
struct Beside<'r>(&'r Reader);

impl Protocols for Beside<'_> {
    fn own(&mut self, name: &str) -> Option<Result<Protocol, Vec<Diagnostic>>> {
        let text = self.0.text(name).filter(|_| name.ends_with(".toml"))?;
        // What is wrong with it is told where it is open.
        let (protocol, found) = volvelle_coherence::read(FileId(u32::MAX), &text);
        let without_places = |mut diagnostic: Diagnostic| {
            diagnostic.primary = None;
            diagnostic.secondary.clear();
            diagnostic
        };
        Some(protocol.ok_or_else(|| found.into_iter().map(without_places).collect()))
    }
}

#[cfg(test)]
mod tests;
