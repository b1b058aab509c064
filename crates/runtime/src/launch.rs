//! Functions, their implementations, and launches.

use crate::error::Error;
use crate::storage::Region;
use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use volvelle_kernel::{Access, BufferDecl, Const, Exit, Kernel, LocalDecl, RawParts, Type};

/// A function that devices run, with one or several implementations.
///
/// It runs in many *lanes*; the first parameter of each is its number (`u64`). A lane must not access what
/// another lane of the same launch stores, since the order of lanes is undefined.
#[derive(Clone)]
pub struct Function {
    /// Name, an identifier.
    pub name: String,
    /// Parameters; the first is the number of the lane, a `u64`.
    pub params: Vec<LocalDecl>,
    /// Buffers, in the order of the arguments. None is for appending.
    pub buffers: Vec<BufferDecl>,
    /// The implementation for all technologies.
    pub ir: Option<Kernel>,
    /// Implementations for single technologies, by name: text in the technology's language. They take
    /// precedence over the one for all.
    pub texts: BTreeMap<String, String>,
    /// An implementation for processors, which takes precedence there over the one for all.
    pub closure: Option<Arc<Closure>>,
}

/// An implementation in Rust. It runs the given lanes, with the parameters (whose first value is the number
/// of the first of these lanes) and the buffers.
///
/// It may access only what these lanes access, since other threads run other lanes.
pub type Closure = dyn Fn(Range<u64>, &[Const], &[RawParts]) -> Exit + Send + Sync;

impl Function {
    /// The function of a kernel, for all technologies.
    ///
    /// # Panics
    /// If its first parameter is not the number of a lane.
    pub fn of(kernel: Kernel) -> Self {
        let params = kernel.locals[..kernel.params].to_vec();
        assert!(
            params.first().is_some_and(|param| param.ty == Type::U64),
            "the first parameter of kernel `{}` is not a lane number",
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

    /// A function implemented by a closure, for processors only. Other implementations may be added.
    ///
    /// `params` are the parameters after the number of the lane.
    pub fn of_closure(
        name: impl Into<String>,
        params: &[LocalDecl],
        buffers: &[BufferDecl],
        closure: impl Fn(Range<u64>, &[Const], &[RawParts]) -> Exit + Send + Sync + 'static,
    ) -> Self {
        let lane = LocalDecl { name: "lane".to_owned(), ty: Type::U64 };
        Function {
            name: name.into(),
            params: std::iter::once(lane).chain(params.iter().cloned()).collect(),
            buffers: buffers.to_vec(),
            ir: None,
            texts: BTreeMap::new(),
            closure: Some(Arc::new(closure)),
        }
    }

    /// Checks whether it can be built at all. Technologies call it first.
    ///
    /// # Errors
    /// The first parameter is not the number of the lane, a buffer is for appending, or the kernel is invalid
    /// or differs from the declarations of the function.
    pub fn check(&self) -> Result<(), Error> {
        let refuse = |why: String| Err(Error::Build(format!("`{}`: {why}", self.name)));
        if self.params.first().is_none_or(|lane| lane.ty != Type::U64) {
            return refuse("its first parameter is not a lane number".to_owned());
        }
        if let Some(buffer) = self.buffers.iter().find(|buffer| buffer.access == Access::Append) {
            return refuse(format!("buffer `{}` is for appending", buffer.name));
        }
        let Some(kernel) = &self.ir else { return Ok(()) };
        let types = |locals: &[LocalDecl]| locals.iter().map(|local| local.ty).collect::<Vec<_>>();
        let declared = kernel.locals.get(..kernel.params).unwrap_or_default();
        if types(declared) != types(&self.params) {
            return refuse("its kernel has other parameters".to_owned());
        }
        let kinds = |buffers: &[BufferDecl]| buffers.iter().map(|b| (b.ty, b.access)).collect::<Vec<_>>();
        if kinds(&kernel.buffers) != kinds(&self.buffers) {
            return refuse("its kernel has other buffers".to_owned());
        }
        match volvelle_kernel::verify::verify(kernel) {
            Ok(()) => Ok(()),
            Err(errors) => refuse(errors.first().map(ToString::to_string).unwrap_or_default()),
        }
    }
}

/// A buffer of a launch: elements of a region.
#[derive(Clone, Copy)]
pub struct LaunchBuffer<'a> {
    /// In a storage of the executor that runs the kernel.
    pub region: &'a dyn Region,
    /// Offset of the first element in bytes; a multiple of the size of an element.
    pub offset: usize,
    /// Number of elements.
    pub elements: usize,
}

impl<'a> LaunchBuffer<'a> {
    /// The first elements of a region.
    pub fn first(region: &'a dyn Region, elements: usize) -> Self {
        LaunchBuffer { region, offset: 0, elements }
    }
}

/// A launch of a kernel.
#[derive(Clone)]
pub struct Launch<'a> {
    /// Numbers of the lanes.
    pub lanes: Range<u64>,
    /// Lanes in a block, if the caller chooses. A technology may use the next smaller number that it
    /// supports.
    pub block: Option<u32>,
    /// All parameters but the first.
    pub params: &'a [Const],
    /// The buffers.
    pub buffers: &'a [LaunchBuffer<'a>],
}

impl Launch<'_> {
    /// Checks that it fits the function.
    ///
    /// # Panics
    /// If number or types of the parameters, number of buffers, or sizes of their regions do not match the
    /// declarations.
    pub fn expect_for(&self, function: &Function) {
        let declared = &function.params[1..];
        assert!(
            self.params.len() == declared.len()
                && self.params.iter().zip(declared).all(|(param, decl)| param.ty == decl.ty),
            "parameters do not match the declarations of `{}`",
            function.name
        );
        assert_eq!(self.buffers.len(), function.buffers.len(), "number of buffers of `{}`", function.name);
        for (lent, decl) in self.buffers.iter().zip(&function.buffers) {
            let size = decl.ty.bytes();
            let end = lent.elements.checked_mul(size).and_then(|bytes| bytes.checked_add(lent.offset));
            assert!(
                lent.offset.is_multiple_of(size) && end.is_some_and(|end| end <= lent.region.bytes()),
                "buffer `{}` of `{}` is not within its region",
                decl.name,
                function.name
            );
        }
    }
}

/// Returns the time since some fixed moment. The caller provides it, since libraries read no clock.
pub type Clock = dyn Fn() -> Duration + Send + Sync;

/// Facts about the compilation of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// Time of the compiler, if the technology has a clock.
    pub compile_time: Duration,
    /// Whether it was found in the cache.
    pub from_cache: bool,
    /// Messages of the compiler.
    pub log: String,
}

/// A kernel ready to run on one device. Threads may share it.
pub trait Executable: Send + Sync {
    /// The facts of its compilation.
    fn built(&self) -> &Built;

    /// Runs all lanes and waits for the last. If lanes fail, returns the exit of one of them.
    ///
    /// # Errors
    /// The device failed. The contents of buffers that the kernel writes are undefined.
    ///
    /// # Panics
    /// If parameters or buffers do not match the declarations, or a region is not in this device's storage.
    fn launch(&self, launch: &Launch<'_>) -> Result<Exit, Error>;

    /// For downcasts: an executor recognises its own kernels.
    fn as_any(&self) -> &dyn Any;
}

/// A kernel with a launch.
#[derive(Clone)]
pub struct Command<'a> {
    /// The kernel.
    pub code: &'a dyn Executable,
    /// The launch.
    pub launch: Launch<'a>,
}

/// Runs commands one after the other; stops after the first in which lanes fail.
///
/// # Errors
/// As [`Executable::launch`].
pub fn in_turn(commands: &[Command<'_>]) -> Result<Exit, Error> {
    for command in commands {
        match command.code.launch(&command.launch)? {
            Exit::Done => {}
            exit => return Ok(exit),
        }
    }
    Ok(Exit::Done)
}
