"""Fixtures: a browser, a server with the sample captures, a page that fails its test on any error of a script."""

import os

import pytest
from playwright.sync_api import Page, sync_playwright

from capture_files import hostile_capture, large_capture
from server import CAPTURES, Server

#: How long a page may take for anything, on a machine with other work.
SECONDS = float(os.environ.get("BROWSER_TEST_SECONDS", "30"))

WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}

#: A refusal is an answer of the interface, which the browser also writes to its console.
EXPECTED = ("Failed to load resource",)


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: left out by `make test`; `make browser-test` has it")


def capture(name: str) -> str:
    """The path of a sample capture."""
    return str(next((CAPTURES / name).glob("capture.*")))


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def server():
    """A puck's session, one that breaks rules, a counter's, a battery's, and one on the air."""
    names = ("aquavate-sync", "service-changed", "lifecount-session", "battery-charging", "decrypted-272")
    running = Server(*(capture(name) for name in names))
    yield running
    running.stop()


@pytest.fixture(scope="session")
def large_server(tmp_path_factory):
    """One million packets."""
    running = Server(large_capture(tmp_path_factory.mktemp("large") / "large.btsnoop"))
    yield running
    running.stop()


@pytest.fixture(scope="session")
def hostile_server(tmp_path_factory):
    running = Server(hostile_capture(tmp_path_factory.mktemp("hostile") / "hostile.btsnoop"))
    yield running
    running.stop()


class Tab:
    """A page of the workbench."""

    def __init__(self, page: Page, faults: list[str]) -> None:
        self.page = page
        self.faults = faults

    def open(self, server: Server, **state: object) -> "Tab":
        """Opens the workbench with a state in its address."""
        self.page.goto(server.address)
        if state:
            self.show(**state)
        return self

    def show(self, **state: object) -> None:
        """Puts a state into the address, as a link does."""
        self.page.evaluate("state => { location.hash = new URLSearchParams(state).toString() }",
                           {name: str(value) for name, value in state.items()})

    def state(self, name: str) -> str | None:
        return self.page.evaluate("name => new URLSearchParams(location.hash.slice(1)).get(name)", name)

    def wait(self, expression: str, argument: object = None, seconds: float = SECONDS) -> None:
        """Waits until an expression of the page is true."""
        self.page.wait_for_function(expression, arg=argument, timeout=seconds * 1000)

    def wait_for_text(self, selector: str, text: str, seconds: float = SECONDS) -> None:
        self.wait("([selector, text]) => document.querySelector(selector)?.textContent.includes(text)", [selector, text], seconds)

    def selected(self) -> str:
        """Text of the selected row."""
        return self.page.locator(".row[aria-selected=true]").text_content()


@pytest.fixture
def new_tab(browser):
    """Makes tabs; `new_tab(viewport, theme)`. They share nothing, as browsers of two people."""
    contexts = []
    tabs = []

    def make(viewport=WIDE, theme="light", context=None) -> Tab:
        if context is None:
            context = browser.new_context(viewport=viewport, color_scheme=theme, accept_downloads=True)
            context.set_default_timeout(SECONDS * 1000)
            contexts.append(context)
        page = context.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(f"{error}\n{error.stack or ''}"))
        page.on("console", lambda message: faults.append(message.text)
                if message.type == "error" and not message.text.startswith(EXPECTED) else None)
        page.on("request", lambda request: faults.append(f"a request to elsewhere: {request.url}")
                if not request.url.startswith(("http://127.0.0.1:", "file:", "blob:", "data:")) else None)
        tabs.append(Tab(page, faults))
        return tabs[-1]

    yield make
    faults = [fault for tab in tabs for fault in tab.faults]
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture
def tab(new_tab) -> Tab:
    return new_tab()
