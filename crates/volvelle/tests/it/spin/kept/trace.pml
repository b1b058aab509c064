// states 353 transitions 611 verdict error
// A trace over channels that are known in the run only.
byte x; byte y;
chan c = [2] of {byte, byte}; chan f[2] = [1] of { byte, byte };
trace { do :: c!_,1 -> c?1 :: c!2,2 :: f[1]?_,2 :: c?2,_ -> endx: c!3 od }
active proctype A() { chan z; c!1,1; if :: z = c :: z = f[1] fi; f[1]!2,2; z?x,y; f[0]!4,3 }
active proctype B() { byte k;  do :: c!2,2 :: c?k,eval(2) :: c!3,1 :: c?1,_ -> break od }
