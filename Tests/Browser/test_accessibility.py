"""axe finds nothing serious in any view, light and dark, wide and narrow."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from conftest import PHONE, WIDE

STATES = {
    "packets": {"file": 2, "view": "packets", "frame": 23},
    "procedures": {"file": 1, "view": "packets", "frame": 70, "group": 1},
    "filter": {"file": 1, "view": "packets", "filter": "btatt.opcod"},
    "ladder": {"file": 1, "view": "ladder"},
    "plots": {"file": 1, "view": "plots"},
    "devices": {"file": 1, "view": "devices"},
    "tables": {"file": 1, "view": "devices", "part": "tables"},
    "verdicts": {"file": 2, "view": "verdicts"},
    "products": {"file": 1, "view": "products"},
}


@pytest.mark.slow
@pytest.mark.parametrize("viewport,theme", [(WIDE, "light"), (PHONE, "dark")], ids=["wide-light", "phone-dark"])
def test_axe_finds_nothing_serious(new_tab, server, viewport, theme):
    tab = new_tab(viewport, theme)
    tab.open(server)
    found = []
    for name, state in STATES.items():
        tab.show(**state)
        tab.page.wait_for_timeout(700)
        result = Axe().run(tab.page)
        assert len(result.response["passes"]) > 10, name
        for violation in result.response["violations"]:
            if violation["impact"] in ("serious", "critical"):
                nodes = [(node["html"][:160], node["failureSummary"][:200]) for node in violation["nodes"][:2]]
                found.append((name, violation["id"], nodes))
    assert found == []


def test_everything_is_reached_with_the_keyboard(tab, server):
    tab.open(server, file=1, frame=70)
    tab.wait_for_text(".detail-head", "Packet 70")
    reached = set()
    for _ in range(60):
        tab.page.keyboard.press("Tab")
        reached.add(tab.page.evaluate("""() => {
            const node = document.activeElement;
            return node.id || node.getAttribute('aria-label') || node.className || node.tagName;
        }"""))
    assert {"filter", "Packets", "Fields", "Height of the packet list", "Keyboard shortcuts"} <= reached
    assert any("Bytes" in str(name) for name in reached)


def test_views_have_number_keys_and_the_help_lists_them(tab, server):
    tab.open(server, file=1)
    tab.wait("() => document.querySelector('.row .c-info')")
    for key, view in (("4", "devices"), ("2", "ladder"), ("1", "packets")):
        tab.page.keyboard.press(key)
        tab.wait("view => new URLSearchParams(location.hash.slice(1)).get('view') === view", view)
    tab.page.keyboard.press("?")
    tab.wait_for_text("dialog", "Ctrl+G")
    tab.page.keyboard.press("Escape")
    tab.wait("() => !document.querySelector('dialog')")


def test_the_theme_is_chosen_and_kept(tab, server):
    tab.open(server, file=1)
    light = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    button = tab.page.get_by_role("button", name="System")
    button.click()
    tab.page.get_by_role("button", name="Light").click()
    dark = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert dark != light
    tab.page.reload()
    tab.wait_for_text(".status", "packets")
    assert tab.page.evaluate("getComputedStyle(document.body).backgroundColor") == dark


def test_the_help_begins_at_its_beginning_on_a_phone(new_tab, server):
    tab = new_tab(PHONE)
    tab.open(server, file=1)
    tab.wait_for_text(".status", "packets")
    tab.page.get_by_label("Keyboard shortcuts").click()
    tab.wait_for_text("dialog", "Ctrl+G")
    views = tab.page.locator("nav.views a").count()
    assert f"1 … {views}" in tab.page.locator("dialog").text_content()
    assert tab.page.locator("dialog").evaluate("dialog => dialog.scrollTop") == 0
    # A word is as wide as it is: no column is narrower than its longest word.
    assert tab.page.locator("dialog table").evaluate("table => table.scrollWidth <= table.parentElement.clientWidth")
