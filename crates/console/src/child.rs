//! This program, started once more for a question of its own.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A process of this program. It is killed when it is dropped.
#[derive(Debug)]
pub struct Process(Child);

/// Starts this program in a folder, with arguments, without input. What it says on standard error is lost: answers as JSON have it, too.
///
/// # Errors
/// It cannot be started.
pub fn start(folder: &Path, arguments: &[String]) -> io::Result<Process> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(arguments).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    Ok(Process(command.spawn()?))
}

impl Process {
    /// What it prints; to be taken once.
    pub fn output(&mut self) -> Box<dyn Read + Send> {
        match self.0.stdout.take() {
            Some(output) => Box::new(output),
            None => Box::new(io::empty()),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // One that has ended already is waited for all the same: nothing of it stays.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
