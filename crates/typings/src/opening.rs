//! Files of systems.

use std::path::Path;
use std::rc::Rc;
use volvelle_console::files;
use volvelle_diagnostics::{Diagnostic, FileId, Sources};
use volvelle_n4js::{N4js, Syntax};
use volvelle_rules::language::Language;

/// The languages that rule files can name.
pub(crate) fn languages() -> Vec<(&'static str, Rc<dyn Language>)> {
    let mut all = volvelle_metamodels::languages();
    all.push((N4js::NAME, Rc::new(N4js::new(Syntax::Current))));
    all
}

/// Opens a file that another one names, beside that one.
pub(crate) fn open(sources: &mut Sources, name: &str, from: FileId) -> Result<FileId, Box<Diagnostic>> {
    let folder = Path::new(&sources.file(from).name).parent().unwrap_or(Path::new(""));
    let text = files::read(&folder.join(name)).map_err(Box::new)?;
    Ok(sources.add(text.name, text.text))
}
