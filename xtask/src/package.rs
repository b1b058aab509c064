//! What a release consists of: `cargo xtask package`.
//!
//! An archive with the program, its completions, its manual pages, the examples and the licences; a file with its checksum; with `--deb` a
//! package for Debian as well. What was made is unpacked again and tried. The workflow of releases calls this on each platform, and CI
//! calls it with the program of the README's first command.

mod archive;
mod debian;
mod staging;
mod steps;

use crate::{metadata, tree};
use std::path::{Path, PathBuf};
use std::process::Command;
use steps::succeeds;

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The platform, as the compiler names it; without it that of this machine.
    pub target: Option<String>,
    /// A program that is built already.
    pub program: Option<PathBuf>,
    /// Where the files go; without it, beside what is built.
    pub output: Option<PathBuf>,
    /// Whether a package for Debian is made, too.
    pub has_deb: bool,
}

/// `cargo xtask package`.
pub fn run(arguments: &[String]) -> Result<bool, String> {
    for file in make(&options(arguments)?)? {
        println!("made: {}", file.display());
    }
    Ok(true)
}

fn options(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().cloned().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--target" => options.target = Some(value()?),
            "--program" => options.program = Some(value()?.into()),
            "--output" => options.output = Some(value()?.into()),
            "--deb" => options.has_deb = true,
            other => return Err(format!("package knows no option `{other}`")),
        }
    }
    Ok(options)
}

/// Makes the files of a release, and tries them.
pub fn make(options: &Options) -> Result<Vec<PathBuf>, String> {
    let root = tree::root();
    let target = match &options.target {
        Some(target) => target.clone(),
        None => metadata::host()?,
    };
    let program = match &options.program {
        Some(program) => root.join(program),
        None => built(&root, options.target.as_deref())?,
    };
    let output = match &options.output {
        Some(folder) => root.join(folder),
        None => metadata::target_folder(&root)?.join("package"),
    };
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("volvelle-{version}-{target}");
    let folder = output.join(&name);
    staging::stage(&root, &program, &folder)?;
    let archive = archive::make(&output, &name, target.contains("windows"))?;
    let checksum = archive::write_checksum(&archive)?;
    archive::try_out(&archive, &name)?;
    let mut files = vec![archive, checksum];
    if options.has_deb {
        let deb = debian::make(&output, &folder, version, &target)?;
        debian::try_out(&deb, &output)?;
        files.push(archive::write_checksum(&deb)?);
        files.push(deb);
    }
    Ok(files)
}

/// Builds the program of a release.
fn built(root: &Path, target: Option<&str>) -> Result<PathBuf, String> {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root).args(["build", "--locked", "--profile", "dist", "-p", "volvelle"]);
    let mut folder = metadata::target_folder(root)?;
    if let Some(target) = target {
        command.args(["--target", target]);
        folder.push(target);
    }
    succeeds(&mut command)?;
    Ok(folder.join("dist").join(format!("volvelle{}", std::env::consts::EXE_SUFFIX)))
}

#[cfg(test)]
mod tests {
    use super::{Options, debian, options};
    use crate::tree;

    #[test]
    fn options_are_read() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let found = options(&words("--target a --program b --output c --deb")).expect("options");
        let expected = Options {
            target: Some("a".into()),
            program: Some("b".into()),
            output: Some("c".into()),
            has_deb: true,
        };
        assert_eq!(found, expected);
        assert!(options(&words("--target")).is_err() && options(&words("--dep")).is_err());
    }

    /// Each platform of the workflow is one for which files are made, on a machine of that platform: completions and manual pages are
    /// what the program itself prints.
    #[test]
    fn the_workflow_makes_what_is_tried_here() {
        let text = std::fs::read_to_string(tree::root().join(".github/workflows/release.yml"))
            .expect("the workflow");
        let targets: Vec<&str> = text
            .lines()
            .filter_map(|line| line.split("target: ").nth(1)?.split([',', ' ', '}']).next())
            .filter(|target| target.contains('-'))
            .collect();
        assert_eq!(targets.len(), 6, "{targets:?}");
        for target in targets {
            let machine = text.lines().find(|line| line.contains(target)).expect("its line");
            let is_arm = target.starts_with("aarch64");
            assert_eq!(is_arm, machine.contains("arm") && !machine.contains("intel"), "{machine}");
        }
        assert!(text.contains("cargo xtask package --target ${{ matrix.target }}"));
        assert!(debian::architecture("x86_64-unknown-linux-musl").is_ok());
        assert!(debian::architecture("aarch64-unknown-linux-musl").is_ok());
        assert!(debian::architecture("x86_64-apple-darwin").is_err());
    }
}
