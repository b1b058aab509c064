//! Counting tests from what test programs print.

/// Tests that may be skipped where CI runs: words of what they say, and the reason.
const MAY_BE_SKIPPED: &[(&str, &str)] = &[
    (
        "_CORPUS is not set",
        "published models are not part of the repository; steps of their own run where they are",
    ),
    (
        "corpus/multicore",
        "golden data are beside the repository, and are run by the test command where they are",
    ),
    ("the driver (libcuda) cannot be opened", "a machine of CI has no GPU of NVIDIA"),
];

/// Tests of all programs so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    passed: u64,
    failed: u64,
    /// Tests that the harness leaves out.
    ignored: u64,
    /// Tests that said that they cannot run: name and reason.
    skipped: Vec<String>,
}

impl Summary {
    /// Reads a line such as `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out`; ignores
    /// all other lines. A line that begins with `skipped: ` is that of a test that cannot run here; the harness counts it as
    /// passed.
    pub fn count(&mut self, line: &str) {
        if let Some(test) = line.strip_prefix("skipped: ") {
            let test = test.trim_end().to_owned();
            if !self.skipped.contains(&test) {
                self.skipped.push(test);
            }
            return;
        }
        let Some((_, result)) = line.split_once("test result: ") else { return };
        let counts = result.split_once(". ").map_or("", |(_, counts)| counts);
        for count in counts.split(';') {
            let mut words = count.split_whitespace();
            let (Some(Ok(n)), Some(word)) = (words.next().map(str::parse::<u64>), words.next()) else {
                continue;
            };
            match word {
                "passed" => self.passed += n,
                "failed" => self.failed += n,
                "ignored" => self.ignored += n,
                _ => {}
            }
        }
    }

    /// Adds the counts of another summary.
    pub fn add(&mut self, other: &Summary) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
        self.skipped.extend(other.skipped.iter().cloned());
    }

    /// Tests that were skipped and have no reason to be where CI runs.
    pub fn unexpectedly_skipped(&self) -> impl Iterator<Item = &str> {
        let may = |test: &&String| MAY_BE_SKIPPED.iter().any(|(words, _)| test.contains(words));
        self.skipped.iter().filter(move |test| !may(test)).map(String::as_str)
    }

    /// Whether no test has run.
    pub fn is_empty(&self) -> bool {
        self.passed + self.failed == 0
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Those that skipped themselves have passed for the harness.
        let skipped = self.skipped.len() as u64;
        let passed = self.passed.saturating_sub(skipped);
        write!(f, "{passed} passed, {} failed, {} skipped", self.failed, skipped + self.ignored)
    }
}

#[cfg(test)]
mod tests {
    use super::Summary;

    #[test]
    fn counts_of_several_programs() {
        let mut summary = Summary::default();
        assert!(summary.is_empty());
        for line in [
            "running 4 tests",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "test a ... ok",
            "test result: FAILED. 10 passed; 2 failed; 0 ignored; 0 measured; 7 filtered out; finished in 0.01s",
        ] {
            summary.count(line);
        }
        assert_eq!(summary.to_string(), "13 passed, 2 failed, 1 skipped");
        summary.add(&summary.clone());
        assert_eq!(summary.to_string(), "26 passed, 4 failed, 2 skipped");
        assert!(!summary.is_empty());
    }

    #[test]
    fn tests_that_say_that_they_are_skipped() {
        let mut summary = Summary::default();
        for line in [
            "test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "skipped: random_programs: SPIN and a C compiler are not there",
            "skipped: random_programs: SPIN and a C compiler are not there",
            "skipped: exchange_corpus: VOLVELLE_EXCHANGE_CORPUS is not set",
            "skipped: cuda::a_device: cuda is not tested: no CUDA: the driver (libcuda) cannot be opened: libcuda.so.1: no such file",
        ] {
            summary.count(line);
        }
        assert_eq!(summary.to_string(), "2 passed, 0 failed, 4 skipped");
        let unexpected: Vec<&str> = summary.unexpectedly_skipped().collect();
        assert_eq!(unexpected, ["random_programs: SPIN and a C compiler are not there"]);
    }
}
