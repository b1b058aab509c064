#[test]
fn speed() {
    for l in ["prism","promela","lotos"] {
        let t = std::fs::read_to_string(format!("/tmp/gen/{l}")).unwrap();
        let s = std::time::Instant::now();
        let mut k = 0;
        for _ in 0..10 { k += volvelle_symbols::index(l, &[(volvelle_diagnostics::FileId(0), &t)]).unwrap().tokens.len(); }
        eprintln!("{l} {:?} {k}", s.elapsed()/10);
    }
}
