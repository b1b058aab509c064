//! Properties in the PRISM language, over a model that the front end of the PRISM language or another one has lowered.

use super::{Listed, automata};
use crate::folder::NamedFiles;
use crate::outline::{self, Outline};
use std::rc::Rc;
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, Span, has_errors};
use volvelle_logic::{Constant, Property};
use volvelle_prism::ast::{ConstType, ExprKind, Model, PropertyFile};
use volvelle_prism::lower::{self, Constants, Lowered};
use volvelle_prism::parse;
use volvelle_prism::properties::FileNumber;

/// The properties that go with a model, with the constants that are in force.
pub(super) struct Properties {
    /// Those given as files, then the texts given since.
    files: Vec<Arc<PropertyFile>>,
    /// How many of `files` were given as files.
    given_files: usize,
    listed: Vec<Listed>,
    /// File and place in the file of each listed property.
    places: Vec<(usize, usize)>,
    /// Diagnostics of the parser about each listed property.
    diagnostics: Vec<Vec<Diagnostic>>,
    constants: Constants,
    /// The numbers of `files` in the lowered model.
    numbers: Vec<FileNumber>,
    /// The files that properties name.
    named: Rc<dyn NamedFiles>,
}

impl Properties {
    /// Parses files of properties. A property that cannot be read costs only itself.
    pub fn read(
        sources: &Sources,
        files: &[FileId],
        named: Rc<dyn NamedFiles>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut properties = Properties {
            files: Vec::new(),
            given_files: files.len(),
            listed: Vec::new(),
            places: Vec::new(),
            diagnostics: Vec::new(),
            constants: Constants::new(),
            numbers: Vec::new(),
            named,
        };
        for &file in files {
            let (mut tree, added) = parse::properties(sources, file);
            automata::load(&mut tree, &sources.file(file).name, &*properties.named);
            let first = properties.listed.len();
            for (i, property) in tree.properties.iter().enumerate() {
                properties.listed.push(Listed {
                    name: property.name.as_ref().map(|n| n.text.clone()),
                    text: one_line(sources.text(property.span)),
                    span: property.span,
                });
                properties.places.push((properties.files.len(), i));
                properties.diagnostics.push(Vec::new());
            }
            for diagnostic in added {
                let place = diagnostic.primary.as_ref().map(|label| label.span);
                let unread = tree.properties.iter().position(|p| {
                    let within = |at: Span| p.span.start <= at.start && at.start <= p.span.end;
                    tree.exprs.get(p.body).kind == ExprKind::Error && place.is_some_and(within)
                });
                match unread {
                    Some(i) => properties.diagnostics[first + i].push(diagnostic),
                    None => diagnostics.push(diagnostic),
                }
            }
            properties.files.push(Arc::new(tree));
        }
        properties
    }

    /// The constants in force.
    pub fn constants(&self) -> &Constants {
        &self.constants
    }

    /// Gives values to constants; the model is to be lowered again, or at least the files are to be added again.
    pub fn set_constants(&mut self, constants: &[Constant]) {
        self.constants = constants.iter().collect();
    }

    /// Adds the files to a lowered model, under the constants that are in force. Texts are to be read again.
    pub fn add_to(&mut self, lowered: &mut Lowered) -> Vec<Diagnostic> {
        self.files.truncate(self.given_files);
        self.numbers.clear();
        let mut diagnostics = Vec::new();
        for file in &self.files {
            let (number, added) = lowered.add_properties(file.clone(), &self.constants);
            self.numbers.push(number);
            diagnostics.extend(added);
        }
        diagnostics
    }

    /// The properties of the files, in order.
    pub fn listed(&self) -> &[Listed] {
        &self.listed
    }

    /// Lowers a listed property.
    pub fn property(
        &self,
        lowered: Option<&mut Lowered>,
        sources: &Sources,
        index: usize,
    ) -> Result<Property, Vec<Diagnostic>> {
        let (file, place) = self.places[index];
        if !self.diagnostics[index].is_empty() {
            return Err(self.diagnostics[index].clone());
        }
        match (lowered, self.numbers.get(file)) {
            (Some(lowered), Some(&number)) => lowered.property(sources, number, place),
            _ => Err(Vec::new()),
        }
    }

    /// Reads and lowers the text of a property.
    pub fn text(
        &mut self,
        lowered: Option<&mut Lowered>,
        sources: &Sources,
        file: FileId,
    ) -> Result<Property, Vec<Diagnostic>> {
        self.added(file, parse::property(sources, file), lowered, sources)
    }

    /// Reads and lowers a formula that all runs have to satisfy.
    pub fn formula(
        &mut self,
        lowered: Option<&mut Lowered>,
        sources: &Sources,
        file: FileId,
    ) -> Result<Property, Vec<Diagnostic>> {
        self.added(file, parse::formula(sources, file), lowered, sources)
    }

    /// Lowers the only property of a tree.
    fn added(
        &mut self,
        file: FileId,
        parsed: (PropertyFile, Vec<Diagnostic>),
        lowered: Option<&mut Lowered>,
        sources: &Sources,
    ) -> Result<Property, Vec<Diagnostic>> {
        let (mut tree, mut diagnostics) = parsed;
        automata::load(&mut tree, &sources.file(file).name, &*self.named);
        let tree = Arc::new(tree);
        if has_errors(&diagnostics) || tree.properties.is_empty() {
            return Err(diagnostics);
        }
        self.files.push(tree.clone());
        let Some(lowered) = lowered else { return Err(diagnostics) };
        let (number, added) = lowered.add_properties(tree, &self.constants);
        self.numbers.push(number);
        diagnostics.extend(added);
        if has_errors(&diagnostics) {
            return Err(diagnostics);
        }
        lowered.property(sources, number, 0)
    }

    /// Diagnostics about given constants that neither a model nor a property mentions.
    pub fn unused_constants(&self, model: &Model) -> Vec<Diagnostic> {
        let files: Vec<&PropertyFile> = self.files.iter().map(|f| &**f).collect();
        lower::unknown_constants(&self.constants, model, &files)
    }

    /// The names of given constants.
    pub fn given(&self) -> impl Iterator<Item = &str> {
        self.constants.iter().map(|constant| constant.name.as_str())
    }

    /// Adds what the files declare to the outline of a model.
    pub fn outline(&self, sources: &Sources, outline: &mut Outline) {
        let files = || self.files[..self.given_files].iter();
        let of_files = files().flat_map(|file| file.constants.iter().map(move |c| (file, c)));
        outline.constants.extend(of_files.map(|(file, c)| {
            let written = c.value.map(|value| one_line(sources.text(file.exprs.span(value))).into());
            outline::Constant {
                name: c.name.text.clone(),
                ty: constant_type(c.ty),
                open: c.value.is_none(),
                value: written.or_else(|| self.constants.get(&c.name.text).cloned()),
                in_properties: true,
            }
        }));
        outline.labels.extend(files().flat_map(|file| &file.labels).map(|label| label.name.text.clone()));
        let properties = self.listed.iter().enumerate();
        outline.properties.extend(properties.map(|(i, p)| outline::Property {
            number: i + 1,
            name: p.name.clone(),
            text: p.text.clone(),
        }));
    }
}

/// The type of a constant in the terms of an outline.
pub(super) fn constant_type(ty: ConstType) -> outline::ConstantType {
    match ty {
        ConstType::Bool => outline::ConstantType::Bool,
        ConstType::Int => outline::ConstantType::Int,
        ConstType::Double => outline::ConstantType::Double,
    }
}

/// A text that may go over several lines, as one: white space between words becomes a single space.
pub fn one_line(text: &str) -> String {
    let without_comments = text.lines().map(|line| line.split("//").next().unwrap_or(""));
    let words = without_comments.flat_map(str::split_whitespace);
    words.collect::<Vec<_>>().join(" ")
}
