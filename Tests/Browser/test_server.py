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
    tab.wait_for_text(".message", "gattbench web has ended")
    # The page tries again each second, and goes on saying why nothing answers.
    with tab.page.expect_event("requestfailed", lambda request: request.url.endswith("/api/files")):
        pass
    tab.page.wait_for_timeout(100)
    assert "gattbench web has ended" in tab.page.locator(".message").text_content()
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


def test_closing_a_file_leaves_its_state_behind(new_tab):
    server = Server(capture("aquavate-sync"), capture("lifecount-session"))
    try:
        tab = new_tab()
        tab.open(server, file=1, frame=67, filter="btatt.opcode == 0x1b")
        tab.wait_for_text(".filter-state", "7 of 85")
        tab.page.locator(".close").first.click()
        tab.wait("() => new URLSearchParams(location.hash.slice(1)).get('file') === '2'")
        tab.wait("() => document.querySelector('.filter-state').textContent === '' && document.querySelector('#filter').value === ''")
        assert tab.state("filter") is None
        # The first packet is selected, as in a file that was just opened.
        tab.wait_for_text(".detail-head h2", "Packet 1")
    finally:
        server.stop()


def test_a_filter_stays_with_its_file(tab, server):
    tab.open(server, file=1)
    tab.wait_for_text(".status", "85 packets")
    held = []
    tab.page.route("**/api/files/1/filters", lambda route: held.append(route))
    tab.page.locator("#filter").fill("btatt.opcode == 0x12")
    tab.page.keyboard.press("Enter")
    # `eventually` lets no events of the page in; a wait of the page does.
    while not held:
        tab.page.wait_for_timeout(20)
    tab.page.locator(".tab").nth(2).click()
    tab.wait("() => new URLSearchParams(location.hash.slice(1)).get('file') === '3'")
    with tab.page.expect_response("**/api/files/1/filters"):
        held[0].continue_()
    tab.page.wait_for_timeout(200)
    assert tab.state("filter") is None
    assert tab.page.locator("#filter").input_value() == ""


def test_a_search_of_a_server_that_is_gone_ends_no_filter(new_tab):
    server = Server(capture("aquavate-sync"))
    try:
        tab = new_tab()
        tab.open(server)
        tab.wait_for_text(".status", "85 packets")
        # The search is the first filter of this server, and the restored filter is that of the next.
        tab.page.keyboard.press("Control+f")
        tab.page.locator("dialog input").fill("btatt.opcode == 0x12")
        tab.page.keyboard.press("Enter")
        tab.wait_for_text(".find", "match 1 of")
        tab.page.locator("#filter").fill("btatt.opcode == 0x1b")
        tab.page.keyboard.press("Enter")
        tab.wait_for_text(".filter-state", "7 of 85")
        server.kill()
        tab.wait_for_text(".message", "does not answer")
        ended = []
        tab.page.on("request", lambda request: ended.append(request.url) if request.method == "DELETE" else None)
        server.start()
        tab.wait("() => document.querySelector('.message').hidden", seconds=60)
        tab.wait_for_text(".row[data-number='68'] .c-info", "Notification")
        assert ended == []
        tab.faults[:] = [fault for fault in tab.faults if "fetch" not in fault]
    finally:
        server.stop()
