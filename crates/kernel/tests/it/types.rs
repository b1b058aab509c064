//! Types.

use volvelle_kernel::Type;

#[test]
fn limits_of_integers() {
    let found = Type::ALL.map(Type::limits);
    let of = |lo: i64, hi: i64| Some((lo, hi));
    let expected = [
        None,
        of(i8::MIN.into(), i8::MAX.into()),
        of(i16::MIN.into(), i16::MAX.into()),
        of(i32::MIN.into(), i32::MAX.into()),
        None,
        of(0, u8::MAX.into()),
        of(0, u16::MAX.into()),
        of(0, u32::MAX.into()),
        None,
        None,
        None,
    ];
    assert_eq!(found, expected);
}
