//! Models with known probabilities of rare events.

/// A gambler with 1 of 20 who wins with probability 0.3; broke or rich, he stops.
pub const GAMBLER: &str = "dtmc
module gambler
  x : [0..20] init 1;
  [] x>0 & x<20 -> 0.3 : (x'=x+1) + 0.7 : (x'=x-1);
endmodule
";

/// The probability that a gambler with `from` has `to` before he is broke, winning with probability `p`.
pub fn ruin(p: f64, from: i32, to: i32) -> f64 {
    let ratio = (1.0 - p) / p;
    (ratio.powi(from) - 1.0) / (ratio.powi(to) - 1.0)
}

/// Two queues in a row.
pub const TANDEM: &str = "ctmc
module queues
  x : [0..8] init 0;
  y : [0..8] init 0;
  [] x<8 -> 1 : (x'=x+1);
  [] x>0 & y<8 -> 3 : (x'=x-1) & (y'=y+1);
  [] y>0 -> 2.5 : (y'=y-1);
endmodule
";

/// The bounded retransmission protocol for 4 chunks and 3 retransmissions, without the receiver's reports.
pub const BRP: &str = "dtmc
const int N = 4;
const int MAX = 3;
module sender
  s : [0..6];
  srep : [0..3];
  nrtr : [0..MAX];
  i : [0..N];
  bs : bool;
  [start] s=0 -> (s'=1) & (i'=1) & (srep'=0);
  [send] s=1 -> (s'=2) & (nrtr'=0);
  [acked] s=2 -> (s'=4) & (bs'=!bs);
  [lost] s=2 -> (s'=3);
  [send] s=3 & nrtr<MAX -> (s'=2) & (nrtr'=nrtr+1);
  [] s=3 & nrtr=MAX & i<N -> (s'=5) & (srep'=1);
  [] s=3 & nrtr=MAX & i=N -> (s'=5) & (srep'=2);
  [] s=4 & i<N -> (s'=1) & (i'=i+1);
  [] s=4 & i=N -> (s'=6) & (srep'=3);
endmodule
module channel
  k : [0..2];
  [send] k=0 -> 0.97 : (k'=1) + 0.03 : (k'=2);
  [acked] k=1 -> (k'=0);
  [lost] k=2 -> (k'=0);
endmodule
";

/// The probability of an error of the protocol.
pub fn brp_error() -> f64 {
    1.0 - (1.0 - 0.03f64.powi(4)).powi(4)
}

/// The probability that it happens with the last chunk.
pub fn brp_error_at_last() -> f64 {
    (1.0 - 0.03f64.powi(4)).powi(3) * 0.03f64.powi(4)
}
