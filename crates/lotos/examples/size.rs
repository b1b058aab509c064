use volvelle_diagnostics::{RenderOptions, Sources, render_all};
use volvelle_lotos::{data::Ranges, library, lower::lower, parse};
fn count(b: &[volvelle_kernel::Stmt]) -> usize {
    use volvelle_kernel::Stmt::*;
    b.iter().map(|s| 1 + match s { If{then,otherwise,..} => count(then)+count(otherwise), Switch{cases,default,..} => cases.iter().map(|(_,b)| count(b)).sum::<usize>()+count(default), For{body,..}=>count(body), Machine{blocks,..}=>blocks.iter().map(|b|count(b)).sum(), _=>0}).sum()
}
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut sources = Sources::new();
        let file = sources.add(path.as_str(), text.as_str());
        let t = std::time::Instant::now();
        let (mut tree, mut d) = parse::specification(file, &text);
        d.extend(library::add(&mut tree, &mut sources));
        let (lowered, more) = lower(&sources, &tree, Ranges::default());
        d.extend(more);
        let Some(lowered) = lowered else { println!("{path}: refused {}", render_all(&d, &sources, RenderOptions::default())); continue };
        let p = &lowered.program;
        let front = t.elapsed();
        let layout = volvelle_model::Layout::new(p);
        let options = volvelle_model::kernels::StepOptions { choices: true, rewards: vec![], functions: true, dynamic_only: false };
        let k = volvelle_model::kernels::step(p, &layout, &options).unwrap();
        let alternatives: usize = p.groups.iter().flat_map(|g| &g.participants).map(|q| q.alternatives.len()).sum();
        println!("{path}: lower {front:?} exprs {} kernel exprs {} apps {} groups {} alternatives {alternatives} fields {} bits {} components {} total {:?} statements {}",
            p.exprs.len(), k.kernel.exprs.len(), p.applications.len(), p.groups.len(), p.fields.len(), layout.bits(), p.components.len(), t.elapsed(), count(&k.kernel.body));
    }
}
