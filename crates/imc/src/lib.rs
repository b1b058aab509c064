//! Interactive Markov chains: maximal progress, vanishing states, throughputs.
