// Little work in many work-groups: what launches, groups and items cost.
//
// volvelle: size = 2^16
// volvelle: parameter WG = 1, 2, 4, 8, 16, 32, 64, 256, 1024
// volvelle: parameter ITEMS = 2^11, 2^14, size
// volvelle: global = ITEMS, local = WG
// volvelle: argument out = zero int[ITEMS]

__kernel void items(__global int *out)
{
    out[get_global_id(0)] = WG;
}
