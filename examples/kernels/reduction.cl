// The sum of `size` numbers: each work-item adds up PER of them, each work-group the sums of its items in a tree in local
// memory. The sum over the results of the groups is left to the host. Items read neighbouring elements if STRIDED is 0, and
// each its own run of elements if it is 1.
//
// volvelle: size = 2^20
// volvelle: parameter WG = powers(1, 1024)
// volvelle: parameter PER = powers(1, size)
// volvelle: parameter STRIDED = 0, 1
// volvelle: global = size / PER, local = WG
// volvelle: argument data = random float[size]
// volvelle: argument result = zero float[size / (WG * PER)] -> sum
// volvelle: reference WG = 1; reference PER = 1; reference STRIDED = 0

__kernel void reduction(__global const float *data, __global float *result)
{
    __local float sums[WG];
    const int lane = get_local_id(0);
    const int base = get_group_id(0) * WG * PER;
    float sum = 0.0f;

    if (STRIDED) {
        for (int i = 0; i < PER; i++)
            sum += data[base + lane * PER + i];
    } else {
        for (int i = 0; i < PER; i++)
            sum += data[base + lane + i * WG];
    }
    sums[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int width = WG / 2; width > 0; width >>= 1) {
        if (lane < width)
            sums[lane] += sums[lane + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0)
        result[get_group_id(0)] = sums[0];
}
