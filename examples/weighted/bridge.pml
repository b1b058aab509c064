/* Four people cross a bridge at night with one torch. At most two walk at a time, and no faster than the slower of them:
 * they take 5, 10, 20 and 25 minutes. How soon can all be on the other side?
 *
 * `minutes` is only counted, and nothing depends on it: as the weight of steps it makes no states.
 *
 * Worth asking, with --weights minutes:
 *   EF[<=60] crossed == 4     can all be over within an hour? Yes, and 60 minutes are the least.
 *   EF[<60] crossed == 4      No.
 */

#define SLOWER(a, b) (a > b -> a : b)

int minutes;
byte crossed;          /* how many are on the other side */
bool torch;            /* where the torch is */
bool over[4];          /* who is on the other side */
byte time[4];

active proctype Group() {
  byte a, b;
  time[0] = 5; time[1] = 10; time[2] = 20; time[3] = 25;
  do
  :: crossed == 4 -> break
  :: !torch ->
       select (a : 0 .. 3); select (b : 0 .. 3);
       d_step {
         !over[a] && !over[b] && a < b ->
         over[a] = true; over[b] = true; torch = true;
         crossed = crossed + 2;
         minutes = minutes + SLOWER(time[a], time[b])
       }
  :: torch && crossed < 4 ->
       select (a : 0 .. 3);
       d_step {
         over[a] ->
         over[a] = false; torch = false;
         crossed--;
         minutes = minutes + time[a]
       }
  od
}
