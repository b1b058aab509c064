//! Texts as people read them: kernels of `golden/` in both languages. With `BLESS=1` in the environment, the files are
//! rewritten.

use std::path::Path;
use volvelle_kernel::text::parse;
use volvelle_kernel::{Local, Site};
use volvelle_source::{Dialect, Notes, source};

fn file(path: &Path, text: String) -> datatest_stable::Result<()> {
    let kernels = parse(&text).map_err(|errors| format!("{errors:?}"))?;
    let kernel = kernels.first().ok_or("there is no kernel")?;
    let notes = Notes {
        header: text
            .lines()
            .take_while(|line| line.starts_with("// "))
            .map(|line| line[3..].to_owned())
            .collect(),
        locals: vec![(Local(kernel.params as u32), "the first local".to_owned())],
        sites: vec![(Site(0), "what fails first".to_owned())],
    };
    for dialect in Dialect::ALL {
        let found = source(kernel, dialect, &notes)?.text;
        let kept = path.with_extension(dialect.extension());
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&kept, &found)?;
        }
        let expected = std::fs::read_to_string(&kept)?;
        if found != expected {
            return Err(format!("{} differs; found:\n{found}", kept.display()).into());
        }
    }
    Ok(())
}

datatest_stable::harness! {
    { test = file, root = "tests/golden", pattern = r"\.vk$" },
}
