//! The shape of generated code, before Cranelift optimises it: what is computed without jumps, and what is
//! computed once.

use volvelle_kernel::text::parse;
use volvelle_native::{Native, OptLevel, Options};

/// How often each of `instructions` stands in the code of a kernel, given as text.
fn count<const N: usize>(kernel: &str, instructions: [&str; N]) -> [usize; N] {
    let kernels = parse(kernel).unwrap();
    let options = Options { opt_level: OptLevel::None, ..Options::default() };
    let code = Native::new(options).unwrap().explain(&kernels[0]).unwrap();
    instructions.map(|name| {
        let is_it =
            |word: &str| word == name || word.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        code.lines().filter(|line| line.split_whitespace().any(is_it)).count()
    })
}

#[test]
fn a_cheap_choice_is_computed_without_jumps() {
    let kernel =
        "kernel k(x: i64) { buffer out: append i64; emit out, select(x < 3i64, x + 1i64, x - 1i64); }";
    // The one branch is that of `emit`.
    assert_eq!(count(kernel, ["select", "brif"]), [1, 1]);
}

#[test]
fn a_choice_that_may_fail_or_reads_memory_jumps() {
    let divides = "kernel k(x: i64) {
        buffer out: append i64; site @0: division, tag 0;
        emit out, select(x == 0i64, 1i64, 7i64 /@0 x);
    }";
    // Choice, zero divisor, emit. (The quotient of 7 cannot overflow.)
    assert_eq!(count(divides, ["select", "brif", "sdiv"]), [0, 3, 1]);
    let loads = "kernel k(i: u64) {
        buffer table: read i64; buffer out: append i64;
        emit out, select(i == 0u64, 1i64, table[i]);
    }";
    assert_eq!(count(loads, ["select", "brif"]), [0, 3]);
}

#[test]
fn a_cheap_guard_is_one_branch_and_a_long_one_several() {
    let guard = |conjuncts: usize| {
        let tests: Vec<String> = (0..conjuncts).map(|i| format!("x != {i}i64")).collect();
        format!(
            "kernel k(x: i64) {{ buffer out: append i64; if {} {{ return; }} emit out, x; }}",
            tests.join(" && ")
        )
    };
    assert_eq!(count(&guard(3), ["brif", "icmp"]), [2, 4]);
    let [branches, comparisons] = count(&guard(20), ["brif", "icmp"]);
    assert!((5..20).contains(&branches), "{branches}");
    assert_eq!(comparisons, 21);
}

#[test]
fn a_shared_operand_is_computed_once_in_a_statement() {
    let kernel = "kernel k(x: i64) {
        buffer out: append i64;
        emit out, x * x + (x * x - 1i64) + select(x * x < 4i64, x * x, 0i64);
    }";
    assert_eq!(count(kernel, ["imul"]), [1]);
}

#[test]
fn much_used_locals_live_in_the_frame() {
    let kernel = |uses: usize| {
        let emits = "emit out, x; ".repeat(uses);
        format!("kernel k(x: i64, y: i64) {{ buffer out: append i64; {emits} }}")
    };
    // The exit and, of the large kernel, parameter, cursor, start and end of the buffer.
    assert_eq!(count(&kernel(2), ["explicit_slot"]), [1]);
    assert_eq!(count(&kernel(100), ["explicit_slot"]), [5]);
}

#[test]
fn blocks_of_a_machine_jump_directly() {
    let kernel = "kernel k(n: u64, x: u64) {
        buffer out: append u64; local i: u64; local y: u64;
        machine i in 0u64..n at x as u32 {
            block 0 { y = y + x; if y & 1u64 == 0u64 { goto 1; } goto 2; }
            block 1 { y = y >> 1u64; goto 0; }
            block 2 { y = y * 3u64; goto 0; }
        }
        emit out, y;
    }";
    // The switch at the start; entry, the choice, four jumps, emit. Each jump counts.
    assert_eq!(count(kernel, ["br_table", "brif"]), [1, 1 + 1 + 4 + 1]);
    // A start that is known takes no choice: entry, and one jump that compares the counter.
    let counts = "kernel k(n: u64) { local i: u64; machine i in 0u64..n at 0u32 { block 0 { goto 0; } } }";
    assert_eq!(count(counts, ["br_table", "brif", "icmp"]), [0, 2, 2]);
}

#[test]
fn machine_code_can_be_looked_at() {
    let text = "kernel double(x: i64) { buffer out: write i64; out[0u64] = x + x; }";
    let kernel = volvelle_kernel::text::parse(text).unwrap().remove(0);
    let assembly = Native::new(Options::default()).unwrap().assembly(&kernel).unwrap();
    assert!(assembly.contains("block0:") && assembly.lines().count() > 5, "{assembly}");
}
