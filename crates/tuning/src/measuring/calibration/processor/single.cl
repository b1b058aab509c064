// Accesses outside of loops.
//
// volvelle: size = 2^18
// volvelle: parameter WG = 1, 2, 4, 8, 16, 32, 64, 256, 1024
// volvelle: parameter ITEM = 0, 1, 2
// volvelle: parameter BOTH = 0, 1
// volvelle: global = size / 4, local = WG
// volvelle: argument data = random float[size + 4096]
// volvelle: argument out = zero float[size / 4]
// volvelle: argument sums = local float[WG]

__kernel void single(__global const float *data, __global float *out, __local float *sums)
{
    const int lane = get_local_id(0);
    const int first = get_group_id(0) * WG * 4 + lane * (ITEM == 2 ? 4 : ITEM);
    float value = data[first];

    if (BOTH)
        value += data[first + WG] + data[first + 2 * WG];
    sums[lane] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sums[WG - 1 - lane];
}
