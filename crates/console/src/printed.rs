//! Results on standard output: there is room for one.

use crate::file_use::{FileUse, use_of};
use crate::given::GivenOptions;
use clap::ArgMatches;
use std::path::{Path, PathBuf};
use volvelle_diagnostics::{Diagnostic, codes};

/// Why two results that were asked for have no room, if there are two: JSON, and files whose name is `-`. Some options of files are the
/// command's `own`.
pub fn refused(matches: &ArgMatches, own: &[(&str, FileUse)], given: &GivenOptions) -> Option<Diagnostic> {
    let is_printed = |option: &str| {
        let is_result = use_of(option, own).is_some_and(|file_use| file_use != FileUse::Read);
        // An option of this name may take words in another command.
        let paths = matches.try_get_many::<PathBuf>(option).ok().flatten();
        is_result && paths.is_some_and(|mut paths| paths.any(|path| path == Path::new("-")))
    };
    let json = given.has("json").then(|| "--json".to_owned());
    let named = given.written_options().filter(|(option, _)| is_printed(option));
    let named = named.map(|(_, written)| written.to_owned());
    let mut results = json.clone().into_iter().chain(named);
    let (first, second) = (results.next()?, results.next()?);
    // JSON has no other place.
    let first = if json.is_some() { first } else { format!("{first} -") };
    let message = format!("{first} and {second} - both write to standard output");
    let file = match second.as_str() {
        "--html" => "page.html",
        option if option.starts_with("--csv") => "table.csv",
        _ => "FILE",
    };
    Some(Diagnostic::error(codes::BAD_USAGE, message).help(format!("give a file: {second} {file}")))
}
