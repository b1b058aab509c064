//! Buffers that start inside their regions. The host cannot add an offset to an address of device memory, and
//! sub-buffers may start only at certain offsets. So a wrapper kernel adds the offsets and calls the original
//! one.

use crate::arguments::Signature;
use crate::text::Text;
use std::fmt::Write as _;
use volvelle_kernel::Type;

/// The name of the kernel.
pub(super) fn name(entry: &str) -> String {
    format!("volvelle_shifted_{entry}")
}

/// The text with another kernel that takes, for every buffer, the index of its first element between address
/// and length.
pub(super) fn text(signature: &Signature, text: &Text) -> String {
    let Text { text, entry, .. } = text;
    let mut declared = String::from("ulong first, ulong end");
    let mut passed = String::from("first, end");
    for (i, param) in signature.params().iter().enumerate() {
        let _ = write!(declared, ", {} p{i}", element(param.ty));
        let _ = write!(passed, ", p{i}");
    }
    for (i, buffer) in signature.buffers().iter().enumerate() {
        let _ = write!(declared, ", global {} *b{i}, ulong b{i}_first, ulong b{i}_len", element(buffer.ty));
        let _ = write!(passed, ", b{i} + b{i}_first, b{i}_len");
    }
    format!(
        "{text}\n\nkernel void {}({declared}, volatile global uint *exit_code) {{\n    {}({passed}, exit_code);\n}}\n",
        name(entry),
        entry
    )
}

/// A type as parameters and elements have it.
fn element(ty: Type) -> &'static str {
    match ty {
        Type::Bool | Type::U8 => "uchar",
        Type::I8 => "char",
        Type::I16 => "short",
        Type::U16 => "ushort",
        Type::I32 => "int",
        Type::U32 => "uint",
        Type::I64 => "long",
        Type::U64 => "ulong",
        Type::F32 => "float",
        Type::F64 => "double",
    }
}
