//! The files of a study, and its configurations.

use crate::folder::Folder;
use rustc_hash::FxHashMap;
use volvelle_coherence::Protocol;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, codes, has_errors};
use volvelle_mpi::machine::Machine;
use volvelle_mpi::study::{self, Configuration, Outline, Settings};
use volvelle_mpi::syntax::Tree;
use volvelle_mpi::system::System;

/// A configuration, ready to be lowered.
pub struct Ready {
    /// Values of parameters.
    pub values: Configuration,
    /// The program.
    pub system: System,
    /// The machine.
    pub machine: Machine,
    /// The rest.
    pub settings: Settings,
    /// The name of the protocol.
    pub protocol: String,
}

/// A study with all configurations.
pub struct Loaded {
    /// Its file.
    pub name: String,
    /// What it says of all of them.
    pub outline: Outline,
    /// The configurations.
    pub configurations: Vec<Ready>,
}

/// Texts that were read.
struct Files<'a> {
    folder: &'a mut dyn Folder,
    programs: FxHashMap<String, Option<Tree>>,
    protocols: FxHashMap<String, Option<Protocol>>,
}

impl Loaded {
    /// Reads everything; without errors there are configurations. `parameters`: values in place of those of the study.
    pub fn read(
        name: &str,
        text: String,
        parameters: &[(String, Vec<String>)],
        folder: &mut dyn Folder,
        sources: &mut Sources,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let file = sources.add(name.to_owned(), text.clone());
        let (outline, found) = Outline::read(file, &text);
        diagnostics.extend(found);
        let outline = outline?;
        let all = study::configurations(&outline, parameters);
        let all = all.map_err(|errors| diagnostics.extend(errors)).ok()?;
        let mut files = Files { folder, programs: FxHashMap::default(), protocols: FxHashMap::default() };
        let mut configurations = Vec::with_capacity(all.len());
        let mut used = vec![false; outline.parameters.len()];
        for values in all {
            let ready = files.ready((file, &text), &outline, values, &mut used, sources, diagnostics);
            // What is wrong with one configuration is mostly wrong with all.
            let ready = ready.filter(|_| !has_errors(diagnostics))?;
            configurations.push(ready);
        }
        for (parameter, _) in outline.parameters.iter().zip(used).filter(|(_, used)| !used) {
            let message = format!("the parameter `{}` is not used", parameter.name);
            diagnostics.push(Diagnostic::warning(codes::MPI_PARAMETER, message).at(parameter.span, "").note(
                "neither does a text have it in braces, nor has the program a constant with that name",
            ));
        }
        Some(Loaded { name: name.to_owned(), outline, configurations })
    }
}

impl Files<'_> {
    fn ready(
        &mut self,
        (file, text): (FileId, &str),
        outline: &Outline,
        values: Configuration,
        used: &mut [bool],
        sources: &mut Sources,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Ready> {
        for (parameter, used) in outline.parameters.iter().zip(used.iter_mut()) {
            *used |= text.contains(&format!("{{{}}}", parameter.name));
        }
        let program = outline.program_in(text, &values).map_err(|errors| diagnostics.extend(errors)).ok()?;
        let protocol =
            outline.protocol_in(text, &values).map_err(|errors| diagnostics.extend(errors)).ok()?;
        let tree = self.program(&program, outline, sources, diagnostics);
        let protocol = self.protocol(&protocol, outline, sources, diagnostics);
        let (settings, found) = Settings::read(file, text, &values);
        add(diagnostics, found);
        let (tree, protocol, settings) = (tree?, protocol?, settings?);
        let mut constants = Vec::new();
        for (place, (name, value)) in values.iter().enumerate() {
            if tree.constants().iter().any(|(known, _)| known == name) {
                used[place] = true;
                match value.parse::<i64>() {
                    Ok(value) => constants.push((name.clone(), value)),
                    Err(_) => {
                        let message = format!("`{value}` is no value of the constant `{name}`");
                        let error = Diagnostic::error(codes::MPI_PARAMETER, message);
                        let span = outline.parameters.iter().find(|p| p.name == *name).map(|p| p.span);
                        let error = match span {
                            Some(span) => error.at(span, ""),
                            None => error,
                        };
                        add(diagnostics, vec![error.help("constants of programs are integers")]);
                    }
                }
            }
        }
        let (system, found) = volvelle_mpi::resolve::resolve(&tree, &constants);
        add(diagnostics, found);
        let mut system = system?;
        let (machine, found) = study::machine(&settings, &mut system, &protocol);
        add(diagnostics, found);
        let protocol = protocol.name.clone();
        Some(Ready { values, system, machine: machine?, settings, protocol })
    }

    fn program(
        &mut self,
        name: &str,
        outline: &Outline,
        sources: &mut Sources,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Tree> {
        if let Some(known) = self.programs.get(name) {
            return known.clone();
        }
        let tree = match self.folder.read(name) {
            None => {
                let message = format!("the program `{name}` cannot be read");
                let error = Diagnostic::error(codes::FILE_NOT_READ, message).at(outline.program.1, "");
                diagnostics.push(error.help("its path is that from the folder of the study"));
                None
            }
            Some(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let file = sources.add(name.to_owned(), text.clone());
                let (tree, found) = volvelle_mpi::parse::program(file, &text);
                let broken = has_errors(&found);
                diagnostics.extend(found);
                (!broken).then_some(tree)
            }
        };
        self.programs.insert(name.to_owned(), tree.clone());
        tree
    }

    fn protocol(
        &mut self,
        name: &str,
        outline: &Outline,
        sources: &mut Sources,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Protocol> {
        if let Some(known) = self.protocols.get(name) {
            return known.clone();
        }
        let is_file = name.ends_with(".toml");
        let text = match (is_file, volvelle_coherence::shipped(name)) {
            (false, Some(text)) => Some((format!("{name} (shipped)"), text.to_owned())),
            (false, None) => {
                let names: Vec<&str> = volvelle_coherence::SHIPPED.iter().map(|(name, _)| *name).collect();
                let error =
                    Diagnostic::error(codes::UNKNOWN_PROTOCOL, format!("there is no protocol `{name}`"));
                let error = error.at(outline.protocol.1, "");
                let all = || format!("shipped are `{}`", names.join("`, `"));
                let error = error.misspelt_or(name, &names, all);
                diagnostics.push(error.help("or name a file with a table: `protocol = \"mine.toml\"`"));
                None
            }
            (true, _) => match self.folder.read(name) {
                Some(bytes) => Some((name.to_owned(), String::from_utf8_lossy(&bytes).into_owned())),
                None => {
                    let message = format!("the protocol `{name}` cannot be read");
                    let error = Diagnostic::error(codes::FILE_NOT_READ, message).at(outline.protocol.1, "");
                    diagnostics.push(error.help("its path is that from the folder of the study"));
                    None
                }
            },
        };
        let protocol = text.and_then(|(name, text)| {
            let file = sources.add(name, text.clone());
            let (protocol, found) = volvelle_coherence::read(file, &text);
            diagnostics.extend(found);
            protocol
        });
        self.protocols.insert(name.to_owned(), protocol.clone());
        protocol
    }
}

/// Adds diagnostics that are not there yet: configurations have most of them in common.
fn add(diagnostics: &mut Vec<Diagnostic>, found: Vec<Diagnostic>) {
    for diagnostic in found {
        if !diagnostics.contains(&diagnostic) {
            diagnostics.push(diagnostic);
        }
    }
}
