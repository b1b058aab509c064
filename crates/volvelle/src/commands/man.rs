//! `volvelle man`

use crate::args::Man;
use clap::Command;
use std::io;
use std::path::Path;
use volvelle_console::given::GivenOptions;
use volvelle_console::output::{EXIT_USAGE, Output};
use volvelle_console::question::{Ask, FileUse};
use volvelle_console::{door, files, program};
use volvelle_diagnostics::{Diagnostic, Sources, codes};

impl Ask for Man {
    const NAME: &'static str = "man";
    const FILES: &'static [(&'static str, FileUse)] = &[("folder", FileUse::Folder)];
    const HAS_LIMITS: bool = false;

    fn ask(&'static self, _given: &GivenOptions, output: &Output) -> u8 {
        run(self, output)
    }
}

/// Prints a page, or writes all of them.
pub fn run(args: &Man, output: &Output) -> u8 {
    let mut cli = program::command();
    cli.build();
    let written = match (&args.folder, &args.command) {
        (Some(folder), _) => folder_of(&cli, folder),
        (None, None) => page(&cli).map_err(|error| not_written(Path::new("-"), &error)),
        (None, Some(name)) => match cli.find_subcommand(name) {
            Some(command) => page(command).map_err(|error| not_written(Path::new("-"), &error)),
            None => Err(unknown(&cli, name)),
        },
    };
    match written {
        Ok(text) => {
            output.print_document(&text);
            0
        }
        Err(diagnostic) => {
            output.print_diagnostics(&[diagnostic], &Sources::new());
            EXIT_USAGE
        }
    }
}

/// Writes the pages of the program and its commands; gives their names.
fn folder_of(cli: &Command, folder: &Path) -> Result<String, Diagnostic> {
    door::make_folder(folder).map_err(|error| not_written(folder, &error))?;
    let mut names = String::new();
    for command in std::iter::once(cli).chain(cli.get_subcommands().filter(|c| c.get_name() != "help")) {
        let name = command.get_display_name().unwrap_or(command.get_name());
        let path = folder.join(format!("{name}.1"));
        let written =
            page(command).and_then(|text| door::replace(&path, |out| out.write_all(text.as_bytes())));
        written.map_err(|error| not_written(&path, &error))?;
        names.push_str(&format!("{}\n", path.display()));
    }
    Ok(names)
}

fn page(command: &Command) -> io::Result<String> {
    let mut roff = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut roff)?;
    Ok(String::from_utf8_lossy(&roff).into_owned())
}

fn not_written(path: &Path, error: &io::Error) -> Diagnostic {
    files::not_written(path, error)
}

fn unknown(cli: &Command, name: &str) -> Diagnostic {
    let names = || cli.get_subcommands().map(Command::get_name);
    let diagnostic = Diagnostic::error(codes::BAD_USAGE, format!("there is no command `{name}`"));
    diagnostic
        .misspelt_or(name, names(), || format!("the commands are {}", names().collect::<Vec<_>>().join(", ")))
}
