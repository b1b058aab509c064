// Sums of numbers of a type, whole or real: neighbouring items read the same element (ITEM is 0), neighbouring elements (1), or runs
// of their own (2); iterations read the same element, the next one, or one that is as far away as there are items. With TREE, the
// items add up what they have in a tree, and meet at a barrier after each of its levels.
//
// volvelle: size = 2^20
// volvelle: parameter WG = 1, 2, 4, 8, 16, 32, 64, 256, 1024
// volvelle: parameter TRIPS = 8, 64, 512
// volvelle: parameter ITEM = 0, 1, 2
// volvelle: parameter STEP = 0, 1, 2
// volvelle: parameter TREE = TREES
// volvelle: constraint 2 * WG * TRIPS <= size
// volvelle: constraint TRIPS < 512 or ITEM + STEP > 2
// volvelle: constraint TREE == 0 or WG > 1 and TRIPS > 8
// volvelle: global = size / TRIPS, local = WG
// volvelle: argument data = random NUMBER[2 * size]
// volvelle: argument out = zero NUMBER[size / TRIPS]
// volvelle: argument sums = local NUMBER[WG]

__kernel void add(__global const NUMBER *data, __global NUMBER *out, __local NUMBER *sums)
{
    const int lane = get_local_id(0);
    const int first = get_group_id(0) * WG * TRIPS + lane * (ITEM == 2 ? TRIPS : ITEM);
    NUMBER sum = 0;

    for (int i = 0; i < TRIPS; i++)
        sum += data[first + i * (STEP == 2 ? WG : STEP)];
    sums[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int width = WG / 2; TREE && width > 0; width >>= 1) {
        if (lane < width)
            sums[lane] += sums[lane + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sums[WG - 1 - lane];
}
