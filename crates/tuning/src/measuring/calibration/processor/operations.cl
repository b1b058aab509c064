// Arithmetic that no compiler removes: each step needs the one before.
//
// volvelle: size = 2^12
// volvelle: parameter WG = 1, 2, 4, 8, 16, 32, 64, 256, 1024
// volvelle: parameter TRIPS = 16, 128
// volvelle: global = size, local = WG
// volvelle: argument out = zero uint[size]
// volvelle: argument sums = local uint[WG]

__kernel void operations(__global uint *out, __local uint *sums)
{
    const int lane = get_local_id(0);
    uint a = get_global_id(0);
    uint b = 1;

    for (int i = 0; i < TRIPS; i++) {
        a = a * 1664525u + 1013904223u;
        b = b ^ (a >> 3);
    }
    sums[lane] = b;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sums[WG - 1 - lane];
}
