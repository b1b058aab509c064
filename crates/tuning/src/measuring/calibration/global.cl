// Reading global memory: neighbours read neighbouring elements, or each item its own run of elements.
//
// volvelle: size = 2^18
// volvelle: parameter WG = 1, 4, 32, 128
// volvelle: parameter PER = powers(2^3, 2^9)
// volvelle: parameter APART = 0, 1
// volvelle: constraint WG * PER <= size
// volvelle: global = size / PER, local = WG
// volvelle: argument data = random int[size]
// volvelle: argument out = zero int[size / PER]

__kernel void global_memory(__global const int *data, __global int *out)
{
    const int lane = get_local_id(0);
    const int base = get_group_id(0) * WG * PER;
    int sum = 0;

    if (APART) {
        for (int i = 0; i < PER; i++)
            sum += data[base + lane * PER + i];
    } else {
        for (int i = 0; i < PER; i++)
            sum += data[base + lane + i * WG];
    }
    out[get_global_id(0)] = sum;
}
