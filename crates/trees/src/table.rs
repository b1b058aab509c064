//! Classes as one table in a program, for languages that fill trees by hand.

use crate::classes::{ClassId, Classes, Field, Flaw, Shape};

/// A line of the table.
#[derive(Debug)]
pub struct Entry {
    /// The name of the class.
    pub name: &'static str,
    /// Those that it is a kind of.
    pub supertypes: &'static [&'static str],
    /// Its own fields, with what they hold.
    pub fields: &'static [(&'static str, &'static str)],
    /// Whether only kinds of it have nodes.
    pub is_abstract: bool,
}

/// The table of classes of a language: makes an enum `Kind`, whose numbers are those of the classes, and a function `classes`.
///
/// `Name : Above Above { field: Shape }`. A shape is a class (a node of it, or nothing), `[Class]` (nodes), `Text` (a text, or nothing),
/// `[Text]`, or `Flag`. The slots of a node are the fields of the classes above, in their order, and then its own. A class stands behind
/// those that it is a kind of.
#[macro_export]
macro_rules! classes {
    (@is) => { false };
    (@is abstract) => { true };
    ($($(#[$note:meta])* $([$kind:tt])? $name:ident $(: $($above:ident)+)? { $($field:ident: $shape:tt),* $(,)? })*) => {
        /// A class of nodes. Its number is that of [`classes`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum Kind {
            $(#[doc = concat!("`", stringify!($name), "`:")] $(#[$note])* $name,)*
        }

        impl Kind {
            /// Its number in [`classes`].
            #[inline]
            pub fn id(self) -> $crate::ClassId {
                $crate::ClassId(self as u16)
            }
        }

        /// The classes of the language.
        pub fn classes() -> $crate::Classes {
            $crate::table::classes(&[$($crate::table::Entry {
                name: stringify!($name),
                supertypes: &[$($(stringify!($above)),+)?],
                fields: &[$((stringify!($field), stringify!($shape))),*],
                is_abstract: $crate::classes!(@is $($kind)?),
            }),*])
        }
    };
}

/// The classes of a table.
///
/// # Panics
/// Where the table has a flaw: it is part of a program.
pub fn classes(table: &[Entry]) -> Classes {
    let mut classes = Classes::new();
    fill(&mut classes, table).expect("the table has no flaw");
    classes
}

fn fill(classes: &mut Classes, table: &[Entry]) -> Result<(), Flaw> {
    for entry in table {
        classes.declare(entry.name)?;
    }
    let known = |classes: &Classes, name: &str| classes.find(name).expect("the table names its own classes");
    for entry in table {
        let class = known(classes, entry.name);
        let supertypes: Vec<ClassId> = entry.supertypes.iter().map(|name| known(classes, name)).collect();
        let mut fields = Vec::new();
        for &(name, shape) in entry.fields {
            let inner = shape.strip_prefix('[').and_then(|shape| shape.strip_suffix(']'));
            let shape = match (shape, inner) {
                ("Text", _) => Shape::Text,
                ("Flag", _) => Shape::Flag,
                (_, Some("Text")) => Shape::Texts,
                (_, Some(inner)) => Shape::Nodes(known(classes, inner)),
                (name, None) => Shape::Node(known(classes, name)),
            };
            fields.push(Field { name: classes.field(name)?, shape });
        }
        classes.complete(class, &supertypes, &fields, entry.is_abstract)?;
    }
    Ok(())
}
