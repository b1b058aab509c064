/* A sender hands numbered parcels to a receiver over a channel that may lose them.
   The receiver confirms each; without confirmation the sender sends again. */

mtype = { parcel, confirm };

chan road = [1] of { mtype, bit };
chan back = [1] of { mtype, bit };

byte sent, delivered;

active proctype Sender() {
  bit number, answer;
  do
  :: atomic { sent < 3 -> sent++ };
     do
     :: road!parcel(number)
     :: back?confirm(answer) -> break
     od;
     number = 1 - number
  :: sent == 3 -> break
  od
}

active proctype Receiver() {
  bit number;
end:
  do
  :: road?parcel(number) ->
     delivered++;
     assert(delivered <= sent);
     back!confirm(number)
  od
}

active proctype Thief() {
end:
  do
  :: road?_,_
  od
}
