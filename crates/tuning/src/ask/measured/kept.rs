//! The cache of measured times: read at the beginning, and extended by every measurement, so that nothing is lost when a run ends
//! early. Several runs may extend it at once: each takes its turn, and adds to what is there.

use std::io;
use std::path::{Path, PathBuf};
use volvelle_console::door::Lock;
use volvelle_console::{door, files};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_tune::formats::Measurement;
use volvelle_tune::formats::cache::{Cache, END};
use volvelle_tune::space::Parameter;

/// Bytes at the end of a cache that tell whether it has entries, and whether it has its end: more than an entry has.
const TAIL: usize = 1 << 20;

/// An open cache.
pub struct Kept {
    path: PathBuf,
    parameters: Vec<Parameter>,
    failure: Option<io::Error>,
}

impl Kept {
    /// Opens a cache, and returns what it has. `empty` describes what is measured.
    pub fn open(path: &Path, empty: &Cache) -> Result<(Kept, Vec<Measurement>), Diagnostic> {
        let not_written = |error: io::Error| files::not_written(path, &error);
        let _lock = Lock::of(path).map_err(not_written)?;
        let mut whole = empty.clone();
        if path.exists() {
            let text = String::from_utf8_lossy(&files::read_kept(path)?).into_owned();
            let wrong =
                |why: String| Diagnostic::error(codes::TUNER_FILE, format!("`{}`: {why}", path.display()));
            let found = Cache::read(&text).map_err(|error| wrong(error.to_string()))?;
            found.fits(&empty.device, &empty.kernel, &empty.size, &empty.parameters).map_err(
                |difference| {
                    let diagnostic = wrong("the cache belongs to another run".to_owned());
                    diagnostic
                        .note(format!("it has the {difference}"))
                        .help("name another file: --measurements FILE")
                },
            )?;
            whole.entries = found.entries;
            // Values that other runs had stay in the list, so that their entries keep their meaning.
            for (parameter, other) in whole.parameters.iter_mut().zip(found.parameters) {
                for value in other.values {
                    if !parameter.values.contains(&value) {
                        parameter.values.push(value);
                    }
                }
            }
        }
        // The old file stays until the new one is whole.
        door::keep(path, |out| out.write_all(whole.write().as_bytes())).map_err(not_written)?;
        let kept = Kept { path: path.to_owned(), parameters: empty.parameters.clone(), failure: None };
        Ok((kept, whole.entries))
    }

    /// Adds a measurement.
    pub fn add(&mut self, measurement: &Measurement) {
        if let Err(error) = self.extend(measurement) {
            self.failure.get_or_insert(error);
        }
    }

    fn extend(&self, measurement: &Measurement) -> io::Result<()> {
        let _lock = Lock::of(&self.path)?;
        // Whatever others did since: behind their last entry.
        door::append(&self.path, TAIL, |tail| {
            let body = body(tail);
            let entry = Cache::entry(&self.parameters, measurement, body.ends_with(b"{"));
            (tail.len() - body.len(), entry + END)
        })
    }

    /// Tells how it went.
    pub fn close(self, written: &mut Vec<String>, diagnostics: &mut Vec<Diagnostic>) {
        match self.failure {
            None => written.push(self.path.display().to_string()),
            Some(error) => diagnostics.push(files::not_written(&self.path, &error)),
        }
    }
}

/// The end of a cache without what ends the file, and without a line that a process did not write to its end.
fn body(tail: &[u8]) -> &[u8] {
    let trimmed = |bytes: &'_ [u8]| bytes.trim_ascii_end().len();
    let body = tail.strip_suffix(END.as_bytes()).unwrap_or(tail);
    let body = &body[..trimmed(body)];
    let body = body.strip_suffix(b",").unwrap_or(body);
    if body.ends_with(b"}") || body.ends_with(b"{") {
        return body;
    }
    let line = body.iter().rposition(|byte| *byte == b'\n').unwrap_or(body.len());
    let body = &body[..trimmed(&body[..line])];
    body.strip_suffix(b",").unwrap_or(body)
}

#[cfg(test)]
mod tests {
    use super::{Kept, body};
    use std::path::PathBuf;
    use volvelle_tune::Value;
    use volvelle_tune::formats::Measurement;
    use volvelle_tune::formats::cache::Cache;
    use volvelle_tune::space::Parameter;
    use volvelle_tune::strategy::Outcome;

    fn empty(values: &[i64]) -> Cache {
        let values = values.iter().map(|value| Value::Int(*value)).collect();
        Cache {
            device: "a device".to_owned(),
            kernel: "twice".to_owned(),
            size: vec![64],
            parameters: vec![Parameter { name: "WG".to_owned(), values }],
            entries: Vec::new(),
        }
    }

    fn measured(value: i64) -> Measurement {
        Measurement {
            values: vec![Value::Int(value)],
            outcome: Outcome::Time(value as f64),
            times: vec![value as f64],
            compile_ms: 1.0,
            benchmark_ms: 1.0,
            verification_ms: 0.0,
            strategy_ms: 0.0,
            timestamp: String::new(),
            detail: String::new(),
        }
    }

    fn values(path: &PathBuf) -> Vec<i64> {
        let cache = Cache::read(&std::fs::read_to_string(path).unwrap()).unwrap();
        let value = |entry: &Measurement| match entry.values[0] {
            Value::Int(value) => value,
            _ => panic!("a number"),
        };
        let mut values: Vec<i64> = cache.entries.iter().map(value).collect();
        values.sort_unstable();
        values
    }

    /// Runs that have one cache open at once: it keeps what all of them measure, also where one of them ends in the midst of a line.
    #[test]
    fn lost_measurements_of_runs_that_share_a_cache() {
        let path = std::env::temp_dir().join(format!("volvelle-kept-{}.json", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let (mut one, known) = Kept::open(&path, &empty(&[1, 2, 3])).unwrap();
        assert!(known.is_empty());
        one.add(&measured(1));
        let (mut two, known) = Kept::open(&path, &empty(&[4, 5, 6])).unwrap();
        assert_eq!(known.len(), 1);
        for [a, b] in [[2, 4], [3, 5]] {
            one.add(&measured(a));
            two.add(&measured(b));
        }
        one.close(&mut Vec::new(), &mut Vec::new());
        assert_eq!(values(&path), [1, 2, 3, 4, 5]);
        // A process ends in the midst of its entry.
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 30]).unwrap();
        two.add(&measured(6));
        assert_eq!(values(&path), [1, 2, 3, 4, 6]);
        two.close(&mut Vec::new(), &mut Vec::new());
        let threads: Vec<_> = (10..14)
            .map(|thread| {
                let path = path.clone();
                std::thread::spawn(move || {
                    let (mut kept, _) = Kept::open(&path, &empty(&[thread])).unwrap();
                    (0..10).for_each(|i| kept.add(&measured(10 * thread + i)));
                    kept.close(&mut Vec::new(), &mut Vec::new());
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(values(&path).len(), 5 + 40);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn what_is_left_of_an_end() {
        for (tail, left) in [
            ("{\n}\n}\n", "{"),
            ("{\n\"1\": {}\n}\n}\n", "{\n\"1\": {}\n"),
            ("{\n\"1\": {},\n\"2\": {\"a", "{\n\"1\": {}"),
            ("{\n\"1\": {},\n", "{\n\"1\": {}"),
        ] {
            assert_eq!(
                std::str::from_utf8(body(tail.as_bytes())).unwrap().trim_end(),
                left.trim_end(),
                "{tail:?}"
            );
        }
    }
}
