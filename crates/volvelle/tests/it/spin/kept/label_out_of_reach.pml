// states 8 transitions 13 verdict ok
// No step leads to the label, but another process asks for it.
bit flag;
active proctype Turner() {
  do
  :: flag = 1 - flag
  od;
never_here:
  skip
}
active proctype Asker() {
  if
  :: Turner@never_here -> assert(false)
  :: flag == 1 -> skip
  fi
}
