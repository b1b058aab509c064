// The smallest of `size` numbers: each work-item takes the minimum of TS of them, each work-group that of its items. The
// minimum over the results of the groups is left to the host.
//
// volvelle: size = 2^20
// volvelle: parameter WG = powers(1, 1024)
// volvelle: parameter TS = powers(1, size)
// volvelle: global = size / TS, local = WG
// volvelle: argument data = random int[size]
// volvelle: argument result = zero int[size / (WG * TS)] -> min
// volvelle: argument scratch = local int[WG]
// volvelle: reference WG = 1; reference TS = size

__kernel void minimum(__global const int *data, __global int *result, __local int *scratch)
{
    const int lane = get_local_id(0);
    const int first = get_group_id(0) * WG * TS + lane;
    int best = INT_MAX;

    // Neighbouring items read neighbouring elements.
    for (int i = 0; i < TS; i++)
        best = min(best, data[first + i * WG]);
    scratch[lane] = best;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int half_width = WG / 2; half_width > 0; half_width /= 2) {
        if (lane < half_width)
            scratch[lane] = min(scratch[lane], scratch[lane + half_width]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0)
        result[get_group_id(0)] = scratch[0];
}
