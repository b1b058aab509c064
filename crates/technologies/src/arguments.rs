//! The part of the calling convention that device technologies share: arguments of a launch, checked against
//! the declarations, and the exit that comes back.
//!
//! A function has parameters `first`, `end`, then its own without the number of the lane, then address and
//! length of every buffer, then the address of the exit code. The code is 0 if no lane failed, `1 + 2 * site`
//! if a site failed, and `2 + 2 * buffer` if an index was outside a buffer.

use volvelle_kernel::{Access, Buffer, BufferDecl, Const, Exit, LocalDecl, Site, Type};
use volvelle_runtime::{Error, Function, Launch};

/// The declarations that a launch must match.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    name: String,
    params: Vec<LocalDecl>,
    buffers: Vec<BufferDecl>,
}

impl Signature {
    /// The signature of a function.
    ///
    /// # Errors
    /// The function cannot be called on a device at all.
    pub(crate) fn of(function: &Function) -> Result<Self, Error> {
        let is_identifier = |name: &str| {
            let mut bytes = name.bytes();
            bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
                && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
        };
        if !is_identifier(&function.name) {
            return Err(Error::Build(format!("`{}` is not the name of a function", function.name)));
        }
        if function.params.first().is_none_or(|param| param.ty != Type::U64) {
            return Err(Error::Build(format!("the first parameter of `{}` is not a lane", function.name)));
        }
        if let Some(buffer) = function.buffers.iter().find(|buffer| buffer.access == Access::Append) {
            return Err(Error::Refused(format!(
                "buffer `{}` grows, which device memory cannot",
                buffer.name
            )));
        }
        Ok(Signature {
            name: function.name.clone(),
            params: function.params[1..].to_vec(),
            buffers: function.buffers.clone(),
        })
    }

    /// The name of the function.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its parameters but the number of the lane.
    pub(crate) fn params(&self) -> &[LocalDecl] {
        &self.params
    }

    /// Its buffers.
    pub(crate) fn buffers(&self) -> &[BufferDecl] {
        &self.buffers
    }

    /// Number of arguments of the device function.
    pub(crate) fn arguments(&self) -> usize {
        3 + self.params.len() + 2 * self.buffers.len()
    }

    /// The size of each argument in bytes; addresses have eight.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![8, 8];
        sizes.extend(self.params.iter().map(|param| param.ty.bytes()));
        sizes.extend(self.buffers.iter().flat_map(|_| [8, 8]));
        sizes.push(8);
        sizes
    }

    /// Whether a parameter or a buffer has elements of a type.
    pub(crate) fn mentions(&self, ty: Type) -> bool {
        self.params.iter().any(|param| param.ty == ty) || self.buffers.iter().any(|buffer| buffer.ty == ty)
    }

    /// Checks that a launch fits.
    ///
    /// # Panics
    /// If it does not: a bug of the caller.
    pub(crate) fn check(&self, launch: &Launch<'_>) {
        let fits = launch.params.len() == self.params.len()
            && launch.params.iter().zip(&self.params).all(|(param, decl)| param.ty == decl.ty);
        assert!(fits, "parameters do not match the declarations of kernel `{}`", self.name);
        assert!(
            launch.buffers.len() == self.buffers.len(),
            "buffers do not match the declarations of kernel `{}`",
            self.name
        );
        for (lent, decl) in launch.buffers.iter().zip(&self.buffers) {
            let size = decl.ty.bytes();
            let room = lent.region.bytes().checked_sub(lent.offset).map(|bytes| bytes / size);
            assert!(
                lent.offset.is_multiple_of(size) && room.is_some_and(|room| lent.elements <= room),
                "the elements lent as `{}` of kernel `{}` are not in their region",
                decl.name,
                self.name
            );
        }
    }

    /// The exit that a code stands for.
    ///
    /// # Errors
    /// A code that the function cannot have written.
    pub(crate) fn exit(&self, code: u32) -> Result<Exit, Error> {
        match code {
            0 => Ok(Exit::Done),
            code if code % 2 == 1 => Ok(Exit::Failed(Site((code - 1) / 2))),
            code if ((code - 2) / 2) < self.buffers.len() as u32 => {
                Ok(Exit::OutOfBounds(Buffer((code - 2) / 2)))
            }
            code => Err(Error::Launch(format!("kernel `{}` ends with the unknown code {code}", self.name))),
        }
    }
}

/// The bytes of a value as a device takes them: as many as an element of the type has. The least significant
/// byte comes first, the order of every device that the libraries serve.
pub(crate) fn bytes(value: &Const) -> ([u8; 8], usize) {
    (value.bits.to_le_bytes(), value.ty.bytes())
}

/// Limit of lanes in a command, far below the greatest number of a work item.
const MOST_LANES: u64 = 1 << 30;

/// The parts of a launch: first lane and number of lanes.
pub(crate) fn parts(lanes: &std::ops::Range<u64>) -> impl Iterator<Item = (u64, u64)> + use<> {
    let (mut first, end) = (lanes.start, lanes.end);
    std::iter::from_fn(move || {
        let count = end.checked_sub(first).filter(|count| *count > 0)?.min(MOST_LANES);
        let part = (first, count);
        first += count;
        Some(part)
    })
}

/// Limits the lanes of a block so that the number of a work item after the end does not wrap around to a
/// lane.
pub(crate) fn block_within(block: u32, end: u64) -> u32 {
    if end > u64::MAX - u64::from(block) { 1 } else { block.max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;
    use volvelle_kernel::Kernel;
    use volvelle_runtime::LaunchBuffer;
    use volvelle_runtime::storage::Ram;

    fn signature() -> Signature {
        let mut kernel = Kernel::new("k");
        kernel.param("lane", Type::U64);
        kernel.param("x", Type::F32);
        kernel.buffer("a", Type::U32, Access::Read);
        kernel.buffer("b", Type::Bool, Access::Write);
        Signature::of(&Function::of(kernel)).unwrap()
    }

    #[test]
    fn exits() {
        let signature = signature();
        assert_eq!(signature.exit(0), Ok(Exit::Done));
        assert_eq!(signature.exit(1), Ok(Exit::Failed(Site(0))));
        assert_eq!(signature.exit(7), Ok(Exit::Failed(Site(3))));
        assert_eq!(signature.exit(2), Ok(Exit::OutOfBounds(Buffer(0))));
        assert_eq!(signature.exit(4), Ok(Exit::OutOfBounds(Buffer(1))));
        assert!(matches!(signature.exit(6), Err(Error::Launch(_))), "there is no third buffer");
        assert_eq!(signature.sizes(), [8, 8, 4, 8, 8, 8, 8, 8]);
        assert_eq!(signature.arguments(), 8);
    }

    #[test]
    fn all_lanes_and_none_twice() {
        let ends = |lanes| parts(&lanes).map(|(first, count)| (first, first + count)).collect::<Vec<_>>();
        assert_eq!(ends(5..5), []);
        assert_eq!(ends(5..9), [(5, 9)]);
        let most = MOST_LANES;
        assert_eq!(
            ends(1..2 * most + 3),
            [(1, most + 1), (most + 1, 2 * most + 1), (2 * most + 1, 2 * most + 3)]
        );
        assert_eq!(ends(u64::MAX - most..u64::MAX), [(u64::MAX - most, u64::MAX)]);
    }

    #[test]
    fn blocks_beyond_the_last_number() {
        assert_eq!(block_within(64, 100), 64);
        assert_eq!(block_within(0, 100), 1);
        assert_eq!(block_within(64, u64::MAX), 1);
        assert_eq!(block_within(64, u64::MAX - 64), 64);
    }

    #[test]
    fn bytes_of_values() {
        assert_eq!(bytes(&Const::int(Type::I16, -2)), ([0xfe, 0xff, 255, 255, 255, 255, 255, 255], 2));
        assert_eq!(bytes(&Const::bool(true)).1, 1);
        assert_eq!(bytes(&Const::f32(1.0)), ([0, 0, 128, 63, 0, 0, 0, 0], 4));
    }

    #[test]
    fn launches_that_do_not_fit() {
        let region = Ram::shared().allocate(16).unwrap();
        let lent = |offset, elements| LaunchBuffer { region: &*region, offset, elements };
        let fits = |params: &[Const], buffers: &[LaunchBuffer<'_>]| {
            let launch = Launch { lanes: 0..1, block: None, params, buffers };
            catch_unwind(std::panic::AssertUnwindSafe(|| signature().check(&launch))).is_ok()
        };
        let x = [Const::f32(1.0)];
        assert!(fits(&x, &[lent(4, 3), lent(0, 16)]));
        assert!(fits(&x, &[lent(16, 0), lent(16, 0)]));
        assert!(!fits(&[], &[lent(4, 3), lent(0, 16)]), "too few parameters");
        assert!(!fits(&[Const::u64(1)], &[lent(4, 3), lent(0, 16)]), "another type");
        assert!(!fits(&x, &[lent(4, 3)]), "too few buffers");
        assert!(!fits(&x, &[lent(4, 4), lent(0, 16)]), "beyond the end");
        assert!(!fits(&x, &[lent(2, 1), lent(0, 16)]), "between two elements");
        assert!(!fits(&x, &[lent(20, 0), lent(0, 16)]), "a start beyond the end");
        assert!(!fits(&x, &[lent(0, usize::MAX), lent(0, 16)]), "more than there can be");
    }
}
