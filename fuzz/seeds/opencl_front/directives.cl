// volvelle: size = 1024
// volvelle: parameter WG = 16, 32, 64
// volvelle: parameter MODE = 0, 1, 2, 3
// volvelle: parameter PAD = 0, 1
// volvelle: global = size, local = WG
#if MODE == 3 && PAD
#error no padding in mode 3
#endif
#define LEN (WG + PAD)
#if MODE > 0
  #define N (4 * MODE)
#else
  #define N 1
#endif
__kernel void k(__global float *a)
{
#if PAD == 1
    __local float s[LEN][8];
#else
    __local float s[WG][8];
#endif
    int l = get_local_id(0);
    float x = 0;
    for (int i = 0; i < N; i++) x += a[get_global_id(0) + i];
#if MODE == 2
    s[l][0] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x = s[WG - 1 - l][0];
#endif
    a[get_global_id(0)] = x;
}
