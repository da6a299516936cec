"""Bytes as values of every type."""

from __future__ import annotations

import struct

from viewer.model.references.byte_values import byte_values, text_at


def test_values_in_both_byte_orders() -> None:
    data = b"\0" + bytes.fromhex("c0 f0 81 3f 00 00 80 bf")
    found = {it.name: (it.little, it.big) for it in byte_values(data, 1)}
    for name, code in (("u16", "H"), ("i16", "h"), ("u32", "I"), ("i64", "q")):
        expected = (str(struct.unpack_from(order + code, data, 1)[0]) for order in "<>")
        assert found[name] == tuple(expected)
    for name, code in (("f16", "e"), ("f32", "f"), ("f64", "d")):
        size = struct.calcsize(code)
        for text, order in zip(found[name], "<>", strict=True):
            assert struct.pack(order + code, float(text)) == data[1 : 1 + size]
    assert found["i8 / 127"][0] == f"{-64 / 127:.6g}"
    assert found["i16 / 1024"][0] == f"{struct.unpack_from('<h', data, 1)[0] / 1024:.6g}"


def test_a_scaled_value_ends_at_minus_one() -> None:
    assert {it.name: it.little for it in byte_values(b"\x80", 0)}["i8 / 127"] == "-1"
    found = {it.name: it.little for it in byte_values(b"\0\x80", 0)}
    assert (found["i16 / 32767"], found["i16 / 1024"]) == ("-1", "-32")


def test_too_few_bytes_have_no_value() -> None:
    found = {it.name: it.little for it in byte_values(b"\1\2\3", 1)}
    assert found["u16"] == "770"
    assert found["u32"] == ""


def test_text_is_cp1251_up_to_its_nul() -> None:
    assert text_at(b"x" + "Дом".encode("cp1251") + b"\0y", 1) == "Дом"
