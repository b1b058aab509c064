//! Texts that come with the program, in which names of models are declared.

/// A text of the program.
#[derive(Debug, PartialEq, Eq)]
pub struct Library {
    /// The name that a file with it would have.
    pub name: &'static str,
    /// What it says.
    pub text: &'static str,
}

/// Types of LOTOS.
pub(crate) static LOTOS: Library = Library { name: "standard.lotos", text: volvelle_lotos::library::TEXT };

/// Macros of the mu-calculus.
pub(crate) static MCL: Library = Library { name: "macros.mcl", text: volvelle_mcl::LIBRARY };

/// What N4JS programs have without a declaration.
pub(crate) static N4JS: Library = Library { name: volvelle_n4js::LIBRARY.0, text: volvelle_n4js::LIBRARY.1 };

/// All of them.
pub static LIBRARIES: &[&Library] = &[&LOTOS, &MCL, &N4JS];

/// Where a text of the program declares a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InLibrary {
    /// The text.
    pub library: &'static Library,
    /// Where the name begins in it, in bytes.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
}

impl InLibrary {
    /// What stands there.
    pub fn text(&self) -> &'static str {
        self.library.text.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}
