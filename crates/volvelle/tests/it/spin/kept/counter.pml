// states 133 transitions 242 verdict ok
// Two processes count the same variable.
byte x;
active [2] proctype P() {
  byte i;
  do
  :: i < 3 -> i++; x = (x + 1) % 5
  :: else -> break
  od
}
