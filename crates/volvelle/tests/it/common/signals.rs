//! Signals to runs of the program.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

/// Has the program of a command end by signals, as one does that is started in a terminal. Under `nohup`, or behind `&` in a script, tests
/// are started to ignore some, and whatever they start inherits that.
pub fn ended_by_signals(command: &mut Command) -> &mut Command {
    // SAFETY: `signal` may be called between fork and exec (it is async-signal-safe, POSIX.1-2017, 2.4.3), and nothing else is done there.
    unsafe {
        command.pre_exec(|| {
            for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM] {
                libc::signal(signal, libc::SIG_DFL);
            }
            Ok(())
        })
    }
}

/// Sends a signal, by its name without `SIG`.
pub fn send(signal: &str, child: &Child) {
    let status = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
    assert!(status.expect("there is kill").success());
}
