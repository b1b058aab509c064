//! `volvelle demo`: a few questions about models that come with the program, each with its command and its answer.
//!
//! The answers are those of the commands as they stand there, run by this program in the folder of the models: whoever likes one can
//! change the model and ask again.

use crate::args::Demo;
use crate::questions::QUESTIONS;
use std::path::Path;
use std::process::Command;
use volvelle_console::given::GivenOptions;
use volvelle_console::output::{EXIT_USAGE, Output};
use volvelle_console::question::{Ask, FileUse};
use volvelle_console::suggestions::word;
use volvelle_console::{door, files, machine};
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_present::document::{Block, Document, Note, strong};
use volvelle_present::terminal::draw;

/// How many answers are shown.
const SHOWN: usize = 5;

/// A question.
struct Scene {
    about: &'static str,
    words: &'static [&'static str],
    files: &'static [File],
}

/// The name and the text of a model.
type File = (&'static str, &'static str);

macro_rules! example {
    ($folder:literal, $name:literal) => {
        ($name, include_str!(concat!("../../../../examples/", $folder, "/", $name)))
    };
}

/// Questions of all kinds; those whose commands this program has are asked, up to [`SHOWN`].
const SCENES: &[Scene] = &[
    Scene {
        about: "A die made of coins (PRISM). Is it fair, and how many flips does it take? Every number has its guarantee.",
        words: &["check", "die.prism", "die.props"],
        files: &[example!("prism", "die.prism"), example!("prism", "die.props")],
    },
    Scene {
        about: "A protocol over a road with thieves (Promela). Something can go wrong: here is a shortest way to it.",
        words: &["check", "handover.pml"],
        files: &[example!("promela", "handover.pml")],
    },
    Scene {
        about: "300 clients and 3 servers that break. How likely do all break within 2000 seconds? Random paths, in parallel.",
        words: &[
            "simulate",
            "client_server.prism",
            "--prop",
            "P=? [ F<=2000 \"down\" ]",
            "--samples",
            "10000",
        ],
        files: &[example!("prism", "client_server.prism")],
    },
    Scene {
        about: "Two processes and a lock (LOTOS), with rates. How often does each enter, whoever is preferred?",
        words: &[
            "steady",
            "lock.lotos",
            "--rename",
            "/ENTER.*/ENTER; rate 5/",
            "--rename",
            "/LEAVE.*/LEAVE; rate 1/",
            "--bounds",
        ],
        files: &[example!("lotos", "lock.lotos")],
    },
    Scene {
        about: "A kernel in OpenCL C. Which sizes of work-groups and tiles are fastest? Proven, without running it.",
        words: &[
            "tune",
            "abstract.cl",
            "--platform",
            "abstract.toml",
            "--size",
            "1024",
            "--parameters",
            "WG,TS",
            "--constraint",
            "WG >= 512",
        ],
        files: &[
            example!("kernels", "abstract.cl"),
            ("abstract.toml", include_str!("../../../../platforms/abstract.toml")),
        ],
    },
    Scene {
        about: "A gambler who bets boldly (PRISM). How long can the game last? The best of all strategies.",
        words: &["check", "bold_play.prism", "bold_play.props", "--prop", "long"],
        files: &[example!("prism", "bold_play.prism"), example!("prism", "bold_play.props")],
    },
    Scene {
        about: "One random path through a queue, step by step.",
        words: &["trace", "queue.prism", "--steps", "8"],
        files: &[example!("prism", "queue.prism")],
    },
];

impl Ask for Demo {
    const NAME: &'static str = "demo";
    const FILES: &'static [(&'static str, FileUse)] = &[("folder", FileUse::Folder)];
    const HAS_LIMITS: bool = false;

    fn ask(&'static self, _given: &GivenOptions, output: &Output) -> u8 {
        match run(&self.folder, output) {
            Ok(()) => 0,
            Err(diagnostic) => {
                output.print_diagnostics(&[diagnostic], &Sources::new());
                EXIT_USAGE
            }
        }
    }
}

/// Writes the models and asks.
fn run(folder: &Path, output: &Output) -> Result<(), Diagnostic> {
    let is_there = |scene: &&Scene| QUESTIONS.iter().any(|question| question.name == scene.words[0]);
    let scenes: Vec<&Scene> = SCENES.iter().filter(is_there).take(SHOWN).collect();
    door::make_folder(folder).map_err(|error| files::not_written(folder, &error))?;
    for (name, text) in scenes.iter().flat_map(|scene| scene.files) {
        write(&folder.join(name), text)?;
    }
    for (number, scene) in scenes.iter().enumerate() {
        if machine::is_cancelled() {
            break;
        }
        let words: Vec<String> = scene.words.iter().map(|text| word(text)).collect();
        let about = Note { text: format!("{}. {}", number + 1, scene.about).into(), indent: 0, further: 3 };
        let command = strong(format!("$ volvelle {}", words.join(" ")));
        let command = Note { text: command, indent: 0, further: 2 };
        let blocks = vec![Block::Gap, about.into(), Block::Gap, command.into()];
        output.print(&draw(&Document { blocks, ..Document::default() }, false, output.style));
        answer(folder, scene.words)?;
    }
    let place = word(&folder.display().to_string());
    let own = scenes.first().map_or("", |scene| scene.words[1]);
    let lines = [
        (format!("volvelle {own}"), "what else can be asked of it"),
        ("volvelle FILE".to_owned(), "the same of a model of yours"),
    ];
    let lines: String = lines.iter().map(|(command, about)| format!("  {command:<22} {about}\n")).collect();
    output.print(&format!("\nThe models are in {place}: change them, and ask again.\n  cd {place}\n{lines}"));
    Ok(())
}

/// Writes a model, unless it is there; one that somebody has changed stays as it is.
fn write(path: &Path, text: &str) -> Result<(), Diagnostic> {
    match files::read(path) {
        Ok(there) if there.text == text => Ok(()),
        Ok(_) => Err(Diagnostic::error(
            codes::BAD_USAGE,
            format!("`{}` is there, and is not the model of the demonstration", path.display()),
        )
        .help("choose another folder: volvelle demo --output FOLDER")),
        Err(_) => door::replace(path, |out| out.write_all(text.as_bytes()))
            .map_err(|error| files::not_written(path, &error)),
    }
}

/// Asks a question of this program: the answer goes where the output of the demonstration goes.
fn answer(folder: &Path, words: &[&str]) -> Result<(), Diagnostic> {
    let failed =
        |error| Diagnostic::error(codes::BAD_USAGE, format!("the program cannot be run again: {error}"));
    let own = std::env::current_exe().map_err(failed)?;
    // The exit code says whether a property is false, which some of them are.
    Command::new(own).args(words).current_dir(folder).status().map(|_| ()).map_err(failed)
}
