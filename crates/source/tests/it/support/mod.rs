//! Support of the tests: kernels with inputs as jobs for compilers and devices, in other processes.
//!
//! Libraries of devices are opened by small programs in C, compiled where they are needed; jobs go to them and results come
//! back as bytes. Where a compiler or a library is missing, tests say that they are skipped.

pub mod adapt;
pub mod host;
pub mod nvrtc;
pub mod opencl;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use volvelle_kernel::harness::{self, Contents, Outcome, same_value};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{Access, Code, Compiler, Const, Exit, Kernel, Type};
use volvelle_source::{Dialect, Jumps, Notes, Source, source_with};

/// A kernel as text, and what to run it on.
pub struct Job {
    pub kernel: Kernel,
    pub source: Source,
    pub runs: Vec<Run>,
}

impl Job {
    pub fn new(kernel: Kernel, dialect: Dialect, runs: Vec<Run>) -> Self {
        Job::jumping(kernel, dialect, Jumps::Numbers, runs)
    }

    pub fn jumping(kernel: Kernel, dialect: Dialect, jumps: Jumps, runs: Vec<Run>) -> Self {
        let source = source_with(&kernel, dialect, &Notes::default(), jumps);
        let source = source.unwrap_or_else(|why| panic!("{why}\n{kernel}"));
        Job { kernel, source, runs }
    }
}

/// One launch.
#[derive(Clone)]
pub struct Run {
    pub params: Vec<Const>,
    pub lanes: u64,
    pub buffers: Vec<Vec<Const>>,
}

impl Run {
    pub fn new(params: Vec<Const>, lanes: u64, contents: &[Contents]) -> Self {
        let elements = |contents: &Contents| match contents {
            Contents::Elements(elements) => elements.clone(),
            Contents::Room(_) => panic!("no buffer grows"),
        };
        Run { params, lanes, buffers: contents.iter().map(elements).collect() }
    }
}

/// The outcome of a launch, or why there was none.
pub type RunResult = Result<Outcome, String>;

/// For each job what the compiler says, and what came of its runs; or why nothing could be run.
pub type Results = Result<Vec<(String, Vec<RunResult>)>, String>;

/// A line of a test that cannot run here.
pub fn skip(what: &str) {
    // Not `eprintln!`: the harness keeps to itself what a test that passes prints.
    let test = std::thread::current();
    let _ = writeln!(std::io::stderr(), "skipped: {}: {what}", test.name().unwrap_or_default());
}

/// A folder for the files of one test.
pub fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).expect("a folder for temporary files");
    path
}

/// Compiles a program with the C++ compiler of this machine; `None` where there is none.
pub fn compile(folder: &Path, name: &str, text: &str, options: &[&str]) -> Option<PathBuf> {
    let (source, program) = (folder.join(format!("{name}.cpp")), folder.join(name));
    std::fs::write(&source, text).expect("room for the text");
    let output = Command::new("g++")
        .args(["-std=c++17", "-w", "-o"])
        .arg(&program)
        .arg(&source)
        .args(options)
        .output();
    let output = output.ok()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{} does not compile:\n{}",
        source.display(),
        &errors[..errors.len().min(4000)]
    );
    Some(program)
}

/// The exit status of programs where there is no library or no device.
const MISSING: i32 = 9;

/// Runs a program with bytes as its input; its output, or what it says is missing here.
pub fn talk(program: &Path, arguments: &[&str], input: Vec<u8>) -> Result<Vec<u8>, String> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut stdin = child.stdin.take().expect("it was asked for");
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let _ = writer.join();
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(MISSING) {
        return Err(errors.trim().to_owned());
    }
    assert!(output.status.success(), "{}: {}: {errors}", program.display(), output.status);
    Ok(output.stdout)
}

/// The jobs as bytes, with texts and names of kernels for each; without where these are compiled in.
pub fn pack(jobs: &[Job], texts: &[(String, String)], options: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let text = |out: &mut Vec<u8>, text: &str| {
        out.extend((text.len() as u64).to_le_bytes());
        out.extend(text.as_bytes());
    };
    text(&mut out, options);
    out.extend((jobs.len() as u64).to_le_bytes());
    for (number, job) in jobs.iter().enumerate() {
        let (program, entry) = texts.get(number).map_or(("", ""), |(program, entry)| (program, entry));
        text(&mut out, program);
        text(&mut out, entry);
        out.extend((job.runs.len() as u64).to_le_bytes());
        for run in &job.runs {
            out.extend(run.params[0].bits.to_le_bytes());
            out.extend(run.lanes.to_le_bytes());
            out.extend((run.params.len() as u64 - 1).to_le_bytes());
            for param in &run.params[1..] {
                out.extend((param.ty.bytes() as u64).to_le_bytes());
                out.extend(param.bits.to_le_bytes());
            }
            out.extend((run.buffers.len() as u64).to_le_bytes());
            for (buffer, decl) in run.buffers.iter().zip(&job.kernel.buffers) {
                let bytes = decl.ty.bytes();
                out.extend((buffer.len() as u64).to_le_bytes());
                out.extend((bytes as u64).to_le_bytes());
                out.extend(u64::from(decl.access != Access::Read).to_le_bytes());
                for element in buffer {
                    out.extend(&element.bits.to_le_bytes()[..bytes]);
                }
            }
        }
    }
    out
}

/// The answers: for each job a log and a flag whether it was compiled, for each run exit code and buffers.
pub fn unpack(jobs: &[Job], bytes: &[u8]) -> Vec<(String, Vec<RunResult>)> {
    let mut at = 0;
    let mut take = |count: usize| {
        at += count;
        &bytes[at - count..at]
    };
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    let mut all = Vec::new();
    for job in jobs {
        let compiled = word(take(8)) == 0;
        let length = word(take(8)) as usize;
        let log = String::from_utf8_lossy(take(length)).into_owned();
        if !compiled {
            all.push((log.clone(), job.runs.iter().map(|_| Err(log.clone())).collect()));
            continue;
        }
        let mut results = Vec::new();
        for run in &job.runs {
            let exit = volvelle_source::exit_of_code(word(take(8)) as u32);
            let mut buffers = Vec::new();
            for (buffer, decl) in run.buffers.iter().zip(&job.kernel.buffers) {
                let elements = buffer.iter().map(|_| element(decl.ty, take(decl.ty.bytes())));
                buffers.push(elements.collect());
            }
            results.push(Ok(Outcome { exit, buffers }));
        }
        all.push((log, results));
    }
    all
}

fn element(ty: Type, bytes: &[u8]) -> Const {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(word);
    match ty {
        Type::Bool | Type::F32 | Type::F64 => Const { ty, bits },
        _ => Const::int(ty, bits as i64),
    }
}

/// The outcome of a launch in the reference interpreter, one lane after the other.
pub struct Reference {
    /// How lanes fail that do, each run on what was there before the launch.
    pub failures: Vec<Exit>,
    /// The buffers at the end, where no lane fails.
    outcome: Option<Outcome>,
}

/// The reference interpreter with a kernel.
pub struct Referee<'k> {
    kernel: &'k Kernel,
    code: Box<dyn Code>,
}

impl<'k> Referee<'k> {
    pub fn new(kernel: &'k Kernel) -> Self {
        let code = Interpreter.compile(kernel).unwrap_or_else(|why| panic!("{why}\n{kernel}"));
        Referee { kernel, code }
    }

    pub fn run(&self, run: &Run) -> Reference {
        let lane = |lane: u64, buffers: &[Vec<Const>]| {
            let mut params = run.params.clone();
            params[0] = Const::u64(params[0].bits.wrapping_add(lane));
            let contents: Vec<_> = buffers.iter().cloned().map(Contents::Elements).collect();
            harness::run(&*self.code, &self.kernel.buffers, &params, &contents)
        };
        let mut all = Outcome { exit: Exit::Done, buffers: run.buffers.clone() };
        for number in 0..run.lanes {
            all = lane(number, &all.buffers);
            if all.exit != Exit::Done {
                let exits = (0..run.lanes).map(|number| lane(number, &run.buffers).exit);
                let failures = exits.filter(|exit| *exit != Exit::Done).collect();
                return Reference { failures, outcome: None };
            }
        }
        Reference { failures: vec![], outcome: Some(all) }
    }
}

impl Reference {
    /// The first difference to what a launch left.
    pub fn difference(&self, found: &Outcome) -> Option<String> {
        match &self.outcome {
            Some(expected) => difference(expected, found),
            None if self.failures.contains(&found.exit) => None,
            None => Some(format!("{:?}, lanes fail with {:?}", found.exit, self.failures)),
        }
    }
}

/// The first difference between two outcomes.
pub fn difference(expected: &Outcome, found: &Outcome) -> Option<String> {
    if expected.exit != found.exit {
        return Some(format!("{:?} instead of {:?}", found.exit, expected.exit));
    }
    for (number, (a, b)) in expected.buffers.iter().zip(&found.buffers).enumerate() {
        for (i, (a, b)) in a.iter().zip(b).enumerate() {
            if !same_value(*a, *b) {
                return Some(format!("buffer {number}, element {i}: {b:x?} instead of {a:x?}"));
            }
        }
    }
    None
}

/// Compares what came of jobs with the reference; says so where nothing could be run. Gives how runs ended.
pub fn compare(jobs: &[Job], results: Results) -> Option<Vec<Exit>> {
    let results = match results {
        Ok(results) => results,
        Err(why) => {
            skip(&why);
            return None;
        }
    };
    let mut exits = Vec::new();
    for (job, (_, ran)) in jobs.iter().zip(results) {
        let referee = Referee::new(&job.kernel);
        for (run, ran) in job.runs.iter().zip(ran) {
            let name = &job.kernel.name;
            let outcome = ran.unwrap_or_else(|log| panic!("{name}: {log}\n{}", job.source.text));
            let expected = referee.run(run);
            if let Some(difference) = expected.difference(&outcome) {
                panic!("{name} {:?}: {difference}\n{}\n{}", run.params, job.kernel, job.source.text);
            }
            exits.push(expected.failures.first().copied().unwrap_or(Exit::Done));
        }
    }
    Some(exits)
}
