//! The interpreter as a back end: what it refuses, and kernels at the limits of the verifier.

use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::text::parse;
use volvelle_kernel::verify::MAX_BLOCK_NESTING;
use volvelle_kernel::{BufferMut, Code, Compiler, Const, Exit};

fn compiled(text: &str) -> Box<dyn Code> {
    Interpreter.compile(&parse(text).unwrap()[0]).unwrap()
}

#[test]
fn invalid_kernels_do_not_compile() {
    let kernel = parse("kernel k(x: i64) { break; x = true; }").unwrap().remove(0);
    let error = Interpreter.compile(&kernel).err().unwrap();
    let expected =
        "statement 1: `break` outside of a loop\nstatement 2: the value has type bool instead of i64";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn what_was_in_an_append_buffer_is_dropped() {
    let code = compiled("kernel k() { buffer out: append u64; emit out, len(out); }");
    let mut out = Vec::with_capacity(4);
    out.extend([7, 8, 9]);
    assert_eq!(code.run(&[], &mut [BufferMut::AppendU64(&mut out)]), Exit::Done);
    assert_eq!(out, [0]);
}

#[test]
#[should_panic(expected = "parameters do not match")]
fn parameters_of_another_type_are_a_bug() {
    let _ = compiled("kernel k(x: i64) { }").run(&[Const::u64(1)], &mut []);
}

#[test]
#[should_panic(expected = "buffers do not match")]
fn a_buffer_with_another_access_is_a_bug() {
    let mut cells = [1u64];
    let _ = compiled("kernel k() { buffer b: read u64; }").run(&[], &mut [BufferMut::U64(&mut cells)]);
}

#[test]
fn deepest_blocks_and_longest_chains_run() {
    let open = "if x == x {".repeat(MAX_BLOCK_NESTING);
    let close = "}".repeat(MAX_BLOCK_NESTING);
    let sum = "x".to_owned() + &" + x".repeat(100_000);
    let code =
        compiled(&format!("kernel k(x: i64) {{ buffer out: append i64; {open} emit out, {sum}; {close} }}"));
    let mut out = Vec::with_capacity(1);
    assert_eq!(code.run(&[Const::i64(3)], &mut [BufferMut::AppendI64(&mut out)]), Exit::Done);
    assert_eq!(out, [300_003]);
}

#[test]
fn a_run_ends_when_its_rounds_are_used_up() {
    let text = "kernel k() { buffer out: append u64; local i: u64; local j: u64;
        for i in 0u64..3u64 { for j in 0u64..4u64 { emit out, j; } } }";
    let code = Interpreter.prepare(&parse(text).unwrap()[0]).unwrap();
    let run = |mut rounds: u64| {
        let mut out = Vec::with_capacity(12);
        let exit = code.run_within(&mut rounds, &[], &mut [BufferMut::AppendU64(&mut out)]);
        (exit, out.len(), rounds)
    };
    // Three rounds of the outer loop, four of the inner one in each.
    assert_eq!(run(17), (Some(Exit::Done), 12, 2));
    assert_eq!(run(15), (Some(Exit::Done), 12, 0));
    assert_eq!(run(14), (None, 11, 0));
    assert_eq!(run(0), (None, 0, 0));
}
