//! Running kernels: what is run, and with which arguments.

use crate::error::Error;
use crate::storage::Region;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use volvelle_kernel::{BufferDecl, Const, Exit, Kernel, LocalDecl, RawParts};

/// A function that devices run, with one or several implementations.
///
/// It runs in many *lanes*, each with its own number as the first parameter (`u64`). No lane may read or store what another
/// lane of the same launch stores: lanes take turns in any way.
#[derive(Clone)]
pub struct Function {
    /// Name, an identifier.
    pub name: String,
    /// Parameters; the first is the number of the lane, a `u64`.
    pub params: Vec<LocalDecl>,
    /// Buffers, in the order of the arguments. None is for appending.
    pub buffers: Vec<BufferDecl>,
    /// The implementation for all technologies at once.
    pub ir: Option<Kernel>,
    /// Implementations for one technology, by its name: text in its own language. They go before the one for all.
    pub texts: BTreeMap<String, String>,
    /// An implementation for processors, which goes before the one for all there.
    pub closure: Option<Arc<Closure>>,
}

/// An implementation in Rust: runs some lanes, given the parameters (with the first of these lanes at their head) and where
/// the buffers are.
///
/// What it does with the buffers must be allowed to the lanes that it is called for, since other threads run others.
pub type Closure = dyn Fn(Range<u64>, &[Const], &[RawParts]) -> Exit + Send + Sync;

impl Function {
    /// A kernel, for all technologies.
    ///
    /// # Panics
    /// Where its first parameter is not the number of a lane.
    pub fn of(kernel: Kernel) -> Self {
        let params = kernel.locals[..kernel.params].to_vec();
        assert!(
            params.first().is_some_and(|param| param.ty == volvelle_kernel::Type::U64),
            "the first parameter of kernel `{}` is not the number of a lane",
            kernel.name
        );
        Function {
            name: kernel.name.clone(),
            params,
            buffers: kernel.buffers.clone(),
            ir: Some(kernel),
            texts: BTreeMap::new(),
            closure: None,
        }
    }
}

/// A buffer of a launch: elements of a region.
#[derive(Clone, Copy)]
pub struct Lent<'a> {
    /// In a storage of the executor that runs the kernel.
    pub region: &'a dyn Region,
    /// Where the first element is, in bytes; a multiple of the size of an element.
    pub offset: usize,
    /// How many elements.
    pub elements: usize,
}

impl<'a> Lent<'a> {
    /// So many elements from the start of a region.
    pub fn first(region: &'a dyn Region, elements: usize) -> Self {
        Lent { region, offset: 0, elements }
    }
}

/// A launch of a kernel.
#[derive(Clone)]
pub struct Launch<'a> {
    /// Numbers of the lanes.
    pub lanes: Range<u64>,
    /// Lanes in a block, where somebody wants to say; a technology may take the next smaller number that it can.
    pub block: Option<u32>,
    /// All parameters but the first.
    pub params: &'a [Const],
    /// The buffers.
    pub buffers: &'a [Lent<'a>],
}

/// What it took to make a kernel ready.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// Time that the compiler took.
    pub compile_time: Duration,
    /// Whether it was found as it was built before.
    pub from_cache: bool,
    /// What the compiler says besides, if anything.
    pub log: String,
}

/// A kernel ready to run on one device. Threads may share it.
pub trait Executable: Send + Sync {
    /// What it took.
    fn built(&self) -> &Built;

    /// Runs all lanes, and waits for the last. Where lanes fail, gives the exit of one of these.
    ///
    /// # Errors
    /// The device failed. Buffers that the kernel writes hold anything.
    ///
    /// # Panics
    /// Where parameters or buffers do not match the declarations, or a region is not of this device's storage.
    fn launch(&self, launch: &Launch<'_>) -> Result<Exit, Error>;
}
