//! The whole text: head, helpers, signature, declarations, body.

use crate::dialect::Dialect;
use crate::library::definitions;
use crate::lines::{Lines, comment};
use crate::printer::Printer;
use crate::{Jumps, Notes, Source, Unsupported};
use std::collections::BTreeSet;
use volvelle_kernel::verify::verify;
use volvelle_kernel::{Access, Kernel, Local, Type};

/// The text of a kernel. The same kernel and notes always give the same text.
///
/// # Errors
/// Why there is none.
pub fn source(kernel: &Kernel, dialect: Dialect, notes: &Notes) -> Result<Source, Unsupported> {
    source_with(kernel, dialect, notes, Jumps::Numbers)
}

/// The same, with a way for control to come from one location of a machine to the next.
///
/// # Errors
/// Why there is none.
pub fn source_with(
    kernel: &Kernel,
    dialect: Dialect,
    notes: &Notes,
    jumps: Jumps,
) -> Result<Source, Unsupported> {
    verify(kernel)
        .map_err(|errors| Unsupported::Invalid(errors.first().map_or(String::new(), ToString::to_string)))?;
    if kernel.params == 0 || kernel.locals[0].ty != Type::U64 {
        return Err(Unsupported::NoLane);
    }
    if let Some(buffer) = kernel.buffers.iter().find(|buffer| buffer.access == Access::Append) {
        return Err(Unsupported::Growing(buffer.name.clone()));
    }
    let mut printer = Printer::new(kernel, dialect, notes, jumps);
    printer.body()?;
    let types = types(kernel, &printer);
    let (needs_f64, needs_f32) = (types.contains(&Type::F64), types.contains(&Type::F32));
    let mut lines = Lines::default();
    head(&mut lines, dialect, notes, &types);
    let definitions = definitions(&printer.writer.helpers, dialect);
    lines.text.push_str(&definitions);
    signature(&mut lines, &printer, dialect);
    declarations(&mut lines, &printer, dialect, notes);
    lines.text.push_str(&printer.out.text);
    lines.line("}");
    Ok(Source { text: lines.text, entry: printer.names.entry, needs_f64, needs_f32 })
}

/// Types that occur, and those that helpers and the convention need.
fn types(kernel: &Kernel, printer: &Printer<'_>) -> BTreeSet<Type> {
    let mut types = BTreeSet::from([Type::U8, Type::U32, Type::I32, Type::U64, Type::I64]);
    types.extend(kernel.locals[..kernel.params].iter().map(|param| param.ty));
    let used = kernel.locals.iter().zip(&printer.used).filter(|(_, used)| **used);
    types.extend(used.map(|(local, _)| local.ty));
    types.extend(kernel.buffers.iter().map(|buffer| buffer.ty));
    types.extend(&printer.traits.types);
    types
}

fn head(lines: &mut Lines, dialect: Dialect, notes: &Notes, types: &BTreeSet<Type>) {
    for line in &notes.header {
        lines.line(format!("// {}", comment(line)).trim_end());
    }
    if !notes.header.is_empty() {
        lines.line("");
    }
    if dialect == Dialect::OpenCl {
        if types.contains(&Type::F64) {
            lines.line("#pragma OPENCL EXTENSION cl_khr_fp64 : enable");
        }
        lines.line("#pragma OPENCL FP_CONTRACT OFF");
        lines.line("");
    }
    for &ty in types.iter().filter(|&&ty| ty != Type::Bool) {
        lines.line(&format!("typedef {} {ty};", dialect.c_type(ty)));
    }
    lines.line("");
}

fn signature(lines: &mut Lines, printer: &Printer<'_>, dialect: Dialect) {
    let (kernel, names) = (printer.kernel, &printer.names);
    let cuda = dialect == Dialect::Cuda;
    let (function, space, restrict) = if cuda {
        ("extern \"C\" __global__ void", "", "__restrict__")
    } else {
        ("kernel void", "global ", "restrict")
    };
    lines.line(&format!("{function} {}(", names.entry));
    lines.depth += 1;
    lines.line(&format!("const u64 {},", names.first));
    lines.line(&format!("const u64 {},", names.end));
    for (local, name) in kernel.locals[..kernel.params].iter().zip(&names.locals).skip(1) {
        lines.line(&format!("{} {name},", stored(local.ty)));
    }
    for ((buffer, name), len) in kernel.buffers.iter().zip(&names.buffers).zip(&names.lens) {
        let constant = if buffer.access == Access::Read { "const " } else { "" };
        let ty = stored(buffer.ty);
        lines.line(&format!("{space}{constant}{ty} *{restrict} {name}, const u64 {len},"));
    }
    let volatile = if cuda { "" } else { "volatile global " };
    lines.line(&format!("{volatile}u32 *{}", names.exit_code));
    lines.depth -= 1;
    lines.line(") {");
}

/// The lane, and all locals that occur.
fn declarations(lines: &mut Lines, printer: &Printer<'_>, dialect: Dialect, notes: &Notes) {
    let (kernel, names) = (printer.kernel, &printer.names);
    lines.depth = 1;
    let lane = &names.locals[0];
    let item = match dialect {
        Dialect::OpenCl => "get_global_id(0)",
        Dialect::Cuda => "(u64)blockIdx.x * blockDim.x + threadIdx.x",
    };
    lines.line(&format!("u64 {lane} = {item};"));
    lines.line(&format!("if ({lane} >= {} - {}) return;", names.end, names.first));
    lines.line(&format!("{lane} += {};", names.first));
    let locals = kernel.locals.iter().zip(&names.locals).enumerate().skip(kernel.params);
    let mut any = false;
    for (index, (local, name)) in locals.filter(|(index, _)| printer.used[*index]) {
        let zero = match local.ty {
            Type::Bool => "false",
            Type::F32 => "0.0f",
            Type::F64 => "0.0",
            _ => "0",
        };
        let note = notes.locals.iter().find(|(of, _)| *of == Local(index as u32));
        let note = note.map_or(String::new(), |(_, note)| format!("  // {}", comment(note)));
        lines.line(&format!("{} {name} = {zero};{note}", local.ty));
        any = true;
    }
    if any {
        lines.line("");
    }
    lines.depth = 0;
}

/// The type of an element in memory.
fn stored(ty: Type) -> Type {
    if ty == Type::Bool { Type::U8 } else { ty }
}
