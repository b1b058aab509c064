//! Detects from the environment which launcher started this process, and so which library to use.

use std::path::PathBuf;

/// Families of implementations. All members of a family have the same binary interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Open MPI: handles are addresses of its variables.
    OpenMpi,
    /// MPICH, and implementations with its binary interface: Intel MPI, MVAPICH, Cray MPICH (*MPICH ABI
    /// Compatibility Initiative*).
    Mpich,
    /// The standard binary interface of MPI 5.0, which several implementations offer in addition to their
    /// own.
    Standard,
}

impl Family {
    pub(super) const ALL: [Family; 3] = [Family::OpenMpi, Family::Mpich, Family::Standard];

    /// Names of its library, current ones first.
    pub(super) fn libraries(self) -> &'static [&'static str] {
        match (self, cfg!(target_os = "macos")) {
            (Family::OpenMpi, false) => &["libmpi.so.40", "libmpi.so.80", "libmpi.so.20", "libmpi.so"],
            (Family::OpenMpi, true) => &["libmpi.40.dylib", "libmpi.dylib"],
            (Family::Mpich, false) => {
                &["libmpi.so.12", "libmpich.so.12", "libmpi_cray.so.12", "libmpich.so", "libmpi.so"]
            }
            (Family::Mpich, true) => &["libmpi.12.dylib", "libmpich.12.dylib", "libmpi.dylib"],
            (Family::Standard, false) => &["libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so"],
            (Family::Standard, true) => &["libmpi_abi.1.dylib", "libmpi_abi.dylib"],
        }
    }
}

impl std::fmt::Display for Family {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Family::OpenMpi => "Open MPI",
            Family::Mpich => "MPICH",
            Family::Standard => "the standard ABI of MPI 5",
        })
    }
}

/// What the environment says about the launcher of this process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launcher {
    family: Option<Family>,
    /// The variable on which that is based.
    evidence: Option<&'static str>,
    size: Option<usize>,
    library: Option<PathBuf>,
}

/// Names the library to open: a path, or a name for the system to look up.
pub const LIBRARY_VARIABLE: &str = "VOLVELLE_MPI_LIBRARY";

/// Variables of launchers, the more specific ones first. Slurm's `srun` sets those of its plugin (`--mpi`) in
/// addition to its own.
const SIGNS: [(&str, Option<Family>); 10] = [
    ("OMPI_COMM_WORLD_SIZE", Some(Family::OpenMpi)),
    ("I_MPI_HYDRA_HOST_FILE", Some(Family::Mpich)),
    ("MV2_COMM_WORLD_SIZE", Some(Family::Mpich)),
    ("MPI_LOCALNRANKS", Some(Family::Mpich)),
    ("PALS_RANKID", Some(Family::Mpich)),
    ("PMIX_RANK", Some(Family::OpenMpi)),
    ("PMI_SIZE", Some(Family::Mpich)),
    ("PMI_RANK", Some(Family::Mpich)),
    ("SLURM_STEP_NUM_TASKS", None),
    ("FLUX_JOB_SIZE", None),
];

/// Variables with the number of processes of this run.
const SIZES: [&str; 5] =
    ["OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "FLUX_JOB_SIZE"];

impl Launcher {
    /// Detects the launcher. `ask` reads the environment: `|name| std::env::var(name).ok()`.
    pub fn of(ask: impl Fn(&str) -> Option<String>) -> Self {
        let sign = SIGNS.into_iter().find(|(name, _)| ask(name).is_some());
        let number = |name: &str| ask(name).and_then(|text| text.trim().parse().ok());
        Launcher {
            family: sign.and_then(|(_, family)| family),
            evidence: sign.map(|(name, _)| name),
            size: SIZES.into_iter().find_map(number),
            library: ask(LIBRARY_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from),
        }
    }

    /// Uses this library instead of the launcher's: a path, or a name that the system looks up.
    #[must_use]
    pub fn with_library(self, library: impl Into<PathBuf>) -> Self {
        Launcher { library: Some(library.into()), ..self }
    }

    /// Whether a launcher of parallel programs started this process.
    pub fn is_there(&self) -> bool {
        self.evidence.is_some()
    }

    /// The number of processes that it started, if it says so.
    pub fn size(&self) -> Option<usize> {
        self.size
    }

    /// Whether it started several processes, or may have: some launchers do not say how many.
    pub fn has_several(&self) -> bool {
        self.is_there() && self.size != Some(1)
    }

    /// The family that its library is of, if that is known.
    pub fn family(&self) -> Option<Family> {
        self.family
    }

    /// The variable by which it was recognised.
    pub fn evidence(&self) -> Option<&'static str> {
        self.evidence
    }

    /// The libraries to try, in this order.
    pub(super) fn candidates(&self) -> Vec<PathBuf> {
        if let Some(library) = &self.library {
            return vec![library.clone()];
        }
        let others = Family::ALL.into_iter().filter(|family| Some(*family) != self.family);
        let mut candidates: Vec<PathBuf> = Vec::new();
        for name in self.family.into_iter().chain(others).flat_map(Family::libraries) {
            if !candidates.iter().any(|known| known.as_os_str() == *name) {
                candidates.push(name.into());
            }
        }
        candidates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launcher(variables: &[(&str, &str)]) -> Launcher {
        Launcher::of(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn launchers_are_recognised() {
        for (variables, family, size) in [
            (&[("OMPI_COMM_WORLD_SIZE", "4"), ("PMIX_RANK", "0")][..], Some(Family::OpenMpi), Some(4)),
            (&[("PMI_SIZE", "3"), ("PMI_RANK", "1"), ("MPI_LOCALNRANKS", "3")], Some(Family::Mpich), Some(3)),
            (&[("MV2_COMM_WORLD_SIZE", "2"), ("PMI_SIZE", "2")], Some(Family::Mpich), Some(2)),
            (&[("SLURM_STEP_NUM_TASKS", "8"), ("PMIX_RANK", "5")], Some(Family::OpenMpi), Some(8)),
            (&[("SLURM_STEP_NUM_TASKS", "8"), ("PMI_RANK", "5")], Some(Family::Mpich), Some(8)),
            (&[("SLURM_STEP_NUM_TASKS", "8")], None, Some(8)),
        ] {
            let launcher = launcher(variables);
            assert!(launcher.is_there(), "{variables:?}");
            assert_eq!((launcher.family(), launcher.size()), (family, size), "{variables:?}");
        }
        // A shell inside of an allocation of Slurm is no rank.
        assert!(!launcher(&[("SLURM_NTASKS", "8"), ("SLURM_PROCID", "0"), ("PATH", "/bin")]).is_there());
    }

    #[test]
    fn the_library_of_the_launcher_goes_first() {
        let first = |variables: &[(&str, &str)]| launcher(variables).candidates()[0].clone();
        assert_eq!(first(&[("OMPI_COMM_WORLD_SIZE", "4")]), PathBuf::from(Family::OpenMpi.libraries()[0]));
        assert_eq!(first(&[("PMI_SIZE", "4")]), PathBuf::from(Family::Mpich.libraries()[0]));
        let all = launcher(&[]).candidates();
        for name in Family::ALL.into_iter().flat_map(Family::libraries) {
            assert_eq!(all.iter().filter(|path| path.as_os_str() == *name).count(), 1, "{name}");
        }
        let named = [("OMPI_COMM_WORLD_SIZE", "4"), (LIBRARY_VARIABLE, "/opt/mpi/libmpi.so")];
        assert_eq!(launcher(&named).candidates(), [PathBuf::from("/opt/mpi/libmpi.so")]);
        assert_eq!(launcher(&named).with_library("x.so").candidates(), [PathBuf::from("x.so")]);
        // An empty variable names nothing.
        assert!(launcher(&[(LIBRARY_VARIABLE, "")]).candidates().len() > 1);
    }
}
