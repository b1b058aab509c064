//! What is printed parses to the tree that was printed.

use crate::common::{self, Random, check_tree, generate, model_shape, properties_shape};
use volvelle_prism::print;

#[test]
fn random_models() {
    for seed in 0..3000 {
        let model = generate::model(&mut Random(seed));
        let text = print::model(&model);
        let (parsed, diagnostics) = common::model(&text);
        assert!(diagnostics.is_empty(), "seed {seed}: {diagnostics:?}\n{text}");
        assert_eq!(model_shape(&model), model_shape(&parsed), "seed {seed}:\n{text}");
        check_tree(&parsed.exprs, &text);
        // Without needless parentheses to lose, the second print is the first.
        assert_eq!(print::model(&parsed), text, "seed {seed}");
    }
}

#[test]
fn random_properties() {
    for seed in 0..8000 {
        let file = generate::properties(&mut Random(seed));
        let text = print::properties(&file);
        let (parsed, diagnostics) = common::properties(&text);
        assert!(diagnostics.is_empty(), "seed {seed}: {diagnostics:?}\n{text}");
        assert_eq!(properties_shape(&file), properties_shape(&parsed), "seed {seed}:\n{text}");
        check_tree(&parsed.exprs, &text);
        assert_eq!(print::properties(&parsed), text, "seed {seed}");
    }
}

#[test]
fn reads_well() {
    let shown = |text: &str| {
        let (file, diagnostics) = common::property(text);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        print::property(&file.exprs, &file.properties[0])
    };
    for text in [
        r#""p1": P=? [ true U<=T "done" ]"#,
        r#"R{"steps"}max=? [ F x=1 & !y>2 ]"#,
        r#"filter(max, P>=0.99 [ F s=7 ], "init")"#,
        "S=? [ s=1 => (a | b) & c*2 + 1 >= d ]",
        r#"P=? [ F[0.5,2*t] "done" {"init"}{max} ]"#,
        "Tmin=? [ F x=1 ? true : false ]",
        "P=? [ F<=t x=1 || G y ]",
        "R=? [ C<=10 ] / 10",
        "A [ (F a) U b ]",
    ] {
        let tight = |text: &str| text.replace(' ', "");
        assert_eq!(tight(&shown(text)), tight(text));
    }
    assert_eq!(shown("P=?[F(a)&b=1]"), "P=? [ F (a) & b=1 ]");
}

#[test]
fn adds_parentheses_where_needed() {
    // `F<=t -x>3` would read on as `t-x>3`.
    let (file, _) = common::property("P=? [ F<=t (-x>3) ]");
    assert_eq!(print::property(&file.exprs, &file.properties[0]), "P=? [ F<=t (-x>3) ]");
    assert_eq!(common::property_tree("P=? [ F<=t (-x>3) ]"), "(P=? (F<=t (> (neg x) 3)))");
}
