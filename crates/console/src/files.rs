//! Reading and writing files, with diagnostics that suggest what to do.

use crate::door::{self, Refusal, Role};
use crate::packed;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use volvelle_diagnostics::{Diagnostic, Severity, codes, suggest};
use volvelle_session::limits;
use volvelle_session::{Folder, NamedFiles, Text, decode};

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

/// The texts of an option that may be repeated, as [`text_or_file`] reads them; what cannot be read is added to `refusals`.
pub fn texts_or_files(given: &[String], what: &str, refusals: &mut Vec<Diagnostic>) -> Vec<Text> {
    let texts = given.iter().map(|text| text_or_file(text, Path::new(""), what));
    texts.filter_map(|text| text.map_err(|diagnostic| refusals.push(diagnostic)).ok()).collect()
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
    refuse_partial(path)?;
    contents(path).map_err(|error| unreadable(path, &error))
}

/// Reads the bytes of a file that the run continues, such as a checkpoint.
pub fn read_kept(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    door::read_kept(path).map_err(|error| unreadable(path, &error))
}

/// The bytes of a file; if they are many and `is_streamed` accepts the name and the first of them, only these and a reader of the rest.
pub fn begun(
    path: &Path,
    is_streamed: impl Fn(&str, &[u8]) -> bool,
) -> Result<(Vec<u8>, Box<dyn Read>), Diagnostic> {
    const HEAD: u64 = 1 << 12;
    let name = path.display().to_string();
    let failed = |error: io::Error| unreadable(path, &error);
    refuse_partial(path)?;
    let mut source: Box<dyn Read> = Box::new(door::open(path).map_err(failed)?);
    let mut bytes = Vec::new();
    source.by_ref().take(HEAD).read_to_end(&mut bytes).map_err(failed)?;
    if !is_streamed(&name, &bytes) {
        source.read_to_end(&mut bytes).map_err(failed)?;
    }
    Ok((bytes, source))
}

/// The characters that a model reads from standard input; one more than it may read where there are more.
pub fn characters() -> Vec<u8> {
    // What cannot be read ends the input.
    door::standard_input(MOST_CHARACTERS).unwrap_or_default()
}

/// More characters than a model reads.
const MOST_CHARACTERS: u64 = (1 << 16) + 1;

/// The bytes of a file, from disk or as they came with the parts of a run.
fn contents(path: &Path) -> io::Result<Vec<u8>> {
    packed::read(path, || door::read(path))
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
        let bytes = contents(&path).ok();
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
    if let Some(refusal) = door::refusal_of(error) {
        return refused(refusal);
    }
    let name = path.display().to_string();
    let diagnostic =
        Diagnostic::error(codes::FILE_NOT_READ, format!("cannot read `{name}`: {}", reason(path, error)));
    if path.is_dir() {
        return diagnostic.help(format!("give a file in it: {}", path.join("NAME").display()));
    }
    let is_missing = error.kind() == io::ErrorKind::NotFound;
    if let Some((file, _)) = name.rsplit_once(':').filter(|(file, _)| is_missing && Path::new(file).is_file())
    {
        return diagnostic
            .note("a state is named behind a file where weighted systems are compared, or a formula of theirs is checked")
            .help(format!("compare weighted systems: volvelle compare {name} OTHER --relation wbb"))
            .help(format!("or give the file alone: {file}"));
    }
    match neighbour(path).filter(|_| is_missing) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    }
}

/// The diagnostic about a file that the door refuses.
fn refused(refusal: &Refusal) -> Diagnostic {
    let help = "give each file its own name";
    let diagnostic = match refusal {
        Refusal::Stopped(stop) => return limits::stopped(*stop, &door::allowance()),
        Refusal::PrintedOver(_) => {
            let help = "write to another file, not to one that is read";
            return Diagnostic::error(codes::BAD_USAGE, refusal.to_string()).help(help);
        }
        _ => Diagnostic::error(codes::BAD_USAGE, refusal.to_string()).help(help),
    };
    match refusal {
        Refusal::Overwritten(target, read) if target != read => {
            diagnostic.note(format!("it is read as `{read}`"))
        }
        Refusal::Twice(second, first) if second != first => {
            diagnostic.note(format!("`{first}` is the same file"))
        }
        _ => diagnostic,
    }
}

/// Whatever the door refused so far, also of files that other files name: a command asks when it has read them.
pub fn refusals() -> Vec<Diagnostic> {
    let conflicts: Vec<Diagnostic> = door::conflicts().iter().map(refused).collect();
    if conflicts.is_empty() {
        return door::stopped().map(|stop| refused(&Refusal::Stopped(stop))).into_iter().collect();
    }
    conflicts
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
    if let Some(refusal) = door::refusal_of(error) {
        return refusal.to_string();
    }
    match error.kind() {
        io::ErrorKind::NotFound => match missing_folder(path, error) {
            Some(_) => "no such folder".to_owned(),
            None => "no such file".to_owned(),
        },
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
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
    files.filter_map(|path| Some(not_written(path, &door::probe(path).err()?))).collect()
}

/// Writes a result and notes its name; an error is added to the diagnostics. If these, or those of the run, say that it ended early, the
/// result is partial, and so is its name.
pub fn write(path: &Path, bytes: &[u8], written: &mut Vec<String>, diagnostics: &mut Vec<Diagnostic>) {
    let is_whole = !diagnostics.iter().any(is_cut);
    write_as(is_whole, path, bytes, written, diagnostics);
}

/// The same, for a result that `is_whole`, or is not.
pub fn write_as(
    is_whole: bool,
    path: &Path,
    bytes: &[u8],
    written: &mut Vec<String>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let place = if is_whole { path.to_owned() } else { partial(path) };
    match door::replace(&place, |out| out.write_all(bytes)) {
        Ok(()) => written.push(place.display().to_string()),
        Err(error) => diagnostics.push(not_written(&place, &error)),
    }
    if place != path {
        let message = format!("`{}` is not written: the run ended early", path.display());
        let note = format!("what is known so far is in `{}`", place.display());
        diagnostics.push(Diagnostic::note_only(codes::PARTIAL_RESULT, message).note(note));
    }
}

/// Whether a diagnostic says that a run ended before all of its results were known.
pub fn is_cut(diagnostic: &Diagnostic) -> bool {
    const ENDS: [volvelle_diagnostics::Code; 4] =
        [codes::STATE_LIMIT, codes::MEMORY_LIMIT, codes::TIME_LIMIT, codes::CANCELLED];
    diagnostic.severity == Severity::Error && ENDS.contains(&diagnostic.code)
}

/// The mark of a partial result, in its name before the ending: `table.partial.csv`.
const PARTIAL: &str = "partial";

/// The name of a partial result; special files such as `/dev/stdout` have no other.
fn partial(path: &Path) -> PathBuf {
    if path.exists() && !path.is_file() {
        return path.to_owned();
    }
    match path.extension() {
        Some(ending) => path.with_extension(format!("{PARTIAL}.{}", ending.to_string_lossy())),
        None => path.with_extension(PARTIAL),
    }
}

/// A partial result is no input.
fn refuse_partial(path: &Path) -> Result<(), Diagnostic> {
    let stem = path.file_stem().map(Path::new);
    let is_partial =
        [Some(path), stem].into_iter().flatten().any(|name| name.extension().is_some_and(|e| e == PARTIAL));
    if !is_partial || !path.is_file() {
        return Ok(());
    }
    let message = format!("`{}` is a partial result", path.display());
    Err(Diagnostic::error(codes::PARTIAL_RESULT, message)
        .note("the run that wrote it ended early")
        .help("run that command again with a higher limit, or give the file another name"))
}

/// `model.srew` as `model2.srew`, as PRISM names the files of several reward structures.
pub fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}{number}.{extension}"))
}

/// Says that a file is to be written, and perhaps those beside it that [`numbered`] would make of its name.
pub fn claim(path: &Path, is_numbered: bool) {
    door::claim(path, Role::Written);
    if !is_numbered {
        return;
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    let is_one = |name: &str| {
        let number = name.strip_prefix(stem.as_str()).and_then(|rest| rest.strip_suffix(ending.as_str()));
        let number = number.and_then(|number| number.strip_suffix('.'));
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
    };
    door::claim_among(path.parent().unwrap_or(Path::new("")), is_one, Role::Perhaps);
}

/// The diagnostic about a file that cannot be written.
pub fn not_written(path: &Path, error: &io::Error) -> Diagnostic {
    if let Some(refusal) = door::refusal_of(error) {
        return refused(refusal);
    }
    let why = reason(path, error);
    let name = path.display().to_string();
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
    let near = suggest(wanted, door::folder_entries(folder.unwrap_or(Path::new("."))))?;
    Some(folder.map_or(near.clone(), |f| f.join(&near).display().to_string()))
}
