// Little work in many work-groups: what launches, groups and items cost.
//
// volvelle: size = 2^16
// volvelle: parameter WG = 1, 4, 16, 64, 256
// volvelle: parameter ITEMS = powers(2^8, size)
// volvelle: global = ITEMS, local = WG
// volvelle: argument out = zero int[ITEMS]

__kernel void items(__global int *out)
{
    out[get_global_id(0)] = WG;
}
