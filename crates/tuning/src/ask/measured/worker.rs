//! The process that runs kernels: started when it is needed, ended when it takes too long, and started again when it is gone.

use crate::measuring::{Answer, Device, Job, Results};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use volvelle_tune::strategy::Failure;

/// How long a device may take to open.
const PATIENCE: Duration = Duration::from_secs(60);

/// A process with a device.
pub struct Worker {
    number: usize,
    running: Option<Running>,
    /// What a new process has to do first.
    reference: Option<Job>,
    /// How long a job may take.
    limit: Duration,
}

struct Running {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Worker {
    /// Starts a process for the device with this number.
    ///
    /// # Errors
    /// There is no such device, in one line.
    pub fn start(number: usize, limit: Duration) -> Result<(Self, Device), String> {
        let (running, device) = Running::start(number)?;
        Ok((Worker { number, running: Some(running), reference: None, limit }, device))
    }

    /// Has a job done.
    pub fn measure(&mut self, job: &Job) -> Answer {
        if self.running.is_none() {
            match Running::start(self.number) {
                Ok((running, _)) => self.running = Some(running),
                Err(why) => return Answer::failed(Failure::Launch, why),
            }
            if let Some(reference) = self.reference.clone() {
                self.ask(&reference);
            }
        }
        if job.results == Results::Keep {
            self.reference = Some(job.clone());
        }
        self.ask(job)
    }

    fn ask(&mut self, job: &Job) -> Answer {
        let Some(running) = &mut self.running else { return Answer::failed(Failure::Launch, "no process") };
        let text = serde_json::to_string(job).unwrap_or_default();
        let sent = writeln!(running.input, "{text}").and_then(|()| running.input.flush());
        let line = match sent {
            Ok(()) => running.lines.recv_timeout(self.limit),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        };
        match line {
            Ok(line) => serde_json::from_str(&line)
                .unwrap_or_else(|error| Answer::failed(Failure::Launch, format!("no answer: {error}"))),
            Err(RecvTimeoutError::Timeout) => {
                self.running = None;
                Answer::failed(
                    Failure::Timeout,
                    format!("it took longer than {} s", self.limit.as_secs_f64()),
                )
            }
            Err(RecvTimeoutError::Disconnected) => {
                let end = running.child.wait().map(|status| status.to_string());
                self.running = None;
                let end = end.unwrap_or_else(|error| error.to_string());
                Answer::failed(Failure::Launch, format!("it ended the process that ran it: {end}"))
            }
        }
    }
}

impl Running {
    fn start(number: usize) -> Result<(Running, Device), String> {
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(own);
        // PoCL's threads otherwise share a core for whole series of short launches: times differ by the factor two.
        if std::env::var_os("POCL_AFFINITY").is_none() {
            command.env("POCL_AFFINITY", "1");
        }
        let mut child = command
            .args(["bench-kernels", "--device", &number.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Drivers write there what the compiler says, which comes back as part of an answer.
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())?;
        let (Some(input), Some(out)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("a process without input and output".to_owned());
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let running = Running { child, input, lines };
        let first =
            running.lines.recv_timeout(PATIENCE).map_err(|_| "the device does not answer".to_owned())?;
        let first: serde_json::Value = serde_json::from_str(&first).map_err(|error| error.to_string())?;
        if let Some(why) = first["error"].as_str() {
            return Err(why.to_owned());
        }
        let device = serde_json::from_value(first["device"].clone()).map_err(|error| error.to_string())?;
        Ok((running, device))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that ended on its own is no error.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
