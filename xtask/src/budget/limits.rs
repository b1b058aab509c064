//! The budgets: `xtask/budget.toml`.

use std::path::Path;

/// What is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The program with all of its wings.
    Whole,
    /// Without them.
    Core,
}

impl Extent {
    /// As arguments and the file of budgets name it.
    pub fn name(self) -> &'static str {
        match self {
            Extent::Whole => "whole",
            Extent::Core => "core",
        }
    }
}

/// The budgets of the program with and without its wings.
pub struct Limits {
    text: String,
}

/// The budget of a build.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// CPU time, as a multiple of that of the code generator.
    pub times: f64,
    /// Millions of bytes of the program.
    pub megabytes: f64,
}

impl Limits {
    /// Reads the file.
    pub fn read(root: &Path) -> Result<Self, String> {
        let path = root.join("xtask/budget.toml");
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Limits { text })
    }

    /// The budget of a build; without limits where the file has none.
    pub fn of(&self, extent: Extent) -> Budget {
        let head = format!("[{}]", extent.name());
        let lines = self.text.lines().skip_while(|line| line.trim() != head).skip(1);
        let section: Vec<&str> = lines.take_while(|line| !line.starts_with('[')).collect();
        let value = |key: &str| {
            let mut pairs = section.iter().filter_map(|line| line.split_once('='));
            let value = pairs.find(|(name, _)| name.trim() == key)?.1;
            value.split('#').next()?.trim().parse().ok()
        };
        Budget {
            times: value("times").unwrap_or(f64::INFINITY),
            megabytes: value("megabytes").unwrap_or(f64::INFINITY),
        }
    }
}

impl Budget {
    /// Whether a build keeps it; says where it does not.
    pub fn allow(&self, times: f64, megabytes: f64) -> bool {
        let mut is_kept = true;
        for (what, value, limit) in [("CPU time", times, self.times), ("size", megabytes, self.megabytes)] {
            if value > limit {
                println!("over budget: the {what} is {value:.2}, and xtask/budget.toml allows {limit:.2}");
                is_kept = false;
            }
        }
        is_kept
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Extent, Limits};

    #[test]
    fn budgets_are_read_and_kept() {
        let limits =
            Limits { text: "# why\n[core]\ntimes = 4.5 # so\nmegabytes = 20\n[whole]\ntimes = 6\n".into() };
        assert_eq!(limits.of(Extent::Core), Budget { times: 4.5, megabytes: 20.0 });
        assert!(limits.of(Extent::Whole).megabytes.is_infinite());
        let core = limits.of(Extent::Core);
        assert!(core.allow(4.5, 20.0) && !core.allow(4.6, 1.0) && !core.allow(1.0, 20.1));
    }

    #[test]
    fn the_file_has_budgets() {
        let limits = Limits::read(&crate::tree::root()).expect("the file");
        for extent in [Extent::Core, Extent::Whole] {
            let budget = limits.of(extent);
            assert!(budget.times.is_finite() && budget.megabytes.is_finite(), "{extent:?}");
        }
    }
}
