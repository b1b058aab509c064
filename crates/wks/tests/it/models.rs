//! Families of models that others have measured (J. F. Jensen, K. G. Larsen, J. Srba, L. K. Oestergaard, STTT 18, 2016): leader election
//! in a ring, the alternating bit protocol with a lossy buffer, a counting semaphore.

use std::fmt::Write;

/// Leader election among `n` processes in a ring: each sends the largest rank that it knows to its neighbour, at cost 1; who receives its
/// own rank is the leader. The initial process is `Ring`.
pub fn election(n: usize) -> String {
    let message = |to: usize, rank: usize| format!("m{to}r{rank}");
    let mut text = String::new();
    for me in 1..=n {
        let next = if me == 1 { n } else { me - 1 };
        let state = |known: usize| if known == me { format!("P{me}") } else { format!("P{me}_{known}") };
        for known in me..=n {
            let _ = write!(text, "{0} := <{1}!,1>.{0}", state(known), message(next, known));
            for rank in 1..=n {
                let then = if rank == me { "leader:0".to_owned() } else { state(known.max(rank)) };
                let _ = write!(text, " + <{}>.{then}", message(me, rank));
            }
            text += ";\n";
        }
    }
    let processes: Vec<String> = (1..=n).map(|me| format!("P{me}")).collect();
    let pairs = (1..=n).flat_map(|to| (1..=n).map(move |rank| (to, rank)));
    let messages: Vec<String> = pairs.map(|(to, rank)| message(to, rank)).collect();
    let _ = writeln!(text, "Ring := ({}) \\ {{{}}};", processes.join(" | "), messages.join(", "));
    text
}

/// The alternating bit protocol with a lossy buffer of `k` cells and `n` messages. The initial process is `System`.
pub fn alternating_bit(k: usize, n: usize) -> String {
    let mut text = String::from(
        "Sender := Ready0;\n\
         Ready0 := <send>.Sending0;\n\
         Ready1 := <send>.Sending1;\n\
         Sending0 := <transmit0!>.send0:(<rack0>.Ready1 + <rack1>.Sending0 + <tau>.Sending0);\n\
         Sending1 := <transmit1!>.send1:(<rack1>.Ready0 + <rack0>.Sending1 + <tau>.Sending1);\n\
         Receiver := Receive0;\n\
         Receive0 := <r0>.<deliver!>.deliver0:<sack0!>.Receive1 + <r1>.<sack1!>.Receive0 + <tau>.<sack1!>.Receive0;\n\
         Receive1 := <r1>.<deliver!>.deliver1:<sack1!>.Receive0 + <r0>.<sack0!>.Receive1 + <tau>.<sack0!>.Receive1;\n\
         Cell := <in0>.(<out0!,1>.Cell + Cell) + <in1>.(<out1!,1>.Cell + Cell);\n\
         Buffer1 := Cell;\n",
    );
    for cells in 2..=k {
        let (first, last) = (cells / 2, cells.div_ceil(2));
        let _ = writeln!(
            text,
            "Buffer{cells} := (Buffer{first}[out0 -> shift0, out1 -> shift1] \
             | Buffer{last}[in0 -> shift0, in1 -> shift1]) \\ {{shift0, shift1}};"
        );
    }
    let _ = write!(
        text,
        "Medium := MediumSR | MediumRS;\n\
         MediumSB := <transmit0>.<in0!>.MediumSB + <transmit1>.<in1!>.MediumSB;\n\
         MediumBR := <out0>.<r0!>.MediumBR + <out1>.<r1!>.MediumBR;\n\
         MediumSR := (MediumSB | Buffer{k} | MediumBR) \\ {{in0, in1, out0, out1}};\n\
         MediumRS := <sack0>.(<rack0!>.MediumRS + MediumRS) + <sack1>.(<rack1!>.MediumRS + MediumRS);\n\
         D := <deliver>.delivered:0;\n\
         UserSpace := {};\n\
         System := (Sender | Medium | Receiver | UserSpace)\n\
         \\ {{transmit0, transmit1, rack0, rack1, r0, r1, sack0, sack1, deliver}};\n",
        vec!["D"; n].join(" | "),
    );
    text
}

/// A semaphore of `k` cells and `n` threads that use it. The initial process is `System`.
pub fn semaphore(k: usize, n: usize) -> String {
    format!(
        "System := (Semaphore | Threads) \\ {{lock, unlock}};\n\
         Thread := <lock!>.critical_section:<unlock!>.Thread;\n\
         Cell := <lock>.<unlock>.Cell;\n\
         Semaphore := {};\n\
         Threads := {};\n",
        vec!["Cell"; k].join(" | "),
        vec!["Thread"; n].join(" | ")
    )
}
