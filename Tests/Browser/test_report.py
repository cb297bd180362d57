"""Pages that `gattbench report` writes, opened as files."""

import subprocess

import pytest
from axe_playwright_python.sync_playwright import Axe

from capture_files import hostile_capture
from conftest import PHONE, WIDE, capture
from server import PROGRAM


@pytest.fixture(scope="session")
def reports(tmp_path_factory):
    """Of a session that breaks rules, one of a puck, and one of hostile names: addresses of files."""
    folder = tmp_path_factory.mktemp("reports")
    paths = [capture("service-changed"), capture("aquavate-sync"), hostile_capture(folder / "hostile.btsnoop")]
    pages = [folder / f"{place}.html" for place in range(len(paths))]
    for path, page in zip(paths, pages):
        subprocess.run([PROGRAM, "report", str(path), "-o", str(page)], check=True, timeout=120)
    return [page.as_uri() for page in pages]


@pytest.mark.parametrize("viewport,theme", [(WIDE, "light"), (PHONE, "dark")], ids=["wide-light", "phone-dark"])
def test_a_report_stands_alone_and_axe_finds_nothing_serious(new_tab, reports, viewport, theme):
    tab = new_tab(viewport, theme)
    requests = []
    tab.page.on("request", lambda request: requests.append(request.url))
    for address in reports:
        tab.page.goto(address)
        assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
        assert tab.page.evaluate("window.pwned") is None
        assert tab.page.locator(".ladder").count() == tab.page.locator(".finding").count()
        violations = [violation for violation in Axe().run(tab.page).response["violations"]
                      if violation["impact"] in ("serious", "critical")]
        assert [(one["id"], one["nodes"][0]["html"][:160]) for one in violations] == [], address
    assert requests == reports


def test_parts_of_a_report_are_reached_by_their_links(tab, reports):
    tab.page.goto(reports[0])
    link = tab.page.get_by_role("navigation", name="Contents").get_by_role("link", name="Commands")
    link.click()
    assert tab.page.url.endswith("#commands")
    assert tab.page.get_by_role("region", name="Commands").is_visible()
    assert "gattbench check" in tab.page.locator("#commands").inner_text()
