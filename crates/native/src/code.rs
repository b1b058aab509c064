//! Compiled kernels: the handle that owns the machine code, and running it.

use crate::abi::{Entry, RawBuffer, parameter_word, unpack};
use cranelift_jit::JITModule;
use std::sync::Mutex;
use volvelle_kernel::{BufferDecl, BufferMut, Code, Const, Exit, Kernel, Type};

/// A Cranelift module whose executable memory is given back when it is dropped (by itself a `JITModule`
/// leaks it).
pub(crate) struct Module(Option<JITModule>);

impl Module {
    pub(crate) fn new(module: JITModule) -> Self {
        Module(Some(module))
    }

    pub(crate) fn get(&mut self) -> &mut JITModule {
        self.0.as_mut().expect("taken only on drop")
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if let Some(module) = self.0.take() {
            // SAFETY: the only pointer into the module's memory is `NativeCode::entry`, whose owner also
            // owns this `Module` and calls it only through `&self`: no call can be running or follow.
            unsafe { module.free_memory() }
        }
    }
}

/// A kernel as machine code.
pub(crate) struct NativeCode {
    /// Invariant: the start of a finalised function in `_module`'s memory that `lower` generated for a
    /// verified kernel with exactly the declarations `params` and `buffers`.
    entry: Entry,
    params: Vec<Type>,
    buffers: Vec<BufferDecl>,
    /// Keeps the code alive; never locked (a `JITModule` is `Send`, the mutex makes it `Sync`).
    _module: Mutex<Module>,
}

impl NativeCode {
    /// Binds an entry point to its module.
    ///
    /// # Safety
    /// `entry` and `kernel` must be as the invariant of the field `entry` says.
    pub(crate) unsafe fn new(kernel: &Kernel, entry: Entry, module: Module) -> Self {
        NativeCode {
            entry,
            params: kernel.locals[..kernel.params].iter().map(|l| l.ty).collect(),
            buffers: kernel.buffers.clone(),
            _module: Mutex::new(module),
        }
    }
}

/// Buffers that are described without allocating.
const FEW: usize = 24;

impl Code for NativeCode {
    fn run(&self, params: &[Const], buffers: &mut [BufferMut<'_>]) -> Exit {
        check(&self.params, &self.buffers, params, buffers);
        let words: Vec<u64> = params.iter().map(|&c| parameter_word(c)).collect();
        // Runs over single states are many: they should not allocate.
        let (mut few, mut many);
        let raw = if buffers.len() <= FEW {
            few = [RawBuffer::NONE; FEW];
            &mut few[..buffers.len()]
        } else {
            many = vec![RawBuffer::NONE; buffers.len()];
            &mut many[..]
        };
        for (raw, buffer) in raw.iter_mut().zip(buffers.iter_mut()) {
            *raw = RawBuffer::of(buffer);
        }
        // SAFETY: `entry` is live code for a verified kernel with these declarations (invariant of the
        // field). `words` and `raw` have an entry per declared parameter and buffer, of the declared types
        // and access (`check`). Generated code touches `data` only below `len`, or for `emit` below
        // `capacity`, each access bounds-checked; it writes only through buffers lent mutably, and the
        // borrows in `buffers` last for the call.
        let word = unsafe { (self.entry)(words.as_ptr(), raw.as_mut_ptr()) };
        for (raw, buffer) in raw.iter().zip(buffers.iter_mut()) {
            // SAFETY: `raw` was made from this buffer above, and the call has written its final length.
            unsafe { raw.write_back(buffer) };
        }
        unpack(word)
    }
}

/// Panics unless arguments match the declarations.
fn check(params: &[Type], decls: &[BufferDecl], args: &[Const], buffers: &[BufferMut<'_>]) {
    assert_eq!(params.len(), args.len(), "number of parameters");
    for (i, (ty, arg)) in params.iter().zip(args).enumerate() {
        assert_eq!(*ty, arg.ty, "type of parameter {i}");
    }
    assert_eq!(decls.len(), buffers.len(), "number of buffers");
    for (decl, buffer) in decls.iter().zip(buffers) {
        assert!(
            buffer.fits(decl),
            "buffer {} is declared {} {:?}, but lent {} {:?}",
            decl.name,
            decl.ty,
            decl.access,
            buffer.ty(),
            buffer.access()
        );
    }
}
