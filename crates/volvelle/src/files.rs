//! Reading and writing files, with diagnostics that suggest what to do.

use crate::{packed, whole_file};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use volvelle_diagnostics::{Diagnostic, codes, suggest};
use volvelle_verify::{Folder, NamedFiles, Text, decode};

/// Reads a text; `-` is standard input.
pub fn read(path: &Path) -> Result<Text, Diagnostic> {
    decode(&path.display().to_string(), read_bytes(path)?)
}

/// The text of an option that takes a text or the name of a file with it, seen from `base`. A file of that name is read, whatever
/// its extension; and what looks like a name and not like a text is one, so that a file that is missing is named.
pub fn text_or_file(option: &str, base: &Path, what: &str) -> Result<Text, Diagnostic> {
    let is_short = option.len() < 4096 && !option.contains(['\n', '\0']);
    let path = base.join(option);
    if is_short && !option.is_empty() && (path.exists() && !path.is_dir() || looks_like_a_file(option)) {
        return read(&path);
    }
    Ok(Text { name: what.to_owned(), text: option.to_owned() })
}

/// Whether a text is a name with an extension, as no formula is: `safety.mcl`, `../formulas/safety.txt`.
fn looks_like_a_file(text: &str) -> bool {
    let Some((stem, extension)) = text.rsplit_once('.') else { return false };
    let in_name = |c: char| c.is_alphanumeric() || "_-./\\~ ".contains(c);
    let in_extension = |c: char| c.is_ascii_alphanumeric();
    let is_folder = !stem.contains(' ') || stem.contains(['/', '\\']);
    !stem.is_empty()
        && is_folder
        && stem.chars().all(in_name)
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.len() <= 8
        && extension.chars().all(in_extension)
}

/// Reads the bytes of a file; `-` is standard input.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let read = || if path == Path::new("-") { standard_input() } else { on_disk(path) };
    let bytes = packed::read(path, read);
    bytes.map_err(|error| not_read(path, &path.display().to_string(), &error))
}

/// The bytes of a file; if they are many and `is_streamed` accepts the name and the first of them, only these and a reader of the rest.
pub fn begun(
    path: &Path,
    is_streamed: impl Fn(&str, &[u8]) -> bool,
) -> Result<(Vec<u8>, Box<dyn Read>), Diagnostic> {
    const HEAD: u64 = 1 << 12;
    let name = path.display().to_string();
    let failed = |error: io::Error| not_read(path, &name, &error);
    let mut source: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin())
    } else if is_device(path) {
        Box::new(io::Cursor::new(contents(path).map_err(failed)?))
    } else {
        Box::new(std::fs::File::open(path).map_err(failed)?)
    };
    let mut bytes = Vec::new();
    source.by_ref().take(HEAD).read_to_end(&mut bytes).map_err(failed)?;
    if !is_streamed(&name, &bytes) {
        source.read_to_end(&mut bytes).map_err(failed)?;
    }
    Ok((bytes, source))
}

fn standard_input() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The characters that a model reads from standard input; one more than it may read where there are more.
pub fn characters() -> Vec<u8> {
    let mut bytes = Vec::new();
    // What cannot be read ends the input.
    let _ = io::stdin().lock().take(MOST_CHARACTERS).read_to_end(&mut bytes);
    bytes
}

/// More characters than a model reads.
const MOST_CHARACTERS: u64 = (1 << 16) + 1;

/// The bytes of a file that another file names.
fn contents(path: &Path) -> io::Result<Vec<u8>> {
    packed::read(path, || on_disk(path))
}

/// The bytes of a file on disk. Devices such as `/dev/zero` have no end.
fn on_disk(path: &Path) -> io::Result<Vec<u8>> {
    const MOST_OF_A_DEVICE: u64 = 1 << 24;
    if !is_device(path) {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MOST_OF_A_DEVICE).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == MOST_OF_A_DEVICE {
        return Err(io::Error::other("the device never ends"));
    }
    Ok(bytes)
}

#[cfg(unix)]
fn is_device(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::metadata(path).is_ok_and(|file| file.file_type().is_char_device())
}

#[cfg(not(unix))]
fn is_device(_: &Path) -> bool {
    false
}

/// Whether a file is a trail of SPIN by its name.
pub fn is_spin_trail(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("trail"))
}

/// The folder that a model is in.
pub struct ModelFolder<'a> {
    folder: PathBuf,
    record: Option<&'a Record>,
}

/// Files that a model names, as they were read: their paths, and their bytes if there are any.
pub type Record = std::cell::RefCell<Vec<(PathBuf, Option<Vec<u8>>)>>;

impl<'a> ModelFolder<'a> {
    /// The folder of the model in a file.
    pub fn of(model: &Path) -> Self {
        ModelFolder { folder: model.parent().map(Path::to_path_buf).unwrap_or_default(), record: None }
    }

    /// The same, with a note of each file that is asked for.
    pub fn recorded(self, record: Option<&'a Record>) -> Self {
        ModelFolder { record, ..self }
    }
}

impl Folder for ModelFolder<'_> {
    fn read(&mut self, name: &str) -> Option<Vec<u8>> {
        let path = self.folder.join(name);
        let bytes = packed::read(&path, || std::fs::read(&path)).ok();
        if let Some(record) = self.record {
            record.borrow_mut().push((path, bytes.clone()));
        }
        bytes
    }
}

/// Files that a text in another file names: by their paths from the folder of that file.
pub struct BesideFiles;

impl NamedFiles for BesideFiles {
    fn read(&self, beside: &str, name: &str) -> Result<Vec<u8>, String> {
        let path = Path::new(beside).parent().unwrap_or(Path::new("")).join(name);
        contents(&path).map_err(|error| {
            let reason = reason(&path, &error);
            if path == Path::new(name) { reason } else { format!("{reason} ({})", path.display()) }
        })
    }
}

/// The diagnostic about a file that cannot be read.
pub fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    not_read(path, &path.display().to_string(), error)
}

fn not_read(path: &Path, name: &str, error: &io::Error) -> Diagnostic {
    let diagnostic =
        Diagnostic::error(codes::FILE_NOT_READ, format!("cannot read `{name}`: {}", reason(path, error)));
    if path.is_dir() {
        return diagnostic.help(format!("give a file in it: {}", path.join("NAME").display()));
    }
    match neighbour(path).filter(|_| error.kind() == io::ErrorKind::NotFound) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    }
}

/// The diagnostic about a file that cannot be read, with the way out if its name is a property or the value of a constant.
pub fn meant_as_text(path: &Path, diagnostic: Diagnostic) -> Diagnostic {
    let name = path.display().to_string();
    let is_name = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    if path.exists() {
        diagnostic
    } else if name.contains(['[', '?', '"', '(', '<', '>']) {
        let quote = if name.contains('\'') { '"' } else { '\'' };
        let message = format!("expected a property file, found `{name}`");
        Diagnostic::error(codes::BAD_USAGE, message)
            .help(format!("to give a property as text: --prop {quote}{name}{quote}"))
    } else if name.split_once('=').is_some_and(|(constant, value)| is_name(constant) && !value.is_empty()) {
        let message = format!("expected a property file, found `{name}`");
        Diagnostic::error(codes::BAD_USAGE, message)
            .help(format!("to give the value of a constant: --const {name}"))
    } else {
        diagnostic
    }
}

/// The reason of the operating system, in a few words.
pub fn reason(path: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => match missing_folder(path, error) {
            Some(_) => "no such folder".to_owned(),
            None => "no such file".to_owned(),
        },
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ if path.is_dir() => "it is a folder".to_owned(),
        _ => {
            // `Is a directory (os error 21)`
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or_default().to_lowercase()
        }
    }
}

/// The folder of a file, if it is that which was not found.
fn missing_folder<'p>(path: &'p Path, error: &io::Error) -> Option<&'p Path> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty())?;
    (error.kind() == io::ErrorKind::NotFound && !folder.exists()).then_some(folder)
}

/// Errors about files that could not be written. Asked before the work whose results they are for; `-` is standard output.
pub fn unwritable<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Vec<Diagnostic> {
    let files = paths.into_iter().filter(|path| *path != Path::new("-"));
    files.filter_map(|path| Some(not_written(path, &whole_file::probe(path).err()?))).collect()
}

/// Writes a file and notes its name; an error is added to the diagnostics.
pub fn write(path: &Path, bytes: &[u8], written: &mut Vec<String>, diagnostics: &mut Vec<Diagnostic>) {
    match whole_file::replace(path, |out| out.write_all(bytes)) {
        Ok(()) => written.push(path.display().to_string()),
        Err(error) => diagnostics.push(not_written(path, &error)),
    }
}

/// `model.srew` as `model2.srew`, as PRISM names the files of several reward structures.
pub fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}{number}.{extension}"))
}

/// The diagnostic about a file that cannot be written.
pub fn not_written(path: &Path, error: &io::Error) -> Diagnostic {
    let why = reason(path, error);
    let name = path.display();
    let diagnostic = Diagnostic::error(codes::FILE_NOT_WRITTEN, format!("cannot write `{name}`: {why}"));
    match missing_folder(path, error) {
        Some(folder) => diagnostic.help(format!("create the folder first: mkdir -p {}", folder.display())),
        None => diagnostic,
    }
}

/// A file beside it with nearly the same name.
fn neighbour(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    // Large folders are not searched to their end.
    let names: Vec<String> =
        entries.take(10_000).filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
    let near = suggest(wanted, names)?;
    Some(folder.map_or(near.clone(), |f| f.join(&near).display().to_string()))
}
