//! Round trip: printed trees parse to equal trees.

use crate::common::{read, right};
use volvelle_promela::print;
use volvelle_promela_testing::{Choices, random_tree, shape};

#[test]
fn random_trees() {
    let mut sizes = 0;
    for seed in 0..1500 {
        let tree = random_tree(&mut Choices::from_seed(seed));
        let text = print::model(&tree);
        sizes += text.len();
        let parsed = right(&text);
        assert_eq!(shape(&tree), shape(&parsed.model), "seed {seed}:\n{text}");
        assert_eq!(print::model(&parsed.model), text, "seed {seed}");
    }
    assert!(sizes > 1500 * 400, "the trees are too small to say much: {sizes}");
}

/// Bytes choose trees as well, also when they are used up at once.
#[test]
fn trees_from_bytes() {
    for length in 0..60 {
        let bytes: Vec<u8> = (0..length).map(|i| (i * 37 + 11) as u8).collect();
        let tree = random_tree(&mut Choices::from_bytes(&bytes));
        let parsed = right(&print::model(&tree));
        assert_eq!(shape(&tree), shape(&parsed.model));
    }
}

/// The comparison sees what differs: trees of different texts have different shapes.
#[test]
fn shapes_differ() {
    let texts = [
        "init { a = b - c - d }",
        "init { a = b - (c - d) }",
        "init { a = b + c - d }",
        "init { L: a = b - c - d }",
        "init { a = b - c; - d }",
        "init { a[1] = b - c - d }",
        "init { a! b - c - d }",
    ];
    let shapes: Vec<String> = texts.iter().map(|text| shape(&read(text).1.model)).collect();
    for (i, a) in shapes.iter().enumerate() {
        for (j, b) in shapes.iter().enumerate() {
            assert_eq!(a == b, i == j, "{} {}", texts[i], texts[j]);
        }
    }
}
