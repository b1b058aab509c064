//! Studies of programs on machines with coherent caches as a [`Document`](super::Document): the labelled transition system of all
//! interleavings of accesses, latencies and ends of accesses, in one configuration.

use super::{Analysis, Document, FrontEnd, Input, Listed, Offers};
use crate::outline::{Outline, Process};
use crate::study::Loaded;
use crate::study::place_of;
use crate::text::decode;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, Span, codes};
use volvelle_kernel::Site;
use volvelle_logic::{Constant, Property};
use volvelle_model::{Origin, Program};
use volvelle_mpi::lower::{Location, Lowered, View, lower};
use volvelle_mpi::system::ProcessId;

/// The front end of studies.
pub struct Mpi;

impl FrontEnd for Mpi {
    fn name(&self) -> &'static str {
        "mpi"
    }

    fn title(&self) -> &'static str {
        "Study of a program on a machine with coherent caches"
    }

    fn offers(&self) -> &'static [Offers] {
        &[Offers::BEHAVIOURS]
    }

    fn endings(&self) -> &'static [&'static str] {
        &["toml"]
    }

    /// Studies share their ending with pipelines, platforms, bodies, and files of other tools. An empty file is told so by its reader.
    fn may_be(&self, bytes: &[u8]) -> bool {
        let begins = |line: &str, key: &str| {
            line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        let is_of_study = |line: &str| ["program", "protocol"].iter().any(|key| begins(line, key));
        bytes.is_empty() || String::from_utf8_lossy(bytes).lines().any(is_of_study)
    }

    fn read(
        &self,
        input: Input<'_>,
        sources: &mut Sources,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Box<dyn Document>> {
        let text = decode(&input.name, input.bytes).map_err(|error| diagnostics.push(error)).ok()?;
        let name = text.name.clone();
        let mut found = Vec::new();
        let loaded = Loaded::read(&name, text.text, &[], input.folder, sources, &mut found);
        diagnostics.extend(found);
        for file in input.properties {
            let file = sources.add(file.name, file.text);
            diagnostics.push(no_properties(&name).at(Span::new(file, 0, 0), ""));
        }
        Some(Box::new(Study { name, loaded, lowered: None, chosen: 0, texts: Vec::new() }))
    }
}

fn no_properties(name: &str) -> Diagnostic {
    let message = "properties with probabilities and numbers do not apply to a study";
    Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
        .help(format!("its numbers are computed by: volvelle mpi {name}"))
        .help(format!(
            "check a formula of the mu-calculus: volvelle check {name} --mcl '[true*] <true> true'"
        ))
}

/// A study.
struct Study {
    /// Name of its file.
    name: String,
    loaded: Option<Loaded>,
    lowered: Option<Lowered>,
    /// The configuration.
    chosen: usize,
    /// By process and location, what stands there.
    texts: Vec<Vec<String>>,
}

impl Document for Study {
    fn outline(&self, _: &Sources) -> Option<Outline> {
        let ready = self.loaded.as_ref()?.configurations.get(self.chosen)?;
        let processes = ready.system.processes.iter().map(|process| Process {
            name: process.name.clone(),
            active: 1,
            parameters: Vec::new(),
            locations: process.nodes.len(),
        });
        let variables = ready.system.variables.iter().map(|variable| crate::outline::Variable {
            name: variable.name.clone(),
            component: None,
            range: format!("{}..{}", variable.lo, variable.hi),
            initial: None,
        });
        Some(Outline {
            kind: "LTS".to_owned(),
            variables: variables.collect(),
            processes: processes.collect(),
            actions: ready.system.marks.clone(),
            ..Outline::default()
        })
    }

    fn lower(&mut self, sources: &Sources, constants: &[Constant]) -> Vec<Diagnostic> {
        let Some(loaded) = &self.loaded else { return Vec::new() };
        let fits = |values: &[(String, String)]| {
            constants.iter().all(|constant| {
                values
                    .iter()
                    .any(|(name, value)| *name == constant.name && *value == constant.value.to_string())
            })
        };
        let found = loaded.configurations.iter().position(|ready| fits(&ready.values));
        let Some(chosen) = found else {
            let message = "the study has no configuration with these values of its parameters";
            return vec![
                Diagnostic::error(codes::MPI_PARAMETER, message)
                    .help("enter the values into the lists of the parameters in the study")
                    .help("or write the system of other values first: volvelle mpi STUDY --const NAME=VALUE --print-model aut"),
            ];
        };
        let ready = &loaded.configurations[chosen];
        let lowered = lower(&ready.system, &ready.machine, View::Interleaved);
        let text = |process: usize, location: Location| {
            let of = &ready.system.processes[process];
            let at = |node, what: &str| {
                let ((_, line), _) = place_of(&ready.system, ProcessId(process as u32), node, sources);
                format!("{} {what}line {line}", of.name)
            };
            match location {
                Location::Ready(node) => at(node, "at "),
                Location::Waiting(node) | Location::WaitingAgain(node) => at(node, "waits at "),
                Location::Updating(node) => at(node, "updates at "),
                Location::Done(node) => at(node, "ends "),
                Location::Failed(_) => format!("{} made a mistake", of.name),
                Location::Stopped => format!("{} has stopped", of.name),
            }
        };
        let texts = lowered.locations.iter().enumerate();
        let texts = texts.map(|(process, all)| all.iter().map(|&location| text(process, location)).collect());
        self.texts = texts.collect();
        self.lowered = Some(lowered);
        self.chosen = chosen;
        Vec::new()
    }

    fn set_constants(&mut self, _: &[Constant]) -> Vec<Diagnostic> {
        Vec::new()
    }

    fn program(&self) -> Option<&Program> {
        self.lowered.as_ref().map(|lowered| &lowered.program)
    }

    fn constants(&self) -> Vec<Constant> {
        Vec::new()
    }

    fn listed(&self) -> &[Listed] {
        &[]
    }

    fn property(&mut self, _: &Sources, _: usize) -> Result<Property, Vec<Diagnostic>> {
        Err(vec![no_properties(&self.name)])
    }

    fn text(&mut self, _: &Sources, file: FileId) -> Result<Property, Vec<Diagnostic>> {
        Err(vec![no_properties(&self.name).at(Span::new(file, 0, 0), "")])
    }

    fn unused_constants(&self) -> Vec<Diagnostic> {
        Vec::new()
    }

    fn explain_failure(&self, _: &Sources, _: Site, _: &[i64]) -> Diagnostic {
        Diagnostic::error(codes::MPI_VALUE, "a value leaves its range")
    }

    fn explain_no_initial_state(&self) -> Diagnostic {
        Diagnostic::error(codes::NO_INITIAL_STATE, "the study has no initial state")
    }

    fn place(&self, origin: Origin) -> Option<Span> {
        self.lowered.as_ref().and_then(|lowered| lowered.spans.get(origin.0 as usize).copied())
    }

    fn state_text(&self, values: &[i64]) -> String {
        let Some(lowered) = &self.lowered else { return String::new() };
        let fields = lowered.location_fields.iter().zip(&self.texts);
        let texts = fields.filter_map(|(field, texts)| texts.get(values[field.index()] as usize).cloned());
        texts.collect::<Vec<_>>().join("; ")
    }

    fn has_constants(&self) -> bool {
        self.loaded.as_ref().is_some_and(|loaded| !loaded.outline.parameters.is_empty())
    }

    fn offers(&self) -> Offers {
        Offers::BEHAVIOURS
    }

    fn refusal(&self, analysis: Analysis) -> Diagnostic {
        super::refused(&self.name, "is a study of a program on a machine with caches", analysis)
            .help(format!("analyse it: volvelle mpi {}", self.name))
    }
}
