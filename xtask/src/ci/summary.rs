//! Counting tests from what test programs print.

/// Tests of all programs so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl Summary {
    /// Reads a line such as `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out`; ignores
    /// all other lines.
    pub fn count(&mut self, line: &str) {
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
                "ignored" => self.skipped += n,
                _ => {}
            }
        }
    }

    /// Adds the counts of another summary.
    pub fn add(&mut self, other: &Summary) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// Whether no test has run.
    pub fn is_empty(&self) -> bool {
        self.passed + self.failed == 0
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
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
}
