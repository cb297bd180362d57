"""Columns and their types, compared with what the program prints."""

import csv
import datetime
import gc
import io
import os
import subprocess

import gattbench
import pyarrow as pa
import pyarrow.compute as pc
import pytest

NAMES = ["frame.number", "frame.time_epoch", "btatt.handle", "btatt.value", "gatt.characteristic"]


def printed(path, *names, options=()):
    """The program's own columns, as texts."""
    columns = [part for name in names for part in ("-e", name)]
    arguments = [gattbench.program(), "decode", "-T", "csv", *options, *columns, str(path)]
    text = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


def test_columns_have_the_types_of_their_fields(capture):
    schema = gattbench.decode(capture("aquavate-sync"), NAMES).schema
    assert schema.types == [
        pa.uint64(),
        pa.timestamp("ns", tz="UTC"),
        pa.uint64(),
        pa.binary(),
        pa.dictionary(pa.int32(), pa.string()),
    ]
    assert schema.field("btatt.handle").metadata[b"label"] == b"Handle"


@pytest.mark.parametrize("name", ["aquavate-sync", "two-peers-equal-handles", "aquavate-truncated-chunk"])
def test_values_are_those_that_the_program_prints(capture, name):
    path = capture(name)
    rows = gattbench.decode(path, NAMES).read_all().to_pylist()
    texts = printed(path, *NAMES, options=["-E", "occurrence=f"])
    assert len(rows) == len(texts) > 10
    for row, text in zip(rows, texts, strict=True):
        assert row["frame.number"] == int(text["frame.number"])
        seconds, nanoseconds = text["frame.time_epoch"].split(".")
        expected = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc)
        assert row["frame.time_epoch"] == expected + datetime.timedelta(microseconds=int(nanoseconds) // 1000)
        assert row["btatt.handle"] == (int(text["btatt.handle"], 16) if text["btatt.handle"] else None)
        assert (row["btatt.value"] or b"").hex() == text["btatt.value"]
        assert (row["gatt.characteristic"] or "") == text["gatt.characteristic"]


def test_nanoseconds_are_kept(capture):
    path = capture("aquavate-sync")
    column = gattbench.decode(path, ["frame.time_epoch"]).read_all()["frame.time_epoch"].cast(pa.int64())
    texts = [row["frame.time_epoch"].replace(".", "") for row in printed(path, "frame.time_epoch")]
    assert column.to_pylist() == [int(text) for text in texts]


def test_lists_have_all_values_and_other_columns_the_first(capture):
    path = capture("aquavate-sync")
    names = ["frame.number", "btatt.handle", "btatt.uuid16", "btatt.value", "frame.time_epoch", "gatt.service"]
    whole = gattbench.decode(path, names, lists=["btatt.handle", "btatt.uuid16"]).read_all()
    texts = printed(path, *names)
    assert any(len(handles or []) > 1 for handles in whole["btatt.handle"].to_pylist())
    for row, text in zip(whole.to_pylist(), texts, strict=True):
        handles = [int(part, 16) for part in text["btatt.handle"].split(",") if part]
        assert (row["btatt.handle"] or []) == handles
        assert (row["btatt.handle"] is None) == (text["btatt.handle"] == "")
        assert (row["btatt.value"] or b"").hex() == text["btatt.value"].split(",")[0]
    first = gattbench.decode(path, names).read_all()
    for name in ("frame.number", "btatt.value", "frame.time_epoch"):
        assert whole[name].to_pylist() == first[name].to_pylist()


def test_names_of_values(capture):
    table = gattbench.decode(capture("aquavate-sync"), ["btatt.opcode"], names=["btatt.opcode"]).read_all()
    assert table.schema.field(0).type == pa.dictionary(pa.int32(), pa.string())
    assert "Exchange MTU Request" in set(table["btatt.opcode"].to_pylist())


def test_names_of_booleans(capture):
    name = "btle.advertising_header.ch_sel"
    column = gattbench.decode(capture("decrypted-272"), [name], names=[name]).read_all()[name]
    assert column.type == pa.dictionary(pa.int32(), pa.string()) and set(column.to_pylist()) == {None, "#1"}


@pytest.mark.parametrize("name", ["btatt.handle", "btatt.value", "gatt.characteristic"])
def test_a_single_column_has_a_row_for_each_frame(capture, name):
    path = capture("aquavate-sync")
    column = gattbench.decode(path, [name]).read_all()[name]
    assert column.null_count > 0
    assert column.to_pylist() == gattbench.decode(path, ["frame.number", name]).read_all()[name].to_pylist()


def test_plugins_may_be_an_iterator(capture):
    plugins = iter([capture("jbd-battery").parent / "profile.yaml"])
    column = gattbench.decode(capture("jbd-battery"), ["jbd.reply.basic_info.protection.cell_overvoltage"], plugins=plugins).read_all()["jbd.reply.basic_info.protection.cell_overvoltage"]
    assert column.null_count < len(column)


def test_a_filter_selects_rows(capture):
    path = capture("aquavate-sync")
    table = gattbench.decode(path, ["btatt.opcode"], filter="btatt.opcode == 0x1b").read_all()
    assert set(table["btatt.opcode"].to_pylist()) == {0x1B}
    assert gattbench.decode(path, ["frame.number"], filter="frame.number > 100000").read_all().num_rows == 0


def test_small_batches_make_the_same_table(capture):
    path = capture("aquavate-sync")
    reader = gattbench.decode(path, NAMES, block_size=600)
    batches = list(reader)
    assert len(batches) > 3
    whole = gattbench.decode(path, NAMES).read_all()
    assert pa.Table.from_batches(batches).unify_dictionaries().to_pylist() == whole.to_pylist()
    with pytest.raises(pa.ArrowInvalid, match="Empty CSV file or block"):
        gattbench.decode(path, NAMES, block_size=1).read_all()


def test_a_reader_that_is_left_ends_the_program(capture):
    reader = gattbench.decode(capture("aquavate-sync"), NAMES, block_size=600)
    reader.read_next_batch()
    del reader
    gc.collect()


def test_a_program_that_takes_too_long_is_ended(capture, tmp_path):
    os.mkfifo(tmp_path / "endless.btsnoop")
    with pytest.raises(gattbench.TimedOut, match="took over 0.5 s"):
        gattbench.decode(tmp_path / "endless.btsnoop", NAMES, timeout=0.5).read_all()
    path = capture("aquavate-sync")
    assert gattbench.decode(path, NAMES, timeout=600).read_all().equals(gattbench.decode(path, NAMES).read_all())


def test_wrong_fields_and_filters_are_refused(capture):
    path = capture("aquavate-sync")
    with pytest.raises(gattbench.UsageError, match='unknown field "btatt.handel"; did you mean btatt.handle'):
        gattbench.decode(path, ["btatt.handel"])
    with pytest.raises(gattbench.UsageError, match="invalid filter"):
        gattbench.decode(path, ["frame.number"], filter="btatt.handle ==").read_all()
    with pytest.raises(gattbench.UsageError, match="stands there twice"):
        gattbench.decode(path, ["frame.number", "frame.number"])
    with pytest.raises(gattbench.UsageError, match="no fields"):
        gattbench.decode(path, [])
    with pytest.raises(gattbench.UsageError, match="its values have no names"):
        gattbench.decode(path, ["btatt.value"], names=["btatt.value"])


def test_what_cannot_be_read_is_an_error(tmp_path):
    missing = tmp_path / "no.btsnoop"
    with pytest.raises(gattbench.UnreadableCapture, match="no.btsnoop"):
        gattbench.decode(missing, ["frame.number"]).read_all()
    (tmp_path / "text.btsnoop").write_text("no capture")
    with pytest.raises(gattbench.UnreadableCapture):
        gattbench.decode(tmp_path / "text.btsnoop", ["frame.number"]).read_all()


def test_a_capture_that_is_cut_gives_its_frames_and_a_warning(capture, tmp_path):
    path = capture("aquavate-sync")
    cut = tmp_path / "cut.btsnoop"
    cut.write_bytes(path.read_bytes()[:-3])
    with pytest.warns(gattbench.CaptureWarning):
        table = gattbench.decode(cut, ["frame.number"]).read_all()
    assert table.num_rows == gattbench.decode(path, ["frame.number"]).read_all().num_rows - 1


def test_values_are_a_tidy_table(capture, tmp_path):
    values = gattbench.values(capture("aquavate-sync"), "aquavate.current_state")
    table = values.table
    assert table.column_names[:5] == ["frame", "time", "connection", "peer", "operation"]
    assert len(values) > 0 and pc.all(pc.is_valid(table["level"])).as_py()
    frame = values.to_pandas()
    assert str(frame["time"].dtype) == "datetime64[ns, UTC]" and list(frame.columns) == table.column_names
    assert values.to_polars()["level"].to_list() == table["level"].to_pylist()
    values.to_parquet(tmp_path / "values.parquet")
    import pyarrow.parquet

    assert pyarrow.parquet.read_table(tmp_path / "values.parquet")["frame"].to_pylist() == table["frame"].to_pylist()


def test_records_of_a_list_are_rows(capture):
    values = gattbench.values(capture("aquavate-sync"), "aquavate.drink_chunk").table
    records = [name for name in values.column_names if name.startswith("records.")]
    assert records and not any(pa.types.is_list(values.schema.field(name).type) for name in records)
    chunks = printed(capture("aquavate-sync"), "aquavate.drink_chunk.records.amount")
    amounts = [part for row in chunks for part in row["aquavate.drink_chunk.records.amount"].split(",") if part]
    assert [str(amount) for amount in values["records.amount"].to_pylist()] == amounts


def test_fields_say_what_they_are():
    field = gattbench.fields("aquavate.current_state.level")[0]
    assert (field.type, field.unit, field.arrow_type) == ("unsigned", "ml", pa.uint64()) or field.unit == "ml"
    with pytest.raises(gattbench.UsageError, match="unknown field"):
        gattbench.fields("aquavate.no_such")
    assert len(gattbench.fields()) > 1000
