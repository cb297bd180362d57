"""The pages and the life of their server: it dies and returns, files come and go, two tabs."""

from conftest import capture
from server import PAGES, CAPTURES, Server, eventually


def test_the_page_goes_on_when_the_server_returns(new_tab):
    server = Server(capture("aquavate-sync"))
    try:
        tab = new_tab()
        tab.open(server, filter="btatt.opcode == 0x1b", frame=71)
        tab.wait_for_text(".filter-state", "7 of 85")
        server.kill()
        tab.wait_for_text(".message", "does not answer")
        server.start()
        tab.wait("() => document.querySelector('.message').hidden", seconds=60)
        tab.wait_for_text(".filter-state", "7 of 85")
        tab.page.locator(".virtual-list").focus()

        def is_last_selected():
            # The filter is restored meanwhile, and its packet selected.
            tab.page.keyboard.press("End")
            return tab.page.locator(".row[aria-selected=true] .c-number", has_text="84").count() == 1

        eventually(is_last_selected, "the last match is not selected")
        tab.faults[:] = [fault for fault in tab.faults if "fetch" not in fault]
    finally:
        server.stop()


def test_an_address_without_the_token_shows_nothing(new_tab, server):
    tab = new_tab()
    answer = tab.page.goto(server.base)
    assert answer.status == 401
    assert "aquavate" not in tab.page.content().lower()


def test_another_token_is_said_to_be_wrong(new_tab):
    server = Server(capture("aquavate-sync"))
    try:
        tab = new_tab()
        tab.open(server)
        tab.wait_for_text(".status", "85 packets")
        server.kill()
        server.token = "0" * 48
        server.start()
        tab.wait_for_text(".message", "another token", seconds=60)
        tab.faults.clear()
    finally:
        server.stop()


def test_a_file_is_opened_by_dropping_it_and_closed(new_tab):
    server = Server(capture("aquavate-sync"))
    try:
        first, second = new_tab(), new_tab()
        first.open(server)
        second.open(server)
        content = next((CAPTURES / "lifecount-session").glob("capture.*")).read_bytes()
        first.page.evaluate("""bytes => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([new Uint8Array(bytes)], 'dropped.btsnoop'));
            window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
        }""", list(content))
        first.wait_for_text(".tab[aria-current]", "dropped.btsnoop")
        first.wait_for_text(".row .c-info", "")
        # The other page hears of it, and keeps its own tab.
        second.wait_for_text(".tabs", "dropped.btsnoop")
        assert "dropped" not in second.page.locator(".tab[aria-current]").text_content()
        first.page.get_by_label("Close dropped.btsnoop").click()
        second.wait("() => !document.querySelector('.tabs').textContent.includes('dropped')")
        first.wait_for_text(".tab[aria-current]", "capture.btsnoop")
    finally:
        server.stop()


def test_what_is_no_capture_is_refused_with_a_reason(tab, server, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("no capture")
    tab.open(server, file=1)
    tab.page.locator("input[type=file]").set_input_files(str(path))
    tab.wait_for_text(".shell", "notes.txt")
    eventually(lambda: tab.page.locator(".message:not([hidden]), .status .verdict.fail").count() > 0, "no fault is shown")


def test_two_tabs_have_filters_of_their_own(new_tab, server):
    first = new_tab()
    second = new_tab(context=first.page.context)
    first.open(server, file=1, filter="btatt.opcode == 0x1b")
    second.open(server, file=1, filter="btatt.opcode == 0x12")
    first.wait_for_text(".filter-state", "7 of 85")
    second.wait_for_text(".filter-state", "10 of 85")
    second.page.get_by_role("button", name="Clear").click()
    second.wait("() => document.querySelector('.filter-state').textContent === ''")
    assert "7 of 85" in first.page.locator(".filter-state").text_content()


def test_an_interrupt_ends_the_server_and_the_page_says_so(new_tab):
    server = Server(capture("aquavate-sync"))
    tab = new_tab()
    tab.open(server)
    tab.wait_for_text(".status", "85 packets")
    assert server.stop() == 0
    tab.wait("() => !document.querySelector('.message').hidden")
    tab.faults.clear()


def test_the_content_security_policy_forbids_everything_else(tab, server):
    answer = tab.page.goto(server.address)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    tab.wait_for_text(".status", "packets")
    assert tab.page.evaluate("""() => {
        const script = document.createElement('script');
        script.textContent = 'window.pwned = 1';
        document.body.append(script);
        return window.pwned;
    }""") is None
    tab.faults.clear()


def test_the_pages_are_small_and_use_no_markup_from_texts():
    files = [path for path in PAGES.rglob("*") if path.is_file()]
    assert len(files) > 30
    assert sum(path.stat().st_size for path in files) < 250_000
    for path in files:
        if path.suffix == ".js":
            text = path.read_text()
            for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "http://", "https://"):
                assert forbidden not in text.replace("http://www.w3.org/2000/svg", ""), (path.name, forbidden)
            assert len(text.splitlines()) <= 400, path.name
