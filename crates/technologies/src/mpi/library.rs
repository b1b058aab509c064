//! Finding the library, and telling which family it is of.

use super::launcher::{Family, Launcher};
use super::table::Functions;
use libloading::Library;
use std::error::Error as _;
use std::ffi::{CStr, c_char, c_int};
use std::path::{Path, PathBuf};
use volvelle_runtime::Error;

/// A library that is open.
pub(super) struct Opened {
    pub(super) functions: Functions,
    pub(super) family: Family,
    /// The name by which it was opened.
    pub(super) path: PathBuf,
    /// Its description of itself, in one line.
    pub(super) version: String,
}

/// Opens the first library that exists and is of a known family.
///
/// # Errors
/// There is none: says what was tried, and why it failed.
pub(super) fn open(launcher: &Launcher) -> Result<Opened, Error> {
    let mut tried = Vec::new();
    for path in launcher.candidates() {
        match attempt(&path) {
            Ok(opened) => return Ok(opened),
            Err(why) => tried.push(why),
        }
    }
    let who = match (launcher.evidence(), launcher.family()) {
        (Some(evidence), Some(family)) => format!(" (the launcher is of {family}, by {evidence})"),
        (Some(evidence), None) => format!(" (a launcher set {evidence})"),
        (None, _) => String::new(),
    };
    Err(Error::Unavailable(format!("no MPI: no library can be opened{who}; tried {}", tried.join("; "))))
}

fn attempt(path: &Path) -> Result<Opened, String> {
    let name = path.display();
    let library = load(path).map_err(|error| {
        let why = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
        // Systems repeat the name.
        if why.contains(&*path.to_string_lossy()) { why } else { format!("{name}: {why}") }
    })?;
    let version = version(&library).ok_or_else(|| format!("{name}: it is no MPI of version 3 or later"))?;
    let family = family(path, &library, &version)
        .ok_or_else(|| format!("{name}: `{version}` is neither Open MPI nor of MPICH's kind"))?;
    let functions = Functions::of(family, library).map_err(|error| format!("{name}: {error}"))?;
    Ok(Opened { functions, family, path: path.to_owned(), version })
}

#[cfg(unix)]
fn load(path: &Path) -> Result<Library, libloading::Error> {
    use libloading::os::unix;
    // Open MPI's plugins look up their functions among those of the whole program.
    // SAFETY: libraries of MPI can be opened by any program. A file with such a name, in a place that the system
    // or the user trusts, is trusted as one of them.
    unsafe { unix::Library::open(Some(path), unix::RTLD_NOW | unix::RTLD_GLOBAL) }.map(Library::from)
}

#[cfg(not(unix))]
fn load(path: &Path) -> Result<Library, libloading::Error> {
    // SAFETY: libraries of MPI can be opened by any program. A file with such a name, in a place that the
    // system or the user trusts, is trusted as one of them.
    unsafe { Library::new(path) }
}

/// The version of a library, in its own words.
fn version(library: &Library) -> Option<String> {
    /// Upper bound of `MPI_MAX_LIBRARY_VERSION_STRING`.
    const ROOM: usize = 8192;
    // SAFETY: the function has this signature by the standard, in all families.
    let ask = unsafe {
        library.get::<unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int>("MPI_Get_library_version")
    };
    let (mut room, mut length) = (vec![0_u8; ROOM + 1], 0);
    // SAFETY: there is room for the longest text; the call is allowed before all others.
    let code = unsafe { ask.ok()?(room.as_mut_ptr().cast(), &raw mut length) };
    let text = CStr::from_bytes_until_nul(&room).ok().filter(|_| code == 0)?.to_string_lossy();
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(|line| {
        // Some separate by tabs, some write more than fits into a message.
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        line.chars().take(100).collect()
    })
}

fn family(path: &Path, library: &Library, version: &str) -> Option<Family> {
    // The standard fixes the name of a library with its ABI (MPI 5.0, section "ABI"). The library with the
    // implementation's own interface has another name.
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if file.contains("mpi_abi") {
        return Some(Family::Standard);
    }
    // SAFETY: only whether there is such a variable is of interest.
    if unsafe { library.get::<*mut c_char>("ompi_mpi_comm_world") }.is_ok() {
        return Some(Family::OpenMpi);
    }
    let mpich = ["MPICH", "Intel(R) MPI", "MVAPICH", "ParaStation", "CRAY"];
    mpich.iter().any(|name| version.contains(name)).then_some(Family::Mpich)
}
