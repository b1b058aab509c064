/*
 * How a kitchen should spend PLACES places on cooks and ovens, so that dinner is ready as early as possible.
 *
 * Every dish is prepared by a cook, baked in an oven, and finished by a cook. A dish may wait before each of that, for as long as it
 * likes: which dish goes first is for the schedule to decide, and the best one is looked for.
 *
 *   volvelle tune kitchen.pml --minimize time --goal served --parameters cooks,ovens
 */

#define PLACES 5
#define DISHES 4

byte cooks, ovens;             /* the parameters */
byte free_cooks, free_ovens;
byte left;                     /* dishes that are not finished */
int time;                      /* minutes */
bool served;

/* Takes one of some resources for some minutes. */
inline use(resources, minutes) {
  atomic { resources > 0 -> resources--; until = time + minutes }
  atomic { time >= until -> resources++ }
}

proctype Dish(byte prepare; byte bake) {
  int until;
  use(free_cooks, prepare);
  use(free_ovens, bake);
  use(free_cooks, 1);
  left--
}

active proctype Kitchen() {
  select (cooks : 1 .. PLACES - 1);
  ovens = PLACES - cooks;
  free_cooks = cooks;
  free_ovens = ovens;
  left = DISHES;
  atomic {
    run Dish(3, 8);
    run Dish(3, 8);
    run Dish(5, 4);
    run Dish(5, 4)
  }
  do
  :: left > 0 -> time++
  :: left == 0 -> break
  od;
  served = true
}
