//! LOTOS as a [`Document`](super::Document): a labelled transition system that exploration makes.

use super::{Analysis, Document, FrontEnd, Input, Listed, Offers};
use crate::outline::{Outline, Process};
use crate::text::decode;
use volvelle_diagnostics::{Diagnostic, FileId, Severity, Sources, Span, codes};
use volvelle_kernel::Site;
use volvelle_logic::{Constant, Literal, Property};
use volvelle_lotos::data::Ranges;
use volvelle_lotos::lower::{Lowered, lower_with};
use volvelle_lotos::{library, parse, syntax};
use volvelle_model::{Origin, Program, Terms};

/// The front end of LOTOS.
pub struct Lotos;

impl FrontEnd for Lotos {
    fn name(&self) -> &'static str {
        "lotos"
    }

    fn title(&self) -> &'static str {
        "LOTOS (ISO 8807)"
    }

    fn offers(&self) -> &'static [Offers] {
        &[Offers::BEHAVIOURS]
    }

    fn endings(&self) -> &'static [&'static str] {
        &["lotos", "lot"]
    }

    fn first_words(&self) -> &'static [&'static str] {
        &["specification", "SPECIFICATION", "Specification"]
    }

    fn read(
        &self,
        input: Input<'_>,
        sources: &mut Sources,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Box<dyn Document>> {
        let text = decode(&input.name, input.bytes).map_err(|error| diagnostics.push(error)).ok()?;
        let name = text.name.clone();
        let file = sources.add(text.name, text.text.clone());
        let (mut tree, mut found) = parse::specification(file, &text.text);
        found.extend(library::add_with(&mut tree, sources, &mut |name| {
            input.folder.read(name).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        }));
        let is_broken = found.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        diagnostics.extend(found);
        for file in input.properties {
            let file = sources.add(file.name, file.text);
            diagnostics.push(no_properties(&name).at(Span::new(file, 0, 0), ""));
        }
        Some(Box::new(Specification { name, tree, is_broken, lowered: None, given: Vec::new() }))
    }
}

fn no_properties(name: &str) -> Diagnostic {
    let message = "properties with probabilities and numbers do not apply to a LOTOS specification";
    Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
        .note("its meaning is a labelled transition system: labels, and no numbers")
        .help(format!("export the system: volvelle explore {name} --export model.aut"))
}

/// A specification.
struct Specification {
    /// Name of its file.
    name: String,
    tree: syntax::Tree,
    /// The parser found errors: the rest would be another specification.
    is_broken: bool,
    lowered: Option<Lowered>,
    given: Vec<Constant>,
}

/// Names that give the largest numbers.
const NAT: &str = "NAT";
const INT: &str = "INT";

impl Specification {
    /// Names of the value parameters.
    fn parameters(&self) -> Vec<String> {
        let specification = self.tree.processes.first();
        let parameters = specification.map_or(&[][..], |specification| &specification.parameters);
        parameters.iter().map(|parameter| parameter.name.text.clone()).collect()
    }
}

impl Document for Specification {
    fn outline(&self, _: &Sources) -> Option<Outline> {
        let specification = self.tree.processes.first()?;
        let lowered = self.lowered.as_ref();
        let sizes = lowered.map_or(&[][..], Lowered::processes);
        let processes = self.tree.processes.iter().enumerate().map(|(number, process)| {
            let (active, locations) = sizes.get(number).copied().unwrap_or_default();
            let parameters = process.parameters.iter().map(|parameter| parameter.name.text.clone()).collect();
            Process { name: process.name.text.clone(), active, parameters, locations }
        });
        Some(Outline {
            kind: "LTS".to_owned(),
            variables: lowered.map_or(Vec::new(), |lowered| {
                let names = lowered.variables().into_iter();
                names
                    .map(|(name, component, range)| crate::outline::Variable {
                        name,
                        component: Some(component),
                        range,
                        initial: None,
                    })
                    .collect()
            }),
            // The specification itself, where it only composes processes, is none of them.
            processes: processes.filter(|process| process.locations > 0 || sizes.is_empty()).collect(),
            actions: specification.gates.iter().map(|gate| gate.text.clone()).collect(),
            ..Outline::default()
        })
    }

    fn lower(&mut self, sources: &Sources, constants: &[Constant]) -> Vec<Diagnostic> {
        self.given = constants.to_vec();
        if self.is_broken {
            return Vec::new();
        }
        let number = |name: &str| {
            let named = |constant: &&Constant| constant.name.eq_ignore_ascii_case(name);
            match constants.iter().find(named)?.value.literal() {
                Literal::Int(number) => Some(number),
                Literal::Bool(value) => Some(i64::from(value)),
                _ => None,
            }
        };
        let in_range = |name: &str, default: i64| {
            number(name).filter(|&number| (1..=i64::from(i32::MAX)).contains(&number)).unwrap_or(default)
        };
        let ranges =
            Ranges { nat: in_range(NAT, Ranges::default().nat), int: in_range(INT, Ranges::default().int) };
        let names = self.parameters();
        let parameters: Vec<(String, i64)> =
            names.iter().filter_map(|name| Some((name.clone(), number(name)?))).collect();
        let (lowered, diagnostics) = lower_with(sources, &self.tree, ranges, &parameters);
        self.lowered = lowered;
        diagnostics
    }

    fn set_constants(&mut self, constants: &[Constant]) -> Vec<Diagnostic> {
        self.given = constants.to_vec();
        Vec::new()
    }

    fn program(&self) -> Option<&Program> {
        self.lowered.as_ref().map(|lowered| &lowered.program)
    }

    fn terms(&self) -> Option<Box<dyn Terms>> {
        let lowered = self.lowered.as_ref()?;
        Some(Box::new(lowered.evaluator.clone()))
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
        let known = self.parameters();
        let is_known = |name: &str| [NAT, INT].contains(&name) || known.iter().any(|known| known == name);
        let unknown = self.given.iter().filter(|constant| !is_known(&constant.name.to_ascii_uppercase()));
        unknown
            .map(|Constant { name, .. }| {
                let message = format!("the specification has no value parameter `{name}`");
                Diagnostic::error(codes::UNKNOWN_CONSTANT_OPTION, message)
                    .help("--const NAT=N and --const INT=N give the largest numbers; others are parameters: specification S [A] (N : NAT)")
            })
            .collect()
    }

    fn explain_failure(&self, _: &Sources, site: Site, _: &[i64]) -> Diagnostic {
        match &self.lowered {
            Some(lowered) => lowered.explain_site(site),
            None => Diagnostic::error(codes::LOTOS_EVALUATION, "a value cannot be evaluated"),
        }
    }

    fn explain_no_initial_state(&self) -> Diagnostic {
        Diagnostic::error(codes::NO_INITIAL_STATE, "the specification has no initial state")
    }

    fn place(&self, origin: Origin) -> Option<Span> {
        self.lowered.as_ref()?.place(origin)
    }

    fn state_text(&self, values: &[i64]) -> String {
        self.lowered.as_ref().map_or(String::new(), |lowered| lowered.state_text(values))
    }

    fn has_constants(&self) -> bool {
        // The range of numbers is one of all models, and seldom meant where rates have names.
        !self.parameters().is_empty()
    }

    fn offers(&self) -> Offers {
        Offers::BEHAVIOURS
    }

    fn refusal(&self, analysis: Analysis) -> Diagnostic {
        let name = &self.name;
        super::refused(name, "is a LOTOS specification", analysis)
            .note("its meaning is a labelled transition system: labels, and no numbers")
            .help(format!("ask about its labels: volvelle check {name} --mcl '[true*] <true> true'"))
            .help(format!("generate it: volvelle explore {name} --export model.aut"))
    }
}
