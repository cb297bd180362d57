"""Files of keys, which the program reads."""

import gattbench
import pytest

KEY = "d1d2d3d4d5d6d7d8d9dadbdcdddedfe0"


@pytest.fixture
def keys(tmp_path):
    """A file of keys that only its owner may read."""
    path = tmp_path / "bonds.keys"
    path.touch(0o600)
    path.write_text(f"ltk:{KEY}\n")
    return path


@pytest.mark.filterwarnings("error")
def test_keys_are_one_file_or_several(capture, keys):
    path = capture("aquavate-sync")
    plain = gattbench.stats(path)
    assert gattbench.stats(path, keys=keys)["frames"] == plain["frames"]
    assert gattbench.stats(path, keys=[keys, str(keys)])["frames"] == plain["frames"]
    assert gattbench.check(path, keys=keys).summary == gattbench.check(path).summary
    rows = gattbench.decode(path, ["frame.number"], keys=str(keys)).read_all()
    assert len(rows) == plain["frames"]
    assert len(gattbench.values(path, "aquavate.drink_chunk", keys=[keys])) > 0


def test_a_file_that_others_may_read_is_a_warning(capture, keys):
    keys.chmod(0o644)
    with pytest.warns(gattbench.KeyFileWarning, match="other users may read its keys"):
        gattbench.stats(capture("aquavate-sync"), keys=keys)


def test_errors_have_no_key(capture, keys, tmp_path):
    keys.write_text(f"ltk:{KEY}0\n")
    with pytest.raises(gattbench.UnreadableCapture, match="bonds.keys:1: ltk: expected 32") as error:
        gattbench.stats(capture("aquavate-sync"), keys=keys)
    assert KEY not in str(error.value)
    with pytest.raises(gattbench.UnreadableCapture):
        gattbench.check(capture("aquavate-sync"), keys=tmp_path / "none")
    with pytest.raises(gattbench.UsageError, match="expected a file") as usage:
        gattbench.stats(capture("aquavate-sync"), keys=f"ltk:{KEY}")
    assert KEY not in str(usage.value)
