"""Conversions, on arrays that captures seldom have."""

import pyarrow as pa
import pytest
from gattbench import Field, _columns


@pytest.mark.parametrize("values", [[], [""], [None], ["00ff", None, "", "0102"], [None, "aa"]])
def test_unhex(values):
    expected = [None if value is None else bytes.fromhex(value) for value in values]
    assert _columns.unhex(pa.array(values, pa.string())).to_pylist() == expected


def test_unhex_of_a_slice():
    whole = pa.array(["aa", None, "0102", "", "ff"], pa.string())
    for start in range(5):
        sliced = whole.slice(start, 3)
        assert _columns.unhex(sliced).to_pylist() == [v and bytes.fromhex(v) if v != "" else b"" for v in sliced.to_pylist()]


@pytest.mark.parametrize(
    ("kind", "texts", "values"),
    [
        ("unsigned", ["0x1b\x1f27", None, "0xffffffffffffffff"], [[27, 27], None, [2**64 - 1]]),
        ("signed", ["-1\x1f0"], [[-1, 0]]),
        ("number", ["1.5\x1f-2"], [[1.5, -2.0]]),
        ("boolean", ["1\x1f0"], [[True, False]]),
        ("text", ["a,b\x1fa,b", ""], [["a,b", "a,b"], [""]]),
        ("bytes", ["00\x1fffee"], [[b"\x00", b"\xff\xee"]]),
    ],
)
def test_lists(kind, texts, values):
    field = Field("x", "X", kind)
    column = _columns.convert(pa.array(texts, pa.string()), field, True)
    assert column.to_pylist() == values and column.type == pa.list_(field.arrow_type)
    first = _columns.convert(pa.array(texts, pa.string()), field, False)
    assert first.to_pylist() == [None if value is None else value[0] for value in values]
    assert first.type == field.arrow_type


def test_seconds_before_1970_and_far_away():
    field = Field("x", "X", "epoch")
    column = pa.array(["-0.000000001", "9999999999.000000000"], pa.string())
    with pytest.raises(pa.ArrowInvalid):
        _columns.convert(column, field, False)
    converted = _columns.convert(column.slice(0, 1), field, False)
    assert converted.cast(pa.int64()).to_pylist() == [-1]
