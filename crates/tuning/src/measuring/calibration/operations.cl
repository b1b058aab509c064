// Arithmetic that no compiler removes: each step needs the one before.
//
// volvelle: size = 2^12
// volvelle: parameter WG = 4, 64
// volvelle: parameter TRIPS = powers(2^4, 2^9)
// volvelle: global = size, local = WG
// volvelle: argument out = zero uint[size]

__kernel void operations(__global uint *out)
{
    uint a = get_global_id(0);
    uint b = 1;
    for (int i = 0; i < TRIPS; i++) {
        a = a * 1664525u + 1013904223u;
        b = b ^ (a >> 3);
    }
    out[get_global_id(0)] = b;
}
