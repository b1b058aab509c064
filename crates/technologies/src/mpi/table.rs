//! Functions and constants of a library.
//!
//! Signatures follow the C binding of *MPI: A Message-Passing Interface Standard*, version 3.1 (all functions
//! here exist in versions 3 to 5). Implementations differ in the types and values of handles, the values of
//! constants, and the layout of a status. These follow `mpi.h` of Open MPI 4 and 5, of MPICH 4 (fixed by its
//! ABI), and of MPI 5.0 (chapter "Application Binary Interface").

use super::launcher::Family;
use libloading::Library;
use std::ffi::{c_char, c_int, c_void};
use volvelle_runtime::Error;

/// A handle as an implementation represents it.
///
/// # Safety
/// The type has the size and the calling convention of the C type of all handles of a family.
pub(super) unsafe trait Handle: Copy + Send + Sync + 'static {}

/// A handle that is an address, or a small number stored as one: Open MPI, the standard ABI.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Address(*mut c_void);

// SAFETY: handles are names of objects of the library, which any thread may use by the rules of `Session`.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}
// SAFETY: handles are pointers to structures in these families, and this is a pointer.
unsafe impl Handle for Address {}
// SAFETY: handles are of the type `int` in MPICH's ABI.
unsafe impl Handle for c_int {}

/// Space for a status of any implementation (the largest has 32 bytes).
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Status(pub(super) [c_int; 32]);

/// Constants that differ between families.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants<H> {
    pub(super) world: H,
    pub(super) byte: H,
    pub(super) errors_return: H,
    pub(super) any_source: c_int,
    pub(super) any_tag: c_int,
    pub(super) in_place: usize,
    /// Levels of thread support: calls from one thread at a time, and calls from any thread at any time.
    pub(super) serialized: c_int,
    pub(super) multiple: c_int,
    /// Places of sender and tag in a status.
    pub(super) source_at: usize,
    pub(super) tag_at: usize,
}

impl Constants<c_int> {
    /// Those of MPICH.
    pub(super) fn mpich() -> Self {
        Constants {
            world: 0x4400_0000,
            byte: 0x4c00_010d,
            errors_return: 0x5400_0001,
            any_source: -2,
            any_tag: -1,
            in_place: usize::MAX,
            serialized: 2,
            multiple: 3,
            source_at: 2,
            tag_at: 3,
        }
    }
}

impl Constants<Address> {
    /// Those of the standard.
    pub(super) fn standard() -> Self {
        let handle = |value: usize| Address(std::ptr::without_provenance_mut(value));
        Constants {
            world: handle(0x101),
            byte: handle(0x247),
            errors_return: handle(0x142),
            any_source: -1,
            any_tag: -2,
            in_place: 1,
            serialized: 2048,
            multiple: 4096,
            source_at: 0,
            tag_at: 1,
        }
    }

    /// Those of Open MPI, whose handles are addresses of variables; `None` if it is another library.
    pub(super) fn open_mpi(library: &Library) -> Option<Self> {
        let variable = |name: &str| {
            // SAFETY: only the address of the variable is taken, whatever its type; a table keeps the library open.
            unsafe { library.get::<*mut c_void>(name) }.ok().map(|found| Address(*found))
        };
        Some(Constants {
            world: variable("ompi_mpi_comm_world")?,
            byte: variable("ompi_mpi_byte")?,
            errors_return: variable("ompi_mpi_errors_return")?,
            any_source: -1,
            any_tag: -1,
            in_place: 1,
            serialized: 2,
            multiple: 3,
            source_at: 0,
            tag_at: 1,
        })
    }
}

/// The table of the functions, over the type of handles. The library is never closed.
macro_rules! functions {
    ($($field:ident = $symbol:literal ($($arg:ty),* $(,)?);)*) => {
        /// The functions and constants of a library. All functions return a code, 0 for success.
        #[derive(Clone, Copy, Debug)]
        pub(super) struct Table<H> {
            pub(super) constants: Constants<H>,
            $(pub(super) $field: unsafe extern "C" fn($($arg),*) -> c_int,)*
        }

        impl<H: Handle> Table<H> {
            /// Finds the functions.
            ///
            /// # Errors
            /// The name of a missing function: the library is too old.
            pub(super) fn new(library: Library, constants: Constants<H>) -> Result<Self, &'static str> {
                let table = Table {
                    constants,
                    $($field: {
                        // SAFETY: the function has this signature by the standard, with handles of this family.
                        let found = unsafe { library.get::<unsafe extern "C" fn($($arg),*) -> c_int>($symbol) };
                        *found.map_err(|_| $symbol)?
                    },)*
                };
                std::mem::forget(library);
                Ok(table)
            }
        }
    };
}

functions! {
    initialized = "MPI_Initialized"(*mut c_int);
    init = "MPI_Init_thread"(*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int);
    finalize = "MPI_Finalize"();
    abort = "MPI_Abort"(H, c_int);
    duplicate = "MPI_Comm_dup"(H, *mut H);
    rank = "MPI_Comm_rank"(H, *mut c_int);
    size = "MPI_Comm_size"(H, *mut c_int);
    set_errors = "MPI_Comm_set_errhandler"(H, H);
    error_text = "MPI_Error_string"(c_int, *mut c_char, *mut c_int);
    send = "MPI_Isend"(*const c_void, c_int, H, c_int, c_int, H, *mut H);
    receive = "MPI_Irecv"(*mut c_void, c_int, H, c_int, c_int, H, *mut H);
    probe = "MPI_Improbe"(c_int, c_int, H, *mut c_int, *mut H, *mut Status);
    receive_probed = "MPI_Imrecv"(*mut c_void, c_int, H, *mut H, *mut H);
    all_gather = "MPI_Iallgatherv"(
        *const c_void, c_int, H, *mut c_void, *const c_int, *const c_int, H, H, *mut H,
    );
    barrier = "MPI_Ibarrier"(H, *mut H);
    test = "MPI_Test"(*mut H, *mut c_int, *mut Status);
    cancel = "MPI_Cancel"(*mut H);
    was_cancelled = "MPI_Test_cancelled"(*const Status, *mut c_int);
    count = "MPI_Get_count"(*const Status, H, *mut c_int);
}

/// A table of either kind of handles.
pub(super) enum Functions {
    Addresses(Table<Address>),
    Integers(Table<c_int>),
}

impl Functions {
    /// Those of a library of a family.
    ///
    /// # Errors
    /// The library is of another family, or too old.
    pub(super) fn of(family: Family, library: Library) -> Result<Self, Error> {
        let found = match family {
            Family::OpenMpi => match Constants::open_mpi(&library) {
                Some(constants) => Table::new(library, constants).map(Functions::Addresses),
                None => Err("ompi_mpi_comm_world"),
            },
            Family::Mpich => Table::new(library, Constants::mpich()).map(Functions::Integers),
            Family::Standard => Table::new(library, Constants::standard()).map(Functions::Addresses),
        };
        found.map_err(|name| Error::Unavailable(format!("{family} without {name}: it is too old")))
    }
}
