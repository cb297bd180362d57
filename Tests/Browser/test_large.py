"""One million packets, or as many as BROWSER_TEST_PACKETS says."""

import pytest

from capture_files import PACKETS, RARE_EVERY

pytestmark = pytest.mark.slow

#: A packet in the middle, which is one of the rare ones.
MIDDLE = PACKETS // 2 // RARE_EVERY * RARE_EVERY


def test_first_rows_come_before_the_index_is_complete_or_at_once(tab, large_server):
    tab.open(large_server)
    tab.wait_for_text(".row[data-number='1']", "LE Connection Complete")


def test_the_end_is_reached_by_scrolling(tab, large_server):
    tab.open(large_server)
    tab.wait_for_text(".status", f"{PACKETS:,} packets", seconds=120)
    tab.page.locator(".virtual-list").evaluate("list => { list.scrollTop = list.scrollHeight }")
    tab.wait_for_text(f".row[data-number='{PACKETS}']", f"{PACKETS:,}")
    assert tab.page.locator(".row").count() < 100
    # The browser's limit is 33,554,428 px; a million rows would take 24,000,000.
    assert tab.page.locator(".virtual-space").evaluate("space => space.offsetHeight") <= 8_000_000


def test_the_wheel_moves_by_pixels_though_the_bar_is_scaled(tab, large_server):
    tab.open(large_server, frame=MIDDLE)
    tab.wait_for_text(f".row[data-number='{MIDDLE}']", "0x0034")
    tab.page.locator(".virtual-list").hover()
    before = tab.page.locator(f".row[data-number='{MIDDLE}']").bounding_box()["y"]
    tab.page.mouse.wheel(0, 48)
    tab.wait("([number, y]) => document.querySelector(`.row[data-number='${number}']`)?.getBoundingClientRect().top === y", [MIDDLE, before - 48])


def test_a_jump_goes_to_any_packet(tab, large_server):
    tab.open(large_server)
    tab.wait_for_text(".status", f"{PACKETS:,} packets", seconds=120)
    for number in (PACKETS - 1, 2, PACKETS * 2 // 3):
        tab.page.keyboard.press("Control+g")
        tab.page.locator("dialog input").fill(str(number))
        tab.page.keyboard.press("Enter")
        tab.wait_for_text(f".row[data-number='{number}'][aria-selected=true]", f"{number:,}")
        tab.wait_for_text(".detail-head", f"Packet {number}")
        value = (number & 0xFFFF).to_bytes(2, "little").hex()
        assert value in tab.selected()


def test_a_filter_counts_its_matches_in_the_whole_file(tab, large_server):
    tab.open(large_server)
    tab.wait_for_text(".status", f"{PACKETS:,} packets", seconds=120)
    tab.page.locator("#filter").fill("btatt.handle == 0x34")
    tab.page.keyboard.press("Enter")
    tab.wait_for_text(".filter-state", f"{PACKETS // RARE_EVERY:,} of {PACKETS:,}", seconds=120)
    tab.page.locator(".virtual-list").focus()
    tab.page.keyboard.press("End")
    tab.wait_for_text(".row[aria-selected=true]", f"{PACKETS:,}")
    tab.page.keyboard.press("ArrowUp")
    tab.wait_for_text(".row[aria-selected=true]", f"{PACKETS - RARE_EVERY:,}")


def test_the_ladder_counts_what_it_cannot_draw(tab, large_server):
    tab.open(large_server, view="ladder")
    tab.wait_for_text(".note", f"PDUs in {PACKETS // 200 // 3600} h" if PACKETS >= 720_000 else "PDUs in", seconds=60)
    tab.show(view="ladder", **{"from": 100, "to": 100.1})
    tab.wait_for_text(".note", "PDUs in 100 ms")
    found = int(tab.page.locator(".note").text_content().split(" PDUs")[0].replace(",", ""))
    assert 19 <= found <= 22
