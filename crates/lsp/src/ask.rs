//! `volvelle lsp`

use crate::conversation::converse;
use crate::options::LanguageServer;
use crate::reader::{Disk, Head, Listed};
use crate::runs::{Child, Launcher};
use std::io::{self, Read};
use std::path::Path;
use std::rc::Rc;
use volvelle_console::child;
use volvelle_console::door;
use volvelle_console::given::GivenOptions;
use volvelle_console::output::{self, Output};
use volvelle_console::question::Ask;

impl Ask for LanguageServer {
    const NAME: &'static str = "lsp";
    const HAS_LIMITS: bool = false;

    fn ask(&'static self, _given: &GivenOptions, _output: &Output) -> u8 {
        if door::is_input_typed() {
            output::say("volvelle lsp waits for messages of an editor (Ctrl-C ends it): volvelle lsp --help");
        }
        converse(door::stream_of_input(), output::stream(), Rc::new(Door), Rc::new(Own))
    }
}

/// The files of the machine.
struct Door;

impl Disk for Door {
    fn read(&self, folder: &Path, name: &Path) -> Option<Vec<u8>> {
        door::read_inside(folder, name)
    }

    fn head(&self, folder: &Path, name: &Path, most: usize) -> Option<Head> {
        let (bytes, size) = door::head_inside(folder, name, most as u64)?;
        Some(Head { bytes, size })
    }

    fn listed(&self, folder: &Path, inside: &Path, most: usize) -> Vec<Listed> {
        let all = door::entries_inside(folder, inside, most).into_iter();
        all.map(|(name, is_folder)| Listed { name, is_folder }).collect()
    }

    fn entries(&self, folder: &Path) -> Vec<String> {
        door::folder_entries(folder)
    }
}

/// This program.
struct Own;

impl Launcher for Own {
    fn start(&self, folder: &Path, arguments: &[String]) -> io::Result<Box<dyn Child>> {
        Ok(Box::new(Process(child::start(folder, arguments)?)))
    }
}

/// A process of this program.
struct Process(child::Process);

impl Child for Process {
    fn output(&mut self) -> Box<dyn Read + Send> {
        self.0.output()
    }
}
