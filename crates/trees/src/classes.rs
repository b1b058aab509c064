//! Classes of nodes: what they are kinds of, and which fields they have.

use std::collections::HashMap;

/// A class of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u16);

/// The name of a field; classes that have a field of the same name share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldId(pub u16);

impl ClassId {
    /// Its index in tables.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl FieldId {
    /// Its index in tables.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A node of a class, or nothing.
    Node(ClassId),
    /// Nodes of a class.
    Nodes(ClassId),
    /// A text, or nothing.
    Text,
    /// Texts.
    Texts,
    /// Whether something is written.
    Flag,
    /// The name of a node of a class, or nothing: what it means is found by linking.
    Reference(ClassId),
    /// Names of nodes of a class.
    References(ClassId),
}

/// A field of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: FieldId,
    /// What it holds.
    pub shape: Shape,
}

/// A class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Those that it is a kind of, directly.
    pub supertypes: Vec<ClassId>,
    /// Its fields, inherited ones among them, by place.
    pub fields: Vec<Field>,
    /// Whether only kinds of it have nodes.
    pub is_abstract: bool,
}

/// Why a class cannot be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// There is one of this name.
    Twice,
    /// Two fields of one name hold different things.
    Shapes(String),
    /// More classes, fields of a class, or names of fields than there is room for.
    Many,
}

const ABSENT: u8 = u8::MAX;

/// The classes of a language. Supertypes are added before their kinds, so that there are no circles.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    classes: Vec<Class>,
    by_name: HashMap<String, ClassId>,
    field_names: Vec<String>,
    fields_by_name: HashMap<String, FieldId>,
    /// Of each class, a set of those that it is a kind of, itself among them: words of 64 classes.
    ancestors: Vec<Vec<u64>>,
    /// Of each class, the place of each field; ABSENT where it has none.
    places: Vec<Vec<u8>>,
}

impl Classes {
    /// No classes.
    pub fn new() -> Self {
        Self::default()
    }

    /// The name of a field as a number.
    ///
    /// # Errors
    /// There are 65,535 already.
    pub fn field(&mut self, name: &str) -> Result<FieldId, Flaw> {
        if let Some(&id) = self.fields_by_name.get(name) {
            return Ok(id);
        }
        let id = FieldId(u16::try_from(self.field_names.len()).map_err(|_| Flaw::Many)?);
        self.field_names.push(name.to_owned());
        self.fields_by_name.insert(name.to_owned(), id);
        Ok(id)
    }

    /// Declares a class without supertypes and fields, so that fields of others can name it. [`Classes::complete`] says the rest.
    ///
    /// # Errors
    /// There is one of this name, or there are 65,535 already.
    pub fn declare(&mut self, name: &str) -> Result<ClassId, Flaw> {
        if self.by_name.contains_key(name) {
            return Err(Flaw::Twice);
        }
        let id = ClassId(u16::try_from(self.classes.len()).map_err(|_| Flaw::Many)?);
        self.classes.push(Class {
            name: name.to_owned(),
            supertypes: Vec::new(),
            fields: Vec::new(),
            is_abstract: true,
        });
        self.by_name.insert(name.to_owned(), id);
        let mut own = vec![0; id.index() / 64 + 1];
        own[id.index() / 64] |= 1 << (id.index() % 64);
        self.ancestors.push(own);
        self.places.push(Vec::new());
        Ok(id)
    }

    /// Says what a declared class is a kind of, and which fields it adds. Its supertypes must be complete.
    ///
    /// # Errors
    /// A field has another shape in another supertype, or there are more than 254.
    pub fn complete(
        &mut self,
        class: ClassId,
        supertypes: &[ClassId],
        fields: &[Field],
        is_abstract: bool,
    ) -> Result<(), Flaw> {
        let mut all: Vec<Field> = Vec::new();
        let inherited = supertypes.iter().flat_map(|&above| self.classes[above.index()].fields.iter());
        for &field in inherited.chain(fields) {
            match all.iter().find(|known| known.name == field.name) {
                None => all.push(field),
                Some(known) if known.shape == field.shape => {}
                Some(_) => return Err(Flaw::Shapes(self.field_names[field.name.index()].clone())),
            }
        }
        if all.len() >= usize::from(ABSENT) {
            return Err(Flaw::Many);
        }
        for &above in supertypes {
            let others = self.ancestors[above.index()].clone();
            let own = &mut self.ancestors[class.index()];
            own.resize(own.len().max(others.len()), 0);
            for (word, other) in own.iter_mut().zip(others) {
                *word |= other;
            }
        }
        let places = &mut self.places[class.index()];
        places.clear();
        for (place, field) in (0u8..).zip(&all) {
            let at = field.name.index();
            if places.len() <= at {
                places.resize(at + 1, ABSENT);
            }
            places[at] = place;
        }
        let entry = &mut self.classes[class.index()];
        entry.supertypes = supertypes.to_vec();
        entry.fields = all;
        entry.is_abstract = is_abstract;
        Ok(())
    }

    /// A class.
    #[inline]
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.index()]
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (ClassId, &Class)> {
        #[expect(clippy::cast_possible_truncation, reason = "declare() counts them")]
        self.classes.iter().enumerate().map(|(at, class)| (ClassId(at as u16), class))
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The class of a name.
    pub fn find(&self, name: &str) -> Option<ClassId> {
        self.by_name.get(name).copied()
    }

    /// The field of a name.
    pub fn find_field(&self, name: &str) -> Option<FieldId> {
        self.fields_by_name.get(name).copied()
    }

    /// The name of a field.
    pub fn field_name(&self, field: FieldId) -> &str {
        &self.field_names[field.index()]
    }

    /// Number of names of fields.
    pub fn field_count(&self) -> usize {
        self.field_names.len()
    }

    /// Whether a class is a kind of another one, or the same.
    #[inline]
    pub fn is_kind(&self, class: ClassId, of: ClassId) -> bool {
        let words = &self.ancestors[class.index()];
        words.get(of.index() / 64).is_some_and(|word| word >> (of.index() % 64) & 1 == 1)
    }

    /// The place of a field among those of a class.
    #[inline]
    pub fn place(&self, class: ClassId, field: FieldId) -> Option<usize> {
        match self.places[class.index()].get(field.index()) {
            Some(&place) if place != ABSENT => Some(usize::from(place)),
            _ => None,
        }
    }

    /// What a field of a class holds.
    pub fn shape(&self, class: ClassId, field: FieldId) -> Option<Shape> {
        self.place(class, field).map(|place| self.classes[class.index()].fields[place].shape)
    }
}
