"""The filter bar."""


def apply(tab, text: str) -> None:
    tab.page.locator("#filter").fill(text)
    tab.page.keyboard.press("Enter")


def test_a_filter_shows_only_its_matches(tab, server):
    tab.open(server, file=1)
    apply(tab, "btatt.opcode == 0x1b")
    tab.wait_for_text(".filter-state", "7 of 85")
    # Rows are empty until their packets have come.
    tab.wait(
        """() => {
            const texts = column => [...document.querySelectorAll(`.row .c-${column}`)].map(cell => cell.textContent);
            return texts('number').map(Number).sort((a, b) => a - b).join() === '68,69,71,74,77,82,84'
                && texts('info').every(text => text.includes('Notification'));
        }"""
    )
    assert tab.state("filter") == "btatt.opcode == 0x1b"
    tab.page.get_by_role("button", name="Clear").click()
    tab.wait("() => document.querySelectorAll('.row').length > 7")


def test_the_selected_packet_stays_selected(tab, server):
    tab.open(server, file=1, frame=71)
    tab.wait_for_text(".detail-head", "Packet 71")
    apply(tab, "btatt.opcode == 0x1b")
    tab.wait_for_text(".row[aria-selected=true] .c-number", "71")


def test_an_error_stands_under_its_place(tab, server):
    tab.open(server, file=1)
    apply(tab, "btatt.handle == 3 && btatt.opcod == 0x1b")
    tab.wait_for_text(".filter-message", "did you mean btatt.opcode?")
    assert tab.page.locator(".filter-fault").text_content() == "^" + "~" * (len("btatt.opcod") - 1)
    width = tab.page.locator("#filter").evaluate(
        "input => { const c = document.createElement('canvas').getContext('2d'); c.font = getComputedStyle(input).font; return c.measureText('0').width }")
    caret = tab.page.locator(".filter-fault").bounding_box()["x"]
    left = tab.page.locator("#filter").bounding_box()["x"] + 8
    assert abs(caret - left - 21 * width) < width / 2
    assert tab.page.locator("#filter").get_attribute("aria-invalid") == "true"
    apply(tab, "btatt")
    tab.wait("() => document.querySelector('.filter-message').textContent === ''")


def test_field_names_are_completed(tab, server):
    tab.open(server, file=1)
    tab.page.locator("#filter").press_sequentially("!btatt.opc")
    tab.wait_for_text(".filter-fields", "btatt.opcode.method")
    tab.page.keyboard.press("ArrowDown")
    tab.page.keyboard.press("Enter")
    assert tab.page.locator("#filter").input_value() == "!btatt.opcode"
    tab.page.keyboard.press("Escape")
    assert tab.page.locator(".filter-fields").is_hidden()


def test_nothing_is_completed_inside_of_quotes(tab, server):
    tab.open(server, file=1)
    tab.page.locator("#filter").press_sequentially('peer_name == "btatt')
    tab.page.wait_for_timeout(400)
    assert tab.page.locator(".filter-fields").is_hidden()


def test_a_filter_comes_from_a_field(tab, server):
    tab.open(server, file=1, frame=69)
    tab.wait_for_text(".tree", "Handle: 0x0016")
    tab.page.locator(".tree-line[title='btatt.handle']").click(button="right")
    tab.page.get_by_role("menuitem", name="Apply as filter", exact=True).click()
    tab.wait("() => document.querySelector('#filter').value.startsWith('btatt.handle == ')")
    tab.wait_for_text(".filter-state", " of 85")
    tab.wait_for_text(".row[aria-selected=true] .c-number", "69")


def test_a_filter_without_matches_shows_none(tab, server):
    tab.open(server, file=1)
    tab.wait("() => document.querySelector('.row .c-info')")
    apply(tab, "btatt.opcode == 0x52")
    tab.wait_for_text(".filter-state", "0 of 85")
    tab.wait("() => document.querySelectorAll('.row').length === 0")


def test_a_filter_with_a_mistake_is_cleared_or_given_up(tab, server):
    tab.open(server, file=1)
    tab.wait_for_text(".status", "85 packets")
    clear = tab.page.get_by_role("button", name="Clear")
    assert clear.is_disabled()
    apply(tab, "btatt.opcod == 0x1b")
    tab.wait_for_text(".filter-message", "did you mean btatt.opcode?")
    clear.click()
    tab.wait("() => document.querySelector('.filter-message').textContent === '' && document.querySelector('#filter').value === ''")
    apply(tab, "btatt.opcode == 0x1b")
    tab.wait_for_text(".filter-state", "7 of 85")
    apply(tab, "btatt.opcod == 0x1b")
    tab.wait_for_text(".filter-message", "did you mean btatt.opcode?")
    tab.page.keyboard.press("Escape")
    assert tab.page.locator("#filter").input_value() == "btatt.opcode == 0x1b"
    assert tab.page.locator(".filter-message").text_content() == ""
