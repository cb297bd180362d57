"""Live from a twin."""

import pytest

from server import Server, eventually


@pytest.fixture(scope="module")
def twin():
    running = Server("--twin", "aquavate")
    yield running
    running.stop()


def packets(tab) -> int:
    return int(tab.page.locator(".status").text_content().split(" packet")[0].replace(",", ""))


def test_packets_come_and_are_followed(tab, twin):
    tab.open(twin)
    tab.wait_for_text(".status", "live")
    before = packets(tab)
    eventually(lambda: packets(tab) > before + 2, "no packet came", seconds=60)
    count = packets(tab)
    # The newest packet is visible without a key.
    eventually(lambda: tab.page.evaluate("Math.max(...[...document.querySelectorAll('.row')].map(row => Number(row.dataset.number ?? 0)))") >= count,
               "the list does not follow")


def test_the_twin_is_driven_from_the_page(tab, twin):
    tab.open(twin, view="products")
    tab.wait("() => !document.querySelector('.twin').hidden")
    names = tab.page.locator(".twin button").all_text_contents()
    assert any(name.startswith("sip") for name in names) and any(name.startswith("refill") for name in names)
    tab.wait_for_text(".products", "Bottle Level", seconds=60)
    tab.page.locator(".twin button", has_text="sip").click()
    field = tab.page.locator("dialog input").first
    if field.count() > 0:
        field.fill("40")
        tab.page.locator("dialog .primary").click()
    tab.wait_for_text(".twin", "sip happened")
    tab.wait_for_text(".twin .display", "Current:")


def test_a_wrong_parameter_is_refused_with_a_reason(tab, twin):
    tab.open(twin, view="products")
    tab.wait("() => !document.querySelector('.twin').hidden")
    tab.page.locator(".twin button", has_text="sip").click()
    tab.page.locator("dialog input").first.fill("much")
    tab.page.locator("dialog .primary").click()
    tab.wait("() => document.querySelector('.twin .verdict.fail')?.textContent.length > 5")


def test_a_filter_leaves_the_scroll_position_alone(tab, twin):
    tab.open(twin, filter="frame.number > 0")
    tab.wait_for_text(".status", "live")
    tab.wait("() => { const list = document.querySelector('.virtual-list'); return list?.scrollTop > 0 && list.scrollHeight > 2 * list.clientHeight }",
             seconds=60)
    tab.page.evaluate("document.querySelector('.virtual-list').scrollTop = 0")
    # The filter goes on: more matches come, and the list stays where it is.
    matches = "Number(document.querySelector('.filter-state').textContent.split(' ')[0].replaceAll(',', ''))"
    before = tab.page.evaluate(matches)
    tab.wait(f"before => {matches} > before + 2", before, seconds=60)
    assert tab.page.evaluate("document.querySelector('.virtual-list').scrollTop") == 0
