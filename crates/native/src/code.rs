//! Compiled kernels: the handle that owns the machine code, and running it.

use crate::abi::{Entry, RawBuffer, parameter_word, unpack};
use crate::memory::Executable;
use std::ops::Range;
use volvelle_kernel::{Access, BufferDecl, BufferMut, Code, Const, Exit, Kernel, RawParts, Type};

/// A kernel as machine code.
pub(crate) struct NativeCode {
    /// Invariant: the start of a function in `_pages` that `lower` generated for a
    /// verified kernel with exactly the declarations `params` and `buffers`.
    entry: Entry,
    params: Vec<Type>,
    buffers: Vec<BufferDecl>,
    /// Keeps the code alive.
    _pages: Executable,
}

impl NativeCode {
    /// Binds an entry point to the pages with its code.
    ///
    /// # Safety
    /// `entry` and `kernel` must be as the invariant of the field `entry` says.
    pub(crate) unsafe fn new(kernel: &Kernel, entry: Entry, pages: Executable) -> Self {
        NativeCode {
            entry,
            params: kernel.locals[..kernel.params].iter().map(|l| l.ty).collect(),
            buffers: kernel.buffers.clone(),
            _pages: pages,
        }
    }
}

/// Parameters, and buffers, that are described without allocating.
const FEW: usize = 24;

impl NativeCode {
    /// Calls the code.
    ///
    /// # Safety
    /// There is a word for each declared parameter, and an entry in `raw` for each declared buffer, with elements of the
    /// declared type that may be touched as the declaration says while the call lasts.
    unsafe fn call(&self, words: &[u64], raw: &mut [RawBuffer]) -> Exit {
        // SAFETY: `entry` is live code for a verified kernel with these declarations (invariant of the
        // field). `words` and `raw` have an entry per declared parameter and buffer. Generated code
        // touches `data` only below `len`, or for `emit` below `capacity`, each access bounds-checked; it
        // writes only through buffers that are declared so.
        unpack(unsafe { (self.entry)(words.as_ptr(), raw.as_mut_ptr()) })
    }

    fn expect_shared(&self, params: &[Const], buffers: &[RawParts]) {
        check_params(&self.params, params);
        assert!(
            buffers.len() == self.buffers.len() && self.buffers.iter().all(|d| d.access != Access::Append),
            "buffers do not match the declarations"
        );
    }
}

/// Calls a function with the parameters as words.
fn with_words<R>(params: &[Const], f: impl FnOnce(&mut [u64]) -> R) -> R {
    let (mut few, mut many);
    let words = if params.len() <= FEW {
        few = [0; FEW];
        &mut few[..params.len()]
    } else {
        many = vec![0; params.len()];
        &mut many[..]
    };
    words.iter_mut().zip(params).for_each(|(word, &c)| *word = parameter_word(c));
    f(words)
}

/// Calls a function with room for the descriptions of some buffers. Runs over single states are many: they should
/// not allocate.
fn with_room<R>(buffers: usize, f: impl FnOnce(&mut [RawBuffer]) -> R) -> R {
    if buffers <= FEW {
        f(&mut [RawBuffer::NONE; FEW][..buffers])
    } else {
        f(&mut vec![RawBuffer::NONE; buffers])
    }
}

impl Code for NativeCode {
    fn run(&self, params: &[Const], buffers: &mut [BufferMut<'_>]) -> Exit {
        check_params(&self.params, params);
        check_buffers(&self.buffers, buffers);
        with_room(buffers.len(), |raw| {
            for (raw, buffer) in raw.iter_mut().zip(buffers.iter_mut()) {
                *raw = RawBuffer::of(buffer);
            }
            // SAFETY: the buffers are those declared (checked above), and the borrows in `buffers` last for the call.
            let exit = with_words(params, |words| unsafe { self.call(words, raw) });
            for (raw, buffer) in raw.iter().zip(buffers.iter_mut()) {
                // SAFETY: `raw` was made from this buffer above, and the call has written its final length.
                unsafe { raw.write_back(buffer) };
            }
            exit
        })
    }

    unsafe fn run_shared(&self, params: &[Const], buffers: &[RawParts]) -> Exit {
        self.expect_shared(params, buffers);
        with_room(buffers.len(), |raw| {
            raw.iter_mut().zip(buffers).for_each(|(raw, parts)| *raw = RawBuffer::shared(parts));
            // SAFETY: the contract of this function is that of the call.
            with_words(params, |words| unsafe { self.call(words, raw) })
        })
    }

    unsafe fn run_lanes(&self, lanes: Range<u64>, params: &[Const], buffers: &[RawParts]) -> Exit {
        self.expect_shared(params, buffers);
        assert_eq!(self.params.first(), Some(&Type::U64), "type of the number of the lane");
        with_room(buffers.len(), |raw| {
            raw.iter_mut().zip(buffers).for_each(|(raw, parts)| *raw = RawBuffer::shared(parts));
            with_words(params, |words| {
                for lane in lanes {
                    words[0] = lane;
                    // SAFETY: the contract of this function is that of the call. Descriptions of buffers that do not grow
                    // are the same afterwards.
                    let exit = unsafe { self.call(words, raw) };
                    if exit != Exit::Done {
                        return exit;
                    }
                }
                Exit::Done
            })
        })
    }
}

/// Panics unless arguments match the declarations.
fn check_params(params: &[Type], args: &[Const]) {
    assert_eq!(params.len(), args.len(), "number of parameters");
    for (i, (ty, arg)) in params.iter().zip(args).enumerate() {
        assert_eq!(*ty, arg.ty, "type of parameter {i}");
    }
}

/// Panics unless buffers match the declarations.
fn check_buffers(decls: &[BufferDecl], buffers: &[BufferMut<'_>]) {
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
