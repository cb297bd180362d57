"""Texts of devices are shown as texts, whatever they hold."""

from capture_files import ATTRIBUTES_KEPT, HEADER, HOSTILE_NAMES, commented_capture, connection_complete, record
from conftest import PHONE
from server import Server

VIEWS = ("packets", "ladder", "plots", "devices", "verdicts", "products")


def assert_harmless(tab) -> None:
    assert tab.page.evaluate("window.pwned") is None
    for kind in ("img", "script:not([src])", "b", "i"):
        assert tab.page.locator(f"#app {kind}").count() == 0, kind
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_names_are_texts_in_every_view(tab, hostile_server):
    tab.open(hostile_server, view="packets", frame=1)
    tab.wait_for_text(".row[data-number='2'] .c-info", HOSTILE_NAMES[0][:29])
    tab.wait_for_text(".row[data-number='4'] .c-info", HOSTILE_NAMES[1][:29])
    assert_harmless(tab)
    for view in VIEWS:
        tab.show(view=view)
        tab.wait("view => document.querySelector('.views [aria-current]').textContent.toLowerCase() === view", view)
        tab.page.wait_for_timeout(700)
        assert_harmless(tab)


def test_a_name_from_right_to_left_turns_only_itself(tab, hostile_server):
    tab.open(hostile_server, view="packets", frame=5)
    row = tab.page.locator(".row[data-number='6']")
    tab.wait_for_text(".row[data-number='6'] .c-info", r"\u{202E}gnp.reppihc \u{2067}")
    cells = row.locator(".cell")
    places = [cells.nth(index).bounding_box()["x"] for index in range(cells.count())]
    assert places == sorted(places)
    assert row.locator(".foreign").first.evaluate("text => getComputedStyle(text).unicodeBidi") == "isolate"


def test_a_line_break_in_a_name_breaks_no_row(tab, hostile_server):
    tab.open(hostile_server, view="packets", frame=9)
    tab.wait("() => document.querySelector(\".row[data-number='9'] .c-info\")")
    row = tab.page.locator(".row[data-number='9']")
    assert row.bounding_box()["height"] == 24
    assert "\n" not in row.text_content()


def test_a_long_table_has_few_rows_on_the_page(tab, hostile_server):
    tab.open(hostile_server, view="devices", part="tables")
    tab.wait_for_text(".attribute-tables", f"{ATTRIBUTES_KEPT:,} attributes")
    assert tab.page.locator(".row.attribute").count() < 100
    tab.page.locator(".virtual-list").evaluate("list => { list.scrollTop = list.scrollHeight }")
    tab.wait_for_text(".attribute-tables", f"0x{ATTRIBUTES_KEPT:04x}")
    assert_harmless(tab)


def test_a_comment_of_100000_characters_is_shown_in_part(new_tab, tmp_path):
    text = "<b>x" * 25_000
    server = Server(commented_capture(tmp_path / "commented.pcapng", text))
    try:
        tab = new_tab(PHONE)
        tab.open(server, frame=1)
        tab.wait_for_text(".detail-head", "<b>x<b>x")
        assert_harmless(tab)
        assert len(tab.page.locator("body").text_content()) < 50_000
    finally:
        server.stop()


def test_the_name_of_a_file_is_a_text(tab, server, tmp_path):
    name = "<img src=x onerror=window.pwned=1>.btsnoop"
    path = tmp_path / name
    path.write_bytes(HEADER + record(connection_complete(), 0))
    tab.open(server, file=1)
    tab.page.locator("input[type=file]").set_input_files(str(path))
    tab.wait_for_text(".tab[aria-current]", name)
    assert_harmless(tab)
    tab.page.get_by_label(f"Close {name}").click()
    tab.wait("() => !document.querySelector('.tabs').textContent.includes('onerror')")

