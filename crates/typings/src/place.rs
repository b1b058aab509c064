//! Places in programs: `LINE:COLUMN`.

use volvelle_diagnostics::{FileId, Sources};
use volvelle_rules::system::{Loaded, Program};
use volvelle_rules::types::Ty;
use volvelle_trees::NodeId;

/// A line and a column, both from 1.
pub(crate) fn read(written: &str) -> Option<(usize, usize)> {
    let (line, column) = written.split_once(':')?;
    let number = |text: &str| text.parse::<usize>().ok().filter(|&number| number > 0);
    Some((number(line)?, number(column)?))
}

/// The innermost node that covers a place and is of a type.
pub(crate) fn node_at(
    loaded: &Loaded,
    program: &Program,
    sources: &Sources,
    file: FileId,
    (line, column): (usize, usize),
    ty: &Ty,
) -> Option<NodeId> {
    let text = &sources.file(file).text;
    if line > text.lines().count() {
        return None;
    }
    let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let within = text.get(start..)?.split('\n').next()?;
    let offset = within.char_indices().nth(column - 1).map_or(within.len(), |(at, _)| at);
    let offset = u32::try_from(start + offset).ok()?;
    let universe = &loaded.system.universe;
    let covers = |&node: &NodeId| {
        let span = program.tree.span(node);
        span.start <= offset && offset <= span.end && universe.fits(&Ty::Class(program.tree.class(node)), ty)
    };
    program.tree.nodes().filter(covers).min_by_key(|&node| {
        let span = program.tree.span(node);
        // One that ends where another begins gives way to it.
        (span.end == offset && span.start != offset, span.end - span.start)
    })
}
