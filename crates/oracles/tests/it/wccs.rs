//! The property of weighted CCS on the examples, and on what is left of them when pieces are cut out.

use std::path::Path;
use volvelle_oracles::wccs_text;
use volvelle_random::Random;

#[test]
fn examples_and_pieces_of_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/weighted");
    let mut random = Random(3);
    for name in ["election.wccs", "semaphore.wccs"] {
        let text = std::fs::read_to_string(folder.join(name)).expect("the example is there");
        wccs_text(&text);
        for _ in 0..300 {
            let (a, b) = (random.below(text.len()), random.below(text.len()));
            let (from, to) = (a.min(b), a.max(b).min(a.min(b) + 40));
            wccs_text(&[&text[..from], &text[to..]].concat());
        }
    }
    for text in [
        "P := <a>.(P | P);",
        "P := (<a,2>.p:P | <a!>.q:P) \\ {a}[p => q];",
        "P := <a,1/2>.P + <b!,.5>.P;",
        "é",
        "",
    ] {
        wccs_text(text);
    }
}
