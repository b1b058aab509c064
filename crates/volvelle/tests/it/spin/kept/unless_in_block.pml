// states 54 transitions 84 verdict ok
// A block that begins with `unless`: the escape comes first, and the block is no step.
byte way;
active [2] proctype Chooser() {
  byte mine;
  {
    { way = 1; mine = way } unless { way == 0 -> way = 2; mine = 3 }
  };
  mine = 0
}
