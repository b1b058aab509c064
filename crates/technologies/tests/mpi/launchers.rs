//! The launchers of this machine.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A launcher that works.
pub struct Launched {
    /// Whose it is.
    pub name: &'static str,
    program: &'static str,
    options: &'static [&'static str],
}

/// How a run ended.
pub struct Ended {
    pub succeeded: bool,
    pub out: String,
    pub err: String,
}

/// Options of Open MPI's `mpirun`: tests have more ranks than there are processors, and containers run them as root; memory of other
/// processes is out of reach in some.
const OPEN_MPI: &[&str] =
    &["--allow-run-as-root", "--oversubscribe", "--mca", "btl_vader_single_copy_mechanism", "none"];

/// Whose launchers are known.
pub const NAMES: [&str; 2] = ["Open MPI", "MPICH"];

/// Names of programs, the implementations that they belong to, their version texts, and the arguments that
/// they need.
const KNOWN: [(&str, &str, &str, &[&str]); 5] = [
    ("Open MPI", "mpirun.openmpi", "Open MPI", OPEN_MPI),
    ("Open MPI", "mpirun", "Open MPI", OPEN_MPI),
    ("MPICH", "mpirun.mpich", "HYDRA", &[]),
    ("MPICH", "mpiexec.hydra", "HYDRA", &[]),
    ("MPICH", "mpirun", "HYDRA", &[]),
];

/// One of each implementation that is there.
pub fn launchers() -> Vec<Launched> {
    let mut found: Vec<Launched> = Vec::new();
    for (name, program, word, options) in KNOWN {
        if found.iter().any(|launcher| launcher.name == name) {
            continue;
        }
        let Ok(version) = Command::new(program).arg("--version").output() else { continue };
        if String::from_utf8_lossy(&version.stdout).contains(word) {
            found.push(Launched { name, program, options });
        }
    }
    found
}

impl Launched {
    /// Its name as part of names of tests.
    pub fn module(&self) -> String {
        self.name.to_lowercase().replace(' ', "_")
    }

    /// Runs a case of this program on some ranks. One that hangs is ended, and has failed.
    pub fn run(&self, case: &str, ranks: usize) -> Ended {
        self.run_with(case, ranks, &[])
    }

    /// The same with more variables.
    pub fn run_with(&self, case: &str, ranks: usize, variables: &[(&str, &str)]) -> Ended {
        let mut child = Command::new(self.program)
            .args(self.options)
            .args(["-n", &ranks.to_string()])
            .arg(std::env::current_exe().expect("the path of this program"))
            .env(crate::CASE, case)
            .envs(variables.iter().copied())
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the launcher starts");
        let (out, err) = (read(child.stdout.take()), read(child.stderr.take()));
        let ended = wait(&mut child);
        let text = |thread: std::thread::JoinHandle<String>| thread.join().expect("a reader");
        let hangs = if ended.is_none() { "\nit hangs\n" } else { "" };
        Ended { succeeded: ended == Some(true), out: text(out), err: text(err) + hangs }
    }
}

fn read(from: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.expect("a pipe").read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits for the end. Returns whether the process succeeded; `None` if it did not end.
fn wait(child: &mut Child) -> Option<bool> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return Some(status.success());
        }
        // Not a measurement: a run that waits forever must not hold up the others.
        if start.elapsed() > Duration::from_secs(100) {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
