// states 241 transitions 530 verdict ok
// `select` inside of an inline counts up step by step.
inline choose(which) {
  select (which : 0 .. 2)
}
active [2] proctype Chooser() {
  byte inside, outside;
  choose(inside);
  select (outside : 0 .. 1)
}
