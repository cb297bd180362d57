"""Ladder, plots, devices, verdicts and products; and every view on every sample capture."""

import json
import subprocess
from pathlib import Path

import pytest

from capture_files import connections_capture, signals_capture
from conftest import PHONE, WIDE, capture
from server import CAPTURES, PROGRAM, Server

VIEWS = ("packets", "ladder", "plots", "devices", "verdicts", "products")


def drawn(tab) -> int:
    """Number of pixels of the drawing that differ from its ground."""
    return tab.page.locator(".drawing canvas").evaluate("""canvas => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let at = 3; at < data.length; at += 4) if (data[at] > 0) count += 1;
        return count;
    }""")


def test_the_ladder_steps_through_pdus(tab, server):
    tab.open(server, file=1, view="ladder")
    tab.wait_for_text(".note", "PDUs in 10.6 s")
    assert drawn(tab) > 2000
    tab.page.locator(".drawing").focus()
    tab.page.keyboard.press("ArrowDown")
    first = int(tab.state("frame"))
    tab.page.keyboard.press("ArrowDown")
    assert int(tab.state("frame")) > first
    number = tab.state("frame")
    tab.page.keyboard.press("Enter")
    tab.wait_for_text(".detail-head", f"Packet {number}")


def test_the_ladder_zooms_and_keeps_it_in_the_address(tab, server):
    tab.open(server, file=1, view="ladder")
    tab.wait_for_text(".note", "PDUs in 10.6 s")
    tab.page.locator(".drawing").focus()
    for _ in range(6):
        tab.page.keyboard.press("+")
    assert float(tab.state("to")) - float(tab.state("from")) < 10.63 / 2
    tab.page.keyboard.press("0")
    tab.wait_for_text(".note", "PDUs in 10.6 s")
    tab.show(file=1, view="ladder", **{"from": 5.5, "to": 5.54})
    count = len((5.5025, 5.51, 5.5175, 5.525, 5.5325, 5.54))
    tab.wait("text => document.querySelector('.note').textContent.startsWith(text)", f"{count} PDUs in 40 ms")


def test_an_arrow_of_the_ladder_is_clicked(tab, server):
    tab.open(server, file=1, view="ladder", **{"from": 5.5, "to": 5.6})
    tab.wait_for_text(".note", "PDUs in 100 ms")
    box = tab.page.locator(".drawing").bounding_box()
    # The first PDU, 2.5 ms after the upper edge.
    y = box["y"] + 30 + (box["height"] - 40) * 0.025
    tab.page.mouse.click(box["x"] + box["width"] / 2, y)
    tab.wait_for_text(".note", "Battery Level: 83 %")
    assert tab.state("frame") == "68"


def test_the_ladder_is_saved_as_svg(tab, server, tmp_path):
    tab.open(server, file=1, view="ladder", **{"from": 5.5, "to": 5.6})
    tab.wait_for_text(".note", "PDUs in 100 ms")
    with tab.page.expect_download() as download:
        tab.page.get_by_role("button", name="Save as SVG").click()
    text = download.value.path().read_text()
    assert text.startswith("<svg") and "Battery Level" in text and "Central" in text


def test_a_series_is_plotted_and_read(tab, server):
    tab.open(server, file=1, view="plots")
    tab.wait("() => document.querySelectorAll('.series').length > 2")
    tab.page.get_by_label("Find a field").fill("current_state.daily_total")
    tab.wait("() => document.querySelectorAll('.series').length === 1")
    box = tab.page.locator(".series input")
    if not box.is_checked():
        box.check()
    tab.wait_for_text(".legend", "Daily Total")
    assert drawn(tab) > 300
    tab.page.locator(".drawing").focus()
    # The first value is 0, the second 1250.
    tab.wait("() => document.querySelector('.legend tbody').textContent.includes('1100 ml')")
    tab.page.keyboard.press("ArrowRight")
    tab.wait_for_text(".legend", "0 ml")
    tab.page.keyboard.press("ArrowRight")
    tab.wait_for_text(".legend", "1250 ml")


def test_a_click_on_a_plot_goes_to_the_packet(tab, server):
    tab.open(server, file=1, view="plots", field="aquavate.current_state.daily_total")
    tab.wait_for_text(".legend", "Daily Total")
    tab.wait("() => document.querySelectorAll('.legend tbody tr').length >= 1")
    box = tab.page.locator(".drawing").bounding_box()
    tab.page.mouse.click(box["x"] + box["width"] - 16, box["y"] + box["height"] / 2)
    tab.wait("() => new URLSearchParams(location.hash.slice(1)).get('view') === 'packets'")
    tab.wait_for_text(".row[aria-selected=true]", "Current State")


@pytest.mark.parametrize("form,beginning", [("PNG", b"\x89PNG\r\n"), ("SVG", b"<svg "), ("CSV", b"series,unit,time")])
def test_a_plot_is_saved(tab, server, form, beginning):
    tab.open(server, file=1, view="plots", field="aquavate.current_state.daily_total")
    tab.wait_for_text(".legend", "Daily Total")
    tab.wait("() => !document.querySelector('.legend td.number')?.textContent.includes('–')")
    with tab.page.expect_download() as download:
        tab.page.get_by_role("button", name=f"Save as {form}").click()
    content = download.value.path().read_bytes()
    assert content.startswith(beginning)
    if form == "CSV":
        assert b"aquavate.current_state.daily_total@24:0a:c4:12:a3:f4,ml," in content and b",1250," in content


def test_devices_and_connections_are_those_of_stats(tab, server):
    tab.open(server, file=1, view="devices")
    tab.wait_for_text(".table-view", "Aquavate-A3F2")
    tab.wait_for_text(".table-view", "24:0a:c4:12:a3:f4 public")
    tab.wait_for_text(".table-view", "−60 dBm")
    tab.page.get_by_role("tab", name="Connections").click()
    tab.wait_for_text(".table-view", "0x0040")
    tab.wait_for_text(".table-view", "247")
    tab.page.get_by_label("Ladder of connection 1").click()
    tab.wait_for_text(".note", "PDUs in")
    assert tab.state("connection") == "1"


def test_attributes_have_names_counts_and_last_values(tab, server):
    tab.open(server, file=1, view="devices", part="tables")
    tab.wait_for_text(".row.attribute[data-handle='22']", "Current State")
    row = tab.page.locator(".row.attribute", has_text="Battery Level").filter(has_text="83 %")
    assert row.count() >= 1
    row.first.locator("button").click()
    tab.wait_for_text(".row[aria-selected=true]", "Battery Level: 83 %")


def test_an_attribute_of_a_packet_is_found_in_its_table(tab, server):
    tab.open(server, file=1, frame=71)
    tab.page.locator(".links a").click()
    tab.wait("() => document.querySelector('.row.attribute.chosen')")
    assert "0x001f" in tab.page.locator(".row.attribute.chosen").text_content()


def test_two_tables_are_compared(tab, server):
    tab.open(server, file=1, view="devices", part="tables")
    tab.wait_for_text(".row.attribute[data-handle='22']", "Current State")
    other = tab.page.get_by_label("Compare with")
    options = other.locator("option").all_text_contents()
    counter = next(index for index, text in enumerate(options) if "lifecount" in text.lower() or "LifeCount" in text or "capture" in text)
    other.select_option(index=counter)
    tab.wait_for_text(".attribute-tables", "differ")
    tab.wait_for_text(".attribute-tables", "first only")


def test_verdicts_show_expected_observed_and_frames(tab, server):
    tab.open(server, file=2, view="verdicts")
    tab.wait_for_text(".part", "BT-004")
    rule = tab.page.locator(".rule[data-rule='BT-004']")
    assert "write battery_level.cccd where u8(0) & 1 == 1 before" in rule.text_content()
    assert "none since the connection began" in rule.text_content()
    assert rule.locator("button", has_text="Waive").is_disabled()
    rule.locator("a", has_text="packet 48").first.click()
    tab.wait_for_text(".detail-head", "Packet 48")
    assert "BT-004" in tab.page.locator(".detail-head").text_content()


EXPLAINED = {
    "state": "complete", "scanned": 61, "report": {"file": "a", "frames": 61, "incidents": [
        {"connection": 1, "device": "<b>Sensor</b>", "what": "subscription_failed", "cause": "cccd_never_written",
         "confidence": "certain", "frames": [20, 48], "text": "a value changed and the CCCD was never written",
         "advice": "Write 0x0001 to the CCCD.",
         "considered": [{"cause": "subscription_lost", "against": "there was no subscription before"}]},
        {"what": "command_failed", "frames": [3], "text": "the controller refused a command", "considered": []},
    ], "omitted": 7},
}


def test_incidents_have_their_cause_and_lead_to_their_packets(tab, server):
    tab.page.route("**/api/files/2/incidents", lambda route: route.fulfill(json=EXPLAINED))
    tab.open(server, file=2, view="verdicts")
    tab.wait("() => document.querySelectorAll('.incident').length === 2")
    first, second = tab.page.locator(".incident").all()
    text = first.text_content()
    for part in ("subscription failed", "cccd_never_written", "certain", "connection 1, <b>Sensor</b>", "Write 0x0001"):
        assert part in text, part
    against = first.locator("dd", has_text="there was no subscription before")
    assert not against.is_visible()
    first.locator("summary").click()
    assert against.is_visible()
    assert "no cause found" in second.text_content() and second.locator("details").count() == 0
    assert "7 more incidents" in tab.page.locator(".incidents").text_content()
    first.locator("a", has_text="packet 48").click()
    tab.wait_for_text(".detail-head", "Packet 48")


def test_a_session_that_went_well_has_no_incident(tab, server):
    tab.open(server, file=1, view="verdicts")
    tab.wait_for_text(".incidents", "Nothing went wrong.")


def test_verdicts_are_chosen(tab, server):
    tab.open(server, file=1, view="verdicts")
    tab.wait_for_text(".tools", "passed")
    assert tab.page.locator(".rule .verdict.pass").count() == 0
    tab.page.get_by_role("button", name="passed").click()
    tab.wait("() => document.querySelectorAll('.rule .verdict.pass').length > 20")


def test_a_rule_is_waived_with_a_reason(new_tab, tmp_path):
    waivers = tmp_path / "waivers.yaml"
    server = Server("--waivers", waivers, capture("service-changed"))
    try:
        tab = new_tab()
        tab.open(server, view="verdicts")
        tab.wait_for_text(".part", "BT-004")
        tab.page.locator(".rule[data-rule='BT-004']").get_by_role("button", name="Waive").click()
        tab.page.get_by_label("Reason").fill("the app is fixed: \"1.2\"")
        tab.page.locator("dialog .primary").click()
        tab.wait("() => document.querySelector(\".rule[data-rule='BT-004'] .verdict.waived\")")
        assert "BT-004" in waivers.read_text() and "the app is fixed" in waivers.read_text()
    finally:
        server.stop()


def test_a_product_shows_its_last_values(tab, server):
    tab.open(server, file=1, view="products")
    tab.wait_for_text(".products", "Daily Total")
    card = tab.page.locator(".card[aria-label='Current State']")
    assert "1100 ml" in card.text_content()
    assert card.locator("meter").first.evaluate("meter => meter.value") == 83


def test_a_product_draws_more_values_than_the_server_keeps_plots(tab, tmp_path):
    day = tmp_path / "day.btsnoop"
    program = Path(PROGRAM).with_name("gattbench")
    scenario = ["--scenario", "normal-day", "--speed", "virtual", "--duration", "12h"]
    subprocess.run([program, "emulate", "aquavate", "--transport", "radio:", *scenario, "--record", day], check=True, capture_output=True)
    server = Server(str(day))
    try:
        tab.open(server, file=1, view="products")
        tab.wait("() => document.querySelectorAll('canvas.sparkline:not([hidden])').length > 16", seconds=60)
    finally:
        server.stop()


PATHS = sorted(str(path) for path in CAPTURES.glob("*/capture.*"))
#: A server has 32 files at most.
PARTS = 4


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_view_of_every_capture(new_tab, part):
    """Opens each view of each sample capture, wide and narrow by turns; no script may fail, and each shows something."""
    paths = PATHS[part::PARTS]
    assert len(PATHS) > 70
    server = Server(*paths)
    try:
        tabs = [new_tab(), new_tab(PHONE, "dark")]
        files = json.loads(server.get("/api/files"))["files"]
        assert len(files) == len(paths)
        for tab in tabs:
            tab.open(server)
        for place, file in enumerate(files):
            open_views(tabs[place % 2], file)
    finally:
        server.stop()


def open_views(tab, file: dict) -> None:
    for view in VIEWS:
        tab.show(file=file["id"], view=view)
        tab.wait("""view => document.querySelector('.views [aria-current]')?.textContent.toLowerCase() === view
            && document.querySelector('main').textContent.trim().length > 0""", view)
        if view == "packets" and file["packets"] > 0:
            tab.wait("() => document.querySelector('.row .c-info') && document.querySelector('.detail-head').textContent.includes('Packet ')")
        assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (file["name"], view)
    assert tab.faults == [], (file["name"], tab.faults)


def test_predictions_of_twins_stand_beside_what_was_observed(tab, server):
    tab.open(server, file=3, view="verdicts", oracle=1)
    tab.wait_for_text(".predictions", "1 difference")
    row = tab.page.locator(".predictions tbody tr")
    assert row.count() == 1
    assert [cell.strip() for cell in row.locator("td").all_text_contents()] == [
        "47", "LifeCount-A5C3", "LC-030", "sequence_number 44", "sequence_number 46"]
    tab.wait_for_text(".rule[data-rule='LC-030']", "Predicted")
    row.locator("a").first.click()
    tab.wait_for_text(".detail-head", "Packet 47")


def test_files_of_the_same_name_are_told_apart(tab, server):
    tab.open(server, file=1)
    tab.wait("() => document.querySelectorAll('.tab').length === 5")
    labels = tab.page.locator(".tab").all_text_contents()
    assert labels[0] == "aquavate-sync/capture.btsnoop"
    assert len(set(labels)) == 5


def test_connections_without_a_lane_are_counted(tab, tmp_path):
    many = Server(connections_capture(tmp_path / "many.btsnoop"))
    try:
        tab.open(many, view="ladder")
        tab.wait_for_text(".note", "16 PDUs in ")
        tab.wait_for_text(".note", "Not drawn: 2 more connections with 4 PDUs.")
        tab.page.get_by_label("Connection").select_option("10")
        tab.wait_for_text(".note", "2 PDUs in ")
    finally:
        many.stop()


def test_the_ladder_names_connections_when_the_statistics_are_complete(tab, tmp_path):
    fresh = Server(capture("aquavate-sync"))
    try:
        tab.open(fresh, view="ladder")
        tab.wait("() => [...document.querySelector('.tools select').options].some(option => option.text.includes('Aquavate-A3F2'))")
    finally:
        fresh.stop()


def test_whole_numbers_of_a_plot_are_not_rounded(tab, server):
    tab.open(server, view="plots")
    tab.wait_for_text(".status", "packets")
    texts = tab.page.evaluate("""async () => {
        const { number } = await import('/core/format.js');
        return [1234543, -1234546, 0.1 + 0.2, 1234.5678, 86400].map(value => number(value));
    }""")
    assert texts == ["1234543", "-1234546", "0.3", "1234.57", "86400"]


def test_series_of_two_devices_differ_in_the_csv(tab, tmp_path):
    devices = Server(signals_capture(tmp_path / "signals.btsnoop"))
    try:
        ids = [f"bthci_evt.rssi@c0:ff:ee:00:00:0{number}" for number in (1, 2)]
        tab.open(devices, view="plots", series="\n".join(ids))
        tab.wait("() => document.querySelectorAll('.legend tbody tr').length === 2")
        tab.wait("() => [...document.querySelectorAll('.legend tbody td:last-child')].every(cell => cell.textContent === '3')")
        with tab.page.expect_download() as download:
            tab.page.get_by_role("button", name="Save as CSV").click()
        rows = download.value.path().read_text().splitlines()[1:]
        assert {row.split(",")[0] for row in rows} == set(ids)
    finally:
        devices.stop()


def test_a_plot_is_labelled_when_its_series_is_found(tab, server):
    tab.open(server)
    tab.wait_for_text(".status", "packets")
    series = "aquavate.current_state.daily_total@24:0a:c4:12:a3:f4"

    # The first answer is that of a search that has found nothing yet.
    nothing = {"state": "running", "scanned": 0, "series": []}
    tab.page.route("**/api/files/1/series*", lambda route: route.fulfill(json=nothing), times=1)
    tab.show(file=1, view="plots", series=series)
    tab.wait_for_text(".legend", "Daily Total")


def test_a_link_to_a_table_that_is_not_known_shows_no_other(tab, server):
    tab.open(server)
    tab.wait_for_text(".status", "packets")
    tab.show(file=1, view="devices", part="tables", server=99, handle=3)
    tab.wait_for_text(".attribute-tables", "No attribute table of this server was seen.")
    assert tab.page.locator(".row.attribute").count() == 0
    tab.page.get_by_label("Server").select_option(index=1)
    tab.wait_for_text(".row.attribute[data-handle='22']", "Current State")


def test_rows_of_devices_have_two_lines_at_most(new_tab, server):
    for viewport in (WIDE, PHONE):
        tab = new_tab(viewport)
        tab.open(server, file=3, view="devices")
        tab.wait("() => document.querySelector('.table-view td.wide button')")
        assert max(tab.page.locator(".table-view tbody tr").evaluate_all("rows => rows.map(row => row.offsetHeight)")) < 60
        buttons = tab.page.get_by_role("button", name="Packets of")
        assert max(buttons.evaluate_all("nodes => nodes.map(node => node.offsetHeight)")) < 25
