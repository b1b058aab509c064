//! Types of expressions, and the classes of the values that they have.

use volvelle_trees::{ClassId, Classes, Field, Shape};

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// Of everything.
    Any,
    /// Of `null`, and of what does not end.
    Nothing,
    /// Of no value.
    Void,
    /// Values of a class: nodes, data, texts, …
    Class(ClassId),
    /// Lists.
    List(Box<Ty>),
    /// Pairs.
    Pair(Box<Ty>, Box<Ty>),
    /// Maps that can be changed.
    Map(Box<Ty>, Box<Ty>),
    /// Functions.
    Function(Vec<Ty>, Box<Ty>),
}

/// The classes of a system: those of its language, those that all systems have, and its data.
#[derive(Clone, Debug)]
pub struct Universe {
    /// All of them; fields of data have a place as those of nodes do.
    pub classes: Classes,
    /// Those below this number are of nodes.
    pub nodes: u16,
    /// Types of fields of data, by class and place.
    pub data: Vec<DataType>,
    /// Classes that all systems have.
    pub common: Common,
}

/// A type that a system declares.
#[derive(Clone, Debug)]
pub struct DataType {
    /// Its class.
    pub class: ClassId,
    /// Types of its fields, inherited ones among them, by place.
    pub fields: Vec<Ty>,
}

/// Classes that all systems have.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Common {
    pub node: ClassId,
    pub truth: ClassId,
    pub number: ClassId,
    pub text: ClassId,
    pub list: ClassId,
    pub pair: ClassId,
    pub map: ClassId,
    pub function: ClassId,
    pub env: ClassId,
    pub failure: ClassId,
}

impl Universe {
    /// The classes of a language, and those that all systems have.
    ///
    /// # Errors
    /// The language has a class with the name of a common one: that name.
    pub fn new(mut classes: Classes) -> Result<Self, &'static str> {
        let nodes = classes.len() as u16;
        let mut common = |name: &'static str| classes.declare(name).map_err(|_| name);
        let common = Common {
            node: common("Node")?,
            truth: common("Boolean")?,
            number: common("Integer")?,
            text: common("String")?,
            list: common("List<>")?,
            pair: common("Pair<>")?,
            map: common("Map<>")?,
            function: common("=>")?,
            env: common("Env")?,
            failure: common("Failure")?,
        };
        Ok(Universe { classes, nodes, data: Vec::new(), common })
    }

    /// Whether values of a class are those of another one, too.
    #[inline]
    pub fn is_kind(&self, class: ClassId, of: ClassId) -> bool {
        self.classes.is_kind(class, of) || of == self.common.node && class.0 < self.nodes
    }

    /// The class of the values of a type; none where they have many.
    pub fn class_of(&self, ty: &Ty) -> Option<ClassId> {
        match ty {
            Ty::Any | Ty::Nothing | Ty::Void => None,
            Ty::Class(class) => Some(*class),
            Ty::List(_) => Some(self.common.list),
            Ty::Pair(..) => Some(self.common.pair),
            Ty::Map(..) => Some(self.common.map),
            Ty::Function(..) => Some(self.common.function),
        }
    }

    /// Whether each value of a type is one of another.
    pub fn fits(&self, ty: &Ty, into: &Ty) -> bool {
        match (ty, into) {
            (Ty::Void, Ty::Void) => true,
            (_, Ty::Void) | (Ty::Void, _) => false,
            (_, Ty::Any) | (Ty::Nothing, _) => true,
            (Ty::Class(class), Ty::Class(of)) => self.is_kind(*class, *of),
            (Ty::List(a), Ty::List(b)) => self.fits(a, b),
            (Ty::Pair(a, b), Ty::Pair(c, d)) => self.fits(a, c) && self.fits(b, d),
            (Ty::Map(a, b), Ty::Map(c, d)) => a == c && b == d || **a == Ty::Nothing,
            (Ty::Function(a, b), Ty::Function(c, d)) => {
                a.len() == c.len() && c.iter().zip(a).all(|(c, a)| self.fits(c, a)) && self.fits(b, d)
            }
            _ => false,
        }
    }

    /// Whether some value may be of both types.
    pub fn meets(&self, a: &Ty, b: &Ty) -> bool {
        if self.fits(a, b) || self.fits(b, a) {
            return true;
        }
        match (self.class_of(a), self.class_of(b)) {
            (Some(a), Some(b)) => {
                self.classes.iter().any(|(class, _)| self.is_kind(class, a) && self.is_kind(class, b))
            }
            _ => *a == Ty::Any || *b == Ty::Any,
        }
    }

    /// The smallest type that both fit.
    pub fn join(&self, a: &Ty, b: &Ty) -> Ty {
        if self.fits(a, b) {
            return b.clone();
        }
        if self.fits(b, a) {
            return a.clone();
        }
        match (a, b) {
            (Ty::List(a), Ty::List(b)) => Ty::List(Box::new(self.join(a, b))),
            (Ty::Pair(a, b), Ty::Pair(c, d)) => {
                Ty::Pair(Box::new(self.join(a, c)), Box::new(self.join(b, d)))
            }
            (Ty::Void, _) | (_, Ty::Void) => Ty::Void,
            (Ty::Class(a), Ty::Class(b)) => {
                // The closest class above both, if there is one.
                let above = |class: ClassId| self.is_kind(*a, class) && self.is_kind(*b, class);
                let all: Vec<ClassId> =
                    self.classes.iter().map(|(class, _)| class).filter(|&class| above(class)).collect();
                let mut lowest = all.iter().filter(|&&one| all.iter().all(|&other| self.is_kind(one, other)));
                match (lowest.next(), lowest.next()) {
                    (Some(&one), None) => Ty::Class(one),
                    _ if a.0 < self.nodes && b.0 < self.nodes => Ty::Class(self.common.node),
                    _ => Ty::Any,
                }
            }
            _ => Ty::Any,
        }
    }

    /// A type as it is written.
    pub fn name(&self, ty: &Ty) -> String {
        match ty {
            Ty::Any => "Any".to_owned(),
            Ty::Nothing => "null".to_owned(),
            Ty::Void => "nothing".to_owned(),
            Ty::Class(class) => self.classes.class(*class).name.clone(),
            Ty::List(item) => format!("List<{}>", self.name(item)),
            Ty::Pair(a, b) => format!("Pair<{}, {}>", self.name(a), self.name(b)),
            Ty::Map(a, b) => format!("Map<{}, {}>", self.name(a), self.name(b)),
            Ty::Function(params, result) => {
                let params: Vec<String> = params.iter().map(|param| self.name(param)).collect();
                format!("({}) => {}", params.join(", "), self.name(result))
            }
        }
    }

    /// The type of a field.
    pub fn field(&self, class: ClassId, name: &str) -> Option<(usize, Ty)> {
        let field = self.classes.find_field(name)?;
        let place = self.classes.place(class, field)?;
        if class.0 < self.nodes {
            let Field { shape, .. } = self.classes.class(class).fields[place];
            return Some((place, self.of_shape(shape)));
        }
        let data = self.data.iter().find(|data| data.class == class)?;
        Some((place, data.fields[place].clone()))
    }

    fn of_shape(&self, shape: Shape) -> Ty {
        match shape {
            Shape::Node(class) => Ty::Class(class),
            Shape::Nodes(class) => Ty::List(Box::new(Ty::Class(class))),
            // What a name refers to is found by judgments of the system.
            Shape::Text | Shape::Reference(_) => Ty::Class(self.common.text),
            Shape::Texts | Shape::References(_) => Ty::List(Box::new(Ty::Class(self.common.text))),
            Shape::Flag => Ty::Class(self.common.truth),
        }
    }
}
