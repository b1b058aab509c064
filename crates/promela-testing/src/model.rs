//! Random models.

use super::Choices;
use volvelle_diagnostics::{FileId, Span};
use volvelle_promela::ast::{Model, Name, Place, PlaceInfo, Proctype, Unit};

/// A tree in the making.
pub(super) struct Writer<'w, 'c> {
    pub choices: &'w mut Choices<'c>,
    pub model: Model,
}

/// A tree whose text parses to it. All of its parts stand in one place.
pub fn random_tree(choices: &mut Choices<'_>) -> Model {
    let mut model = Model::default();
    model.places.add(PlaceInfo { span: Span::new(FileId(0), 0, 0), through: None });
    let mut writer = Writer { choices, model };
    writer.units();
    writer.model
}

impl Writer<'_, '_> {
    pub(super) fn name(&mut self, text: &str) -> Name {
        Name { text: text.to_owned(), place: Place(0) }
    }

    fn units(&mut self) {
        // The first process type is known wherever a variable of it is mentioned, but not before.
        let first = self.proctype("p0");
        self.model.units.push(first);
        let name = self.name("T0");
        let fields = (0..=self.choices.below(2)).map(|_| self.declaration()).collect();
        self.model.units.push(Unit::Typedef { name, fields, place: Place(0) });
        let count = self.choices.below(5);
        for i in 0..count {
            let unit = match self.choices.below(7) {
                0 => Unit::Declaration(self.declaration()),
                1 => Unit::Mtype {
                    set: self.choices.one_in(2).then(|| Name { text: "set".into(), place: Place(0) }),
                    names: vec![self.name("red"), self.name("green")],
                    place: Place(0),
                },
                2 => Unit::Never { name: self.optional("n0"), body: self.sequence(2), place: Place(0) },
                3 => Unit::Trace {
                    negated: self.choices.one_in(2),
                    name: None,
                    body: self.sequence(1),
                    place: Place(0),
                },
                4 | 5 => Unit::Ltl { name: self.optional("f0"), formula: self.formula(4), place: Place(0) },
                _ => self.proctype(&format!("p{}", i + 1)),
            };
            self.model.units.push(unit);
        }
    }

    fn optional(&mut self, text: &str) -> Option<Name> {
        self.choices.one_in(2).then(|| Name { text: text.to_owned(), place: Place(0) })
    }

    fn proctype(&mut self, text: &str) -> Unit {
        let is_init = text != "p0" && self.choices.one_in(4);
        let priority = self.choices.one_in(5).then(|| self.number());
        if is_init {
            return Unit::Proctype(Proctype {
                name: self.name("init"),
                is_init,
                active: None,
                deterministic: false,
                parameters: Vec::new(),
                priority,
                provided: None,
                body: self.sequence(3),
                place: Place(0),
            });
        }
        let count = self.choices.below(3);
        Unit::Proctype(Proctype {
            name: self.name(text),
            is_init,
            active: self.choices.one_in(3).then(|| self.choices.one_in(2).then(|| self.number())),
            deterministic: self.choices.one_in(5),
            parameters: (0..count).map(|_| self.parameter()).collect(),
            priority,
            provided: self.choices.one_in(5).then(|| self.expression(2)),
            body: self.sequence(3),
            place: Place(0),
        })
    }
}
