// Copies to local memory: neighbouring items read the same element (ITEM is 0), neighbouring elements (1), or runs of their own
// (2); iterations read the same element, the next one, or one that is as far away as there are items. Items write side by side.
//
// volvelle: size = 2^19
// volvelle: parameter WG = 1, 2, 4, 8, 16, 32, 64, 256, 1024
// volvelle: parameter TRIPS = 8, 64
// volvelle: parameter ITEM = 0, 1, 2
// volvelle: parameter STEP = 0, 1, 2
// volvelle: constraint 2 * WG * TRIPS <= size
// volvelle: constraint WG * TRIPS <= 65536
// volvelle: global = size / TRIPS, local = WG
// volvelle: argument data = random float[2 * size]
// volvelle: argument out = zero float[size / TRIPS]
// volvelle: argument tile = local float[WG * TRIPS]

__kernel void copy(__global const float *data, __global float *out, __local float *tile)
{
    const int lane = get_local_id(0);
    const int first = get_group_id(0) * WG * TRIPS + lane * (ITEM == 2 ? TRIPS : ITEM);

    for (int i = 0; i < TRIPS; i++)
        tile[i * WG + lane] = data[first + i * (STEP == 2 ? WG : STEP)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[WG * TRIPS - 1 - lane];
}
