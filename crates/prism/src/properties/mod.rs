//! Properties: the syntax trees of property files become [`volvelle_logic::Property`] values over
//! observations of the program.
//!
//! Files are added one after another; a later one sees the constants, formulas, labels and properties of
//! earlier ones, so that the text behind `--prop` can use those of the property file. Every property is lowered
//! on its own: what is wrong with one costs no other, and only the observations of properties that were asked
//! for burden the program.
//!
//! After the manual (*Property Specification*) and PRISM 4.8 (`SemanticCheck`, `TypeCheck`): bounds and
//! thresholds are constants, steps are integers, a probability lies in `[0,1]`, `=?` on an mdp needs `min` or
//! `max`, a threshold without them is meant for all schedulers. What `volvelle-logic` cannot express is refused by
//! name.

mod automata;
mod coalitions;
mod constants;
mod costs;
mod filters;
mod formula;
mod objectives;
mod operators;
mod translate;
mod typed_formula;

use crate::ast::{Name, PropertyFile};
use crate::lower::{
    Constants, Context, Entity, Lowered, Lowering, Named, Tree, built_in, built_in_label, declared_twice,
    parse_any,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use translate::Translator;
use volvelle_diagnostics::{Diagnostic, Severity, Sources, Span, codes};
use volvelle_logic::{Constant, Property};

/// A property file that was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileNumber(u32);

/// Lowers all properties of a file: adds the file, then gives one result per property. The second part are
/// diagnostics about its declarations.
pub fn lower_properties(
    lowered: &mut Lowered,
    sources: &Sources,
    file: Arc<PropertyFile>,
    constants: &Constants,
) -> (Vec<Result<Property, Vec<Diagnostic>>>, Vec<Diagnostic>) {
    let count = file.properties.len();
    let (number, diagnostics) = lowered.add_properties(file, constants);
    let properties = (0..count).map(|i| lowered.property(sources, number, i)).collect();
    (properties, diagnostics)
}

impl Lowered {
    /// Adds a property file; later files see its names. `constants` are the values for its open constants,
    /// and for names that only its properties mention. The diagnostics are about its declarations; its
    /// properties can be requested nevertheless.
    pub fn add_properties(
        &mut self,
        file: Arc<PropertyFile>,
        constants: &Constants,
    ) -> (FileNumber, Vec<Diagnostic>) {
        let lowering = &mut self.inner;
        let number = lowering.files.len() as u32;
        lowering.values = constants.clone();
        lowering.declare_file(number, &file);
        lowering.add_file(file);
        let diagnostics = lowering.diagnostics.take();
        (FileNumber(number), diagnostics)
    }

    /// Forgets all property files, so that they can be added again with other values for the constants that only
    /// properties mention. The program keeps its observations: equal ones will be shared.
    pub fn forget_properties(&mut self) {
        let lowering = &mut self.inner;
        lowering.first_file = lowering.files.len() as u32;
        lowering.names.keep_model();
        lowering.ambiguous.clear();
    }

    /// Lowers a property of a file, by its position. Its state formulas become observations of the program;
    /// equal ones are shared.
    ///
    /// # Errors
    /// The mistakes in the property and in the definitions that it refers to.
    ///
    /// # Panics
    /// Where the file has no such property.
    pub fn property(
        &mut self,
        sources: &Sources,
        file: FileNumber,
        index: usize,
    ) -> Result<Property, Vec<Diagnostic>> {
        let lowering = &mut self.inner;
        lowering.forget_failures();
        let observations = (lowering.program.labels.len(), lowering.program.numbers.len());
        let property = Translator::new(lowering, sources, file.0).property(index);
        let mut diagnostics = lowering.diagnostics.take();
        let failed = diagnostics.iter().any(|d| d.severity == Severity::Error);
        match property {
            Some(property) if !failed => {
                lowering.warnings.extend(diagnostics);
                Ok(property)
            }
            property => {
                if property.is_none() && !failed {
                    // Circles are reported where they are declared, once for all.
                    let file = &lowering.files[file.0 as usize];
                    let message = "the property uses a name whose definition is cyclic";
                    let place = file.properties[index].span;
                    diagnostics.push(Diagnostic::error(codes::CYCLIC_DEFINITION, message).at(place, ""));
                }
                lowering.numbers.forget_labels(&lowering.program, observations.0);
                lowering.program.labels.truncate(observations.0);
                lowering.program.numbers.truncate(observations.1);
                Err(diagnostics)
            }
        }
    }
}

impl Lowered {
    /// Warnings about the properties that were lowered since the last call.
    pub fn take_warnings(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.inner.warnings)
    }
}

impl Lowering {
    /// Enters the names that a file declares.
    fn declare_file(&mut self, number: u32, file: &PropertyFile) {
        let tree = Tree::File(number);
        let context = self.contexts.push(Context { tree, renames: None });
        self.file_contexts.push(context);
        let constants = file.constants.iter().enumerate();
        let constants = constants.map(|(i, c)| (&c.name, Entity::Constant(tree, i as u32)));
        let formulas = file.formulas.iter().enumerate();
        let formulas = formulas.map(|(i, f)| (&f.name, Entity::Formula(tree, i as u32)));
        for (name, entity) in constants.chain(formulas) {
            let named = Named { entity, span: Some(name.span), in_model: false };
            if let Some(diagnostic) = self.names.add(&name.text, named) {
                self.ambiguous.insert(name.text.clone());
                self.report(diagnostic);
            }
        }
        self.quoted_names(file);
        let given: Vec<Constant> = self.values.iter().cloned().collect();
        for Constant { name, value: text } in given {
            let known = self.names.get(tree, &name).map(|named| named.entity);
            if matches!(known, None | Some(Entity::Given(_)))
                && let Some(value) = parse_any(text.text())
            {
                let entity = Entity::Given(self.given.len() as u32);
                self.given.push(value);
                let named = Named { entity, span: None, in_model: false };
                if let Some(diagnostic) = self.names.add(&name, named) {
                    self.report(diagnostic);
                }
            }
        }
        let mut cycles = std::mem::take(&mut self.cycles);
        let diagnostics = cycles.of_file(tree, file, &self.names);
        self.cycles = cycles;
        diagnostics.into_iter().for_each(|d| self.report(d));
    }

    /// Labels and properties share the name space of quoted names.
    fn quoted_names(&mut self, file: &PropertyFile) {
        let mut known: FxHashMap<&str, Span> = FxHashMap::default();
        for label in &self.model.labels {
            known.insert(&label.name.text, label.name.span);
        }
        for earlier in &self.files[self.first_file as usize..] {
            known.extend(quoted(earlier).map(|name| (name.text.as_str(), name.span)));
        }
        let (mut diagnostics, mut ambiguous) = (Vec::new(), Vec::new());
        for name in quoted(file) {
            if built_in(&name.text) {
                diagnostics.push(built_in_label(name));
            } else if let Some(first) = known.insert(&name.text, name.span) {
                diagnostics.push(declared_twice(&name.text, Some(first), Some(name.span)));
                ambiguous.push(format!("\"{}\"", name.text));
            }
        }
        self.ambiguous.extend(ambiguous);
        diagnostics.into_iter().for_each(|d| self.report(d));
    }
}

/// The quoted names that a file declares: labels, then properties.
fn quoted(file: &PropertyFile) -> impl Iterator<Item = &Name> {
    let labels = file.labels.iter().map(|label| &label.name);
    labels.chain(file.properties.iter().filter_map(|property| property.name.as_ref()))
}
