//! Typed indices (entities), and tables over them.
//!
//! [`entity!`] declares an index with a type of its own, so that indices into different tables cannot be mixed up.
//! [`EntityVec`] owns the values of a table and hands out its indices; [`EntityMap`] is a side table that holds
//! something more about the entities of another table. Both are dense: access is one index into a `Vec`.
//!
//! ```
//! use volvelle_entity::{EntityMap, EntityVec, entity};
//!
//! entity!(
//!     /// A variable.
//!     VarId
//! );
//!
//! let mut names: EntityVec<VarId, &str> = EntityVec::new();
//! let x = names.push("x");
//! let y = names.push("y");
//! assert_eq!((names[y], names.len()), ("y", 2));
//! assert_eq!(names.iter().collect::<Vec<_>>(), [(x, &"x"), (y, &"y")]);
//!
//! let mut uses: EntityMap<VarId, u32> = EntityMap::default();
//! uses[y] += 1;
//! assert_eq!((uses[x], uses[y]), (0, 1));
//! ```

mod map;
mod vec;

pub use map::EntityMap;
pub use vec::EntityVec;

/// An index that is a type: what [`entity!`] declares.
pub trait Entity: Copy + Eq {
    /// The entity with this index.
    ///
    /// # Panics
    /// Where the index has no room in 32 bits.
    fn from_index(index: usize) -> Self;

    /// Its index.
    fn index(self) -> usize;
}

/// Declares an entity: an index of 32 bits that is a type of its own, public unless another visibility stands before its
/// name.
#[macro_export]
macro_rules! entity {
    ($(#[$doc:meta])* $name:ident) => {
        $crate::entity!($(#[$doc])* pub $name);
    };
    ($(#[$doc:meta])* $visibility:vis $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $visibility struct $name(pub u32);

        #[allow(dead_code)] // not every entity needs all of them
        impl $name {
            /// The entity with this index, which must be below 2³².
            pub fn from_index(index: usize) -> Self {
                $name(u32::try_from(index).expect("an index below 2^32"))
            }

            /// Its index in a table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl $crate::Entity for $name {
            fn from_index(index: usize) -> Self {
                $name::from_index(index)
            }

            fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
