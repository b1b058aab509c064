// volvelle: parameter WG = 2, 4; parameter UNROLL = 1, 2
// volvelle: global = WG * 2, local = WG
// volvelle: argument n = int size; argument dt = float 0.5; argument a = random float4[size]
#define SYNC barrier(CLK_LOCAL_MEM_FENCE)
#define AGAIN SYNC
#define AT(x, i) x[(i)]
#define EACH(i, n) for (int i = get_global_id(0); i < (n); i += get_global_size(0))
#define JOIN(x) v ## x
#define TWICE(n) (2 * (n))
__attribute__((reqd_work_group_size(WG, 1, 1)))
__kernel void k(__global float4 *a, int n, float dt) {
  __local float s[TWICE(WG)];
  float4 v1;
  float JOIN(2) = 0;
  #pragma unroll UNROLL
  EACH(i, n) { v1.x += AT(a, i).x * dt; v2++; }
  AT(s, get_local_id(0)) = v1.x;
  AGAIN;
#if UNROLL > 1 && defined(WG)
  if (get_global_id(0) < n) AT(a, get_global_id(0)).y = AT(s, 0) + v2;
#elif WG == 3
#error three
#endif
}
