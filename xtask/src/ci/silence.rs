//! Tests that wait for ever.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// No test takes this long, even where much else runs: the longest takes a minute.
pub const LONGEST: Duration = Duration::from_secs(600);

/// Ends test programs when none has said anything for so long, again and again until the other end of the channel is gone. The harness
/// says after a minute which test runs; the tests of other programs follow.
pub fn end_waiting_tests(heard: Receiver<()>, longest: Duration, target: &Path) {
    loop {
        match heard.recv_timeout(longest) {
            Ok(()) => {}
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                println!("no test has said anything for {} s: its program is ended", longest.as_secs());
                for process in test_programs(target) {
                    let mut kill = Command::new("sh");
                    kill.args(["-c", &format!("kill -9 {process}")]).stderr(Stdio::null());
                    // One that has ended meanwhile is what was wanted.
                    let _ = kill.status();
                }
            }
        }
    }
}

/// The processes whose programs cargo has built as tests, as Linux tells them; none elsewhere.
fn test_programs(target: &Path) -> Vec<u32> {
    let folder = target.join("debug/deps");
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .filter(|number: &u32| {
            std::fs::read_link(format!("/proc/{number}/exe"))
                .is_ok_and(|program| program.starts_with(&folder))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_that_waits_is_ended() {
        let target = std::env::temp_dir().join(format!("volvelle-silence-{}", std::process::id()));
        let folder = target.join("debug/deps");
        std::fs::create_dir_all(&folder).unwrap();
        let program = folder.join("waits");
        std::fs::copy("/bin/sleep", &program).unwrap();
        let mut child = Command::new(&program).arg("600").spawn().unwrap();
        let (sender, heard) = channel();
        let watched = &target;
        std::thread::scope(|scope| {
            scope.spawn(move || end_waiting_tests(heard, Duration::from_millis(50), watched));
            // Nobody says anything; the program is ended.
            assert!(!child.wait().unwrap().success());
            drop(sender);
        });
        std::fs::remove_dir_all(&target).unwrap();
    }
}
