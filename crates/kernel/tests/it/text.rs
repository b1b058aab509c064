//! The text form: parsing what was printed gives the kernel back, and no text is too much for the parser.

use volvelle_kernel::generate::Case;
use volvelle_kernel::text::{PieceKind, parse, parse_with_places, pieces};
use volvelle_kernel::verify::{MAX_BLOCK_NESTING, Place, verify};
use volvelle_kernel::{Buffer, ExprId, Kernel, Local, Type};

/// Prints, parses, compares; gives the text.
fn round_trip(kernel: &Kernel, what: &str) -> String {
    let text = kernel.to_string();
    let parsed = match parse(&text) {
        Ok(kernels) if kernels.len() == 1 => kernels.into_iter().next().unwrap(),
        other => panic!("{what}: {other:?}\n{text}"),
    };
    assert_eq!(parsed.canonical(), kernel.canonical(), "{what}\n{text}");
    assert_eq!(parsed.to_string(), text, "{what}");
    assert_eq!(parsed.canonical().to_string(), text, "{what}");
    text
}

#[test]
fn generated_kernels_come_back() {
    let mut with_let = 0;
    for seed in 0..3000 {
        let text = round_trip(&Case::from_seed(seed).kernel, &format!("seed {seed}"));
        with_let += text.contains("let $") as u32;
    }
    assert!(with_let > 100, "{with_let}");
}

#[test]
fn several_kernels_in_one_text() {
    let kernels: Vec<Kernel> = (0..5).map(|seed| Case::from_seed(seed).kernel).collect();
    let text: String = kernels.iter().map(|k| k.to_string()).collect();
    let parsed = parse(&text).unwrap();
    let canonical = |kernels: &[Kernel]| kernels.iter().map(Kernel::canonical).collect::<Vec<_>>();
    assert_eq!(canonical(&parsed), canonical(&kernels));
}

#[test]
fn names_that_are_reserved_come_back() {
    let mut kernel = Kernel::new("kernel");
    let x = kernel.param("for", Type::I64);
    let y = kernel.local("f64", Type::I64);
    kernel.buffer("select", Type::I64, volvelle_kernel::Access::Append);
    let value = kernel.get(x);
    kernel.body.push(volvelle_kernel::Stmt::Set { local: y, value });
    let text = round_trip(&kernel, "reserved");
    assert!(text.contains("`f64` = `for`;"), "{text}");
}

/// A sum that doubles at each step: its tree has 2^60 leaves, its text stays small.
#[test]
fn sharing_keeps_text_small() {
    use volvelle_kernel::{BinaryOp, Stmt};
    let mut kernel = Kernel::new("doubling");
    let x = kernel.param("x", Type::I64);
    let mut sum = kernel.get(x);
    for _ in 0..60 {
        sum = kernel.exprs.binary(BinaryOp::Add, sum, sum);
    }
    kernel.body.push(Stmt::Set { local: x, value: sum });
    assert_eq!(verify(&kernel), Ok(()));
    let text = round_trip(&kernel, "doubling");
    assert!(text.len() < 3000, "{} bytes", text.len());
}

/// Deletes, doubles and replaces parts of valid texts: no result makes the parser panic, and what it
/// accepts comes back.
#[test]
fn damaged_texts_do_no_harm() {
    let mut random = 0x2545_f491_4f6c_dd1du64;
    let mut below = |n: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % n as u64) as usize
    };
    let mut accepted = 0;
    for seed in 0..400 {
        let text = Case::from_seed(seed).kernel.to_string();
        for _ in 0..10 {
            let mut damaged = text.clone();
            for _ in 0..1 + below(4) {
                let (a, b) = (below(damaged.len() + 1), below(24));
                let end = (a + b).min(damaged.len());
                let part = damaged[a..end].to_string();
                let replacement = match below(4) {
                    0 => String::new(),
                    1 => format!("{part}{part}"),
                    2 => {
                        ["(", "{", "}", "é", "`", "@", "-", "as", "kernel", "0x", "1e", ";"][below(12)].into()
                    }
                    _ => text[below(text.len())..].chars().take(6).collect(),
                };
                damaged.replace_range(a..end, &replacement);
                damaged.retain(|c| c.is_ascii() || c == 'é');
                if !damaged.is_ascii() {
                    damaged = damaged.replace('é', "~");
                }
            }
            if let Ok(kernels) = parse(&damaged) {
                for kernel in kernels.iter().filter(|k| verify(k).is_ok()) {
                    round_trip(kernel, "damaged");
                    accepted += 1;
                }
            }
        }
    }
    assert!(accepted > 50, "{accepted}");
}

#[test]
fn deep_texts_do_not_exhaust_the_stack() {
    let deep = 100_000;
    let set = |e: String| parse(&format!("kernel k(x: i64) {{ x = {e}; }}"));
    assert!(set("(".repeat(deep) + "x" + &")".repeat(deep)).is_ok());
    assert!(set("-".repeat(deep) + "x").is_ok());
    assert!(set("min(x, ".repeat(deep) + "x" + &")".repeat(deep)).is_ok());
    assert!(set("(".repeat(deep)).is_err());
    assert!(set("x + (".repeat(deep)).is_err());
    let left = set("(".repeat(deep) + "x" + &" + x) * x".repeat(deep)).unwrap().remove(0);
    assert_eq!(verify(&left), Ok(()));
    round_trip(&left, "left chain");
    for open in ["if true {", "if true {} else ", "switch x { default {", "for x in x..x {", "{", "}"] {
        assert!(parse(&format!("kernel k(x: i64) {{ {}", open.repeat(deep))).is_err());
    }
}

#[test]
fn blocks_nest_as_deep_as_the_verifier_allows() {
    let nested = |depth: usize| {
        let open = "if true {".repeat(depth);
        let chain = "if false {} else ".repeat(depth) + "{ x = 1i64; }";
        let close = "}".repeat(depth);
        [format!("kernel k(x: i64) {{ {open} {close} }}"), format!("kernel k(x: i64) {{ {chain} }}")]
    };
    for text in nested(MAX_BLOCK_NESTING) {
        let kernel = parse(&text).unwrap().remove(0);
        assert_eq!(verify(&kernel), Ok(()));
        round_trip(&kernel, "nested");
    }
    for text in nested(MAX_BLOCK_NESTING + 1) {
        let errors = parse(&text).unwrap_err();
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].message.contains("nest"), "{errors:?}");
    }
}

#[test]
fn errors_have_places_and_do_not_hide_each_other() {
    let text = "\
kernel first(x: i64, y: f64) {
    buffer b: read u8;
    x = x + y;
    if unknown { x = 1i64; } else { x = 2i64; }
    /* no comment */ x = 3i64;
    x = 300u8;
    emit b;
    while x { }
    switch x { case 1i64 { } }
    x = é;
    x = f(x);
    x = x +@;
    x = select(x, x);
    x = x % 2i64;
    x = 5;
}
kernel second(x: i64) { local y: i64 }
kernel third() { let $1 = 1i64; site @1: range, tag 0; return; local z: i64; }
";
    let found: Vec<String> = parse(text).unwrap_err().iter().map(|e| e.to_string()).collect();
    let expected = [
        "3:11: operands differ in type (here: i64, f64)",
        "4:8: there is no local `unknown`",
        "5:5: expected a statement, found `/`",
        "6:9: `300` is not a valid u8",
        "7:11: expected `,`, found `;`",
        "8:5: there is no local `while`",
        "9:21: expected an integer without suffix, found `1i64`",
        "10:9: expected an expression, found 'é'",
        "11:9: there is no function `f`",
        "12:12: expected an expression, found '@'",
        "13:9: the function takes 3 arguments, here are 2",
        "14:13: expected a site, found `2i64`",
        "15:9: a literal ends with its type, as `1i64` does",
        "17:38: expected `;`, found `}`",
        "18:22: expected `$0`, found `$1`",
        "18:38: this is site @0",
        "18:64: declarations come before the statements of a kernel",
    ];
    assert_eq!(found, expected);
}

/// Between tokens and comments stand blanks only, and each is what it looks like.
#[test]
fn pieces_cover_the_text() {
    let text = "// A\nkernel `for`(x: i64) { // b \n x = x +@0 $1 <= 0x1fu8 .. ? é; }";
    let shown: Vec<(PieceKind, &str)> =
        pieces(text).iter().map(|piece| (piece.kind, &text[piece.start..piece.end])).collect();
    let of = |kind: PieceKind| {
        shown.iter().filter(|(other, _)| *other == kind).map(|(_, text)| *text).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(of(PieceKind::Comment), "// A // b ");
    assert_eq!(of(PieceKind::Reserved), "kernel i64");
    assert_eq!((of(PieceKind::Quoted), of(PieceKind::Word)), ("`for`".to_owned(), "x x x".to_owned()));
    assert_eq!(
        (of(PieceKind::Site), of(PieceKind::Let), of(PieceKind::Number)),
        ("@0".into(), "$1".into(), "0x1fu8".into())
    );
    assert_eq!(of(PieceKind::Symbol), "( : ) { = + <= .. ; }");
    assert_eq!(of(PieceKind::Stray), "? é");
    for seed in 0..200 {
        let text = Case::from_seed(seed).kernel.to_string();
        let mut last = 0;
        for piece in pieces(&text) {
            assert!(piece.start >= last && piece.start < piece.end);
            assert!(text[last..piece.start].trim().is_empty());
            last = piece.end;
        }
        assert!(text[last..].trim().is_empty());
    }
}

/// Names, statements and expressions stand where the verifier's places say; errors have the same place twice.
#[test]
fn places_of_parts() {
    let text = "kernel a(x: i64) { buffer b: append i64; local y: i64;
    if x == 1i64 { y = x; } else if x == 2i64 { emit b, y + x; } }
kernel bad( { }
kernel c() { return; }";
    let (kernels, errors) = parse_with_places(text);
    assert_eq!(kernels.iter().map(|located| located.kernel.name.as_str()).collect::<Vec<_>>(), ["a", "c"]);
    let [error] = errors.as_slice() else { panic!("{errors:?}") };
    assert_eq!((error.line, error.column, &text[error.at..=error.at]), (3, 13, "{"));
    let places = &kernels[0].places;
    let at = |place| text[places.offset(place)..].split([' ', ':', ';', ',', '(']).next().unwrap();
    assert_eq!(at(Place::Kernel), "a");
    assert_eq!(
        (at(Place::Buffer(Buffer(0))), at(Place::Local(Local(0))), at(Place::Local(Local(1)))),
        ("b", "x", "y")
    );
    assert_eq!([1, 2, 3, 4].map(|number| at(Place::Stmt(number))), ["if", "y", "if", "emit"]);
    assert_eq!(at(Place::Stmt(9)), "a");
    let sum = kernels[0].kernel.exprs.len() as u32 - 1;
    assert_eq!(at(Place::Expr(ExprId(sum))), "+");
    for seed in 0..300 {
        let text = Case::from_seed(seed).kernel.to_string();
        let (found, errors) = parse_with_places(&text);
        assert!(errors.is_empty());
        assert_eq!(found[0].kernel, parse(&text).unwrap()[0]);
    }
}
