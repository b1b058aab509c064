//! Libraries that stand in for those of devices, made by the C++ compiler of the machine. They fail the calls that they are
//! told to fail, and count what is there.

use crate::devices::Folder;
use std::process::Command;
use volvelle_technologies::testing::skipped;

/// A library in its own folder; it communicates with tests through files in that folder.
pub struct StandIn {
    /// Where it is.
    pub folder: Folder,
}

impl StandIn {
    /// Compiles a text to a library, with other files next to it. `None` if there is no compiler.
    pub fn new(name: &str, library: &str, text: &str, others: &[(&str, &str)]) -> Option<Self> {
        let folder = Folder::new(name);
        for (name, text) in others.iter().chain(&[("library.cpp", text)]) {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let compiled = Command::new("c++")
            .args(["-std=c++17", "-O1", "-fPIC", "-shared", "-o"])
            .args([folder.path().join(library), folder.path().join("library.cpp")])
            .arg("-ldl")
            .output();
        match compiled {
            Ok(output) if output.status.success() => Some(StandIn { folder }),
            Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr)),
            Err(why) => {
                skipped(library, &format!("no C++ compiler: {why}"));
                None
            }
        }
    }

    /// The objects that were alive when the last context was released.
    pub fn live(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("live")).unwrap_or_default()
    }

    /// Fails a call from now on: 1 for the next one.
    pub fn fail_at(&self, call: usize) {
        std::fs::write(self.folder.path().join("fail_at"), call.to_string()).unwrap();
    }

    /// Whether the call that shall fail has come.
    pub fn has_failed(&self) -> bool {
        !self.folder.path().join("fail_at").exists()
    }
}
