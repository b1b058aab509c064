dtmc
module walk
  x : int init 0;
  s : [-1..1] init 0;
  [] x>-20 & x<20 -> 0.5 : (x'=x+1) + 0.5 : (x'=x-1) & (s'=x>0?1:-1);
endmodule
