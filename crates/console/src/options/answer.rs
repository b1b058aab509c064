//! Where an answer goes, and how it is shown.

use super::{OutputArgs, PageArgs};
use clap::Args;
use std::path::{Path, PathBuf};

/// Where an answer goes: for every question whose answer is a document.
#[derive(Clone, Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct AnswerArgs {
    /// Write the answer as a table of comma-separated values (- is standard output)
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    /// The page.
    #[command(flatten)]
    pub page: PageArgs,

    /// How the answer is shown.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl AnswerArgs {
    /// Whether the table goes to standard output.
    pub fn is_table_printed(&self) -> bool {
        is_printed(self.csv.as_deref())
    }

    /// Whether the page goes to standard output.
    pub fn is_page_printed(&self) -> bool {
        is_printed(self.page.html.as_deref())
    }

    /// Whether JSON, the table or the page takes the place of the text on standard output.
    pub fn is_on_standard_output(&self) -> bool {
        self.output.json || self.is_table_printed() || self.is_page_printed()
    }
}

fn is_printed(target: Option<&Path>) -> bool {
    target == Some(Path::new("-"))
}
