// Items far apart, whose lines and pages do not all find a place in the caches: loads, or stores as when a matrix is transposed.
//
// volvelle: size = 2^20
// volvelle: parameter WG = 1, 2, 4, 8, 16, 32, 64, 256, 1024
// volvelle: parameter APART = 16, 256, 1024
// volvelle: parameter STORE = 0, 1
// volvelle: global = size, local = WG
// volvelle: argument data = random float[size]
// volvelle: argument out = zero float[size]

__kernel void strides(__global const float *data, __global float *out)
{
    const int lane = get_local_id(0);
    const int group = get_group_id(0);
    const int far = (group / APART) * APART * WG + group % APART + lane * APART;
    const int near = group * WG + lane;

    if (STORE)
        out[far] = data[near];
    else
        out[near] = data[far];
}
