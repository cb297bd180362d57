"""The packet list, the detail and their keys."""

import json

from conftest import PHONE, Tab, capture
from server import CAPTURES


def rows(tab: Tab) -> list[str]:
    tab.wait("() => document.querySelector('.row .c-info')")
    return tab.page.locator(".row").all_text_contents()


def frames_of(name: str) -> list[dict]:
    return [json.loads(line) for line in (CAPTURES / name / "expected.ndjson").read_text().splitlines()]


def test_first_rows_are_those_of_decode(tab, server):
    tab.open(server, file=1)
    tab.wait_for_text(".row[data-number='1']", "LE Advertising Report")
    for frame in frames_of("aquavate-sync")[:8]:
        assert tab.page.locator(f".row[data-number='{frame['frame']}']").count() == 1
    tab.wait_for_text(".status", f"{len(frames_of('aquavate-sync'))} packets")


def test_arrow_keys_select_and_the_detail_follows(tab, server):
    tab.open(server, file=1, frame=3)
    tab.wait_for_text(".detail-head", "Packet 3")
    tab.page.locator(".virtual-list").focus()
    tab.page.keyboard.press("ArrowDown")
    tab.wait_for_text(".detail-head", "Packet 4")
    assert "Exchange MTU Request" in tab.selected()
    tab.page.keyboard.press("End")
    tab.wait_for_text(".detail-head", "Packet 85")
    tab.page.keyboard.press("Home")
    tab.wait_for_text(".detail-head", "Packet 1")
    assert tab.state("frame") == "1"
    # Also from the tree.
    tab.page.locator(".tree").focus()
    tab.page.keyboard.press("Control+ArrowDown")
    tab.wait_for_text(".detail-head", "Packet 2")


def test_control_g_goes_to_a_packet(tab, server):
    tab.open(server, file=1)
    tab.wait("() => document.querySelector('.row .c-info')")
    tab.page.keyboard.press("Control+g")
    tab.page.locator("dialog input").fill("71")
    tab.page.keyboard.press("Enter")
    tab.wait_for_text(".detail-head", "Packet 71")
    tab.wait_for_text(".row[aria-selected=true]", "Drink Data")


def test_control_f_finds_the_next_and_the_previous_packet(tab, server):
    tab.open(server, file=1, frame=1)
    tab.wait_for_text(".detail-head", "Packet 1")
    tab.page.keyboard.press("Control+f")
    tab.page.locator("dialog input").fill('btatt.opcode == "Handle Value Notification"')
    tab.page.keyboard.press("Enter")
    tab.wait_for_text(".detail-head", "Packet 68")
    tab.page.keyboard.press("F3")
    tab.wait_for_text(".detail-head", "Packet 69")
    tab.page.keyboard.press("Shift+F3")
    tab.wait_for_text(".detail-head", "Packet 68")
    tab.page.keyboard.press("Shift+F3")
    tab.wait_for_text(".find", "no match before")
    assert tab.state("frame") == "68"


def test_marks_are_set_and_found(tab, server):
    tab.open(server, file=1, frame=10)
    tab.wait_for_text(".detail-head", "Packet 10")
    tab.page.keyboard.press("Control+m")
    tab.wait("() => document.querySelector(\".row[data-number='10'].marked\")")
    tab.show(file=1, frame=40)
    tab.wait_for_text(".detail-head", "Packet 40")
    tab.page.keyboard.press("Control+m")
    tab.page.keyboard.press("F2")
    tab.wait_for_text(".detail-head", "Packet 10")
    tab.page.keyboard.press("Control+m")
    tab.wait("() => !document.querySelector(\".row[data-number='10'].marked\")")


def test_request_and_response_are_linked(tab, server):
    tab.open(server, file=1, frame=70)
    tab.wait_for_text(".detail-head", "Packet 70")
    tab.wait_for_text(".links", "response: packet 72")
    tab.page.keyboard.press("]")
    tab.wait_for_text(".detail-head", "Packet 72")
    tab.wait_for_text(".links", "15 ms")
    tab.page.keyboard.press("[")
    tab.wait_for_text(".detail-head", "Packet 70")
    tab.page.go_back()
    tab.wait_for_text(".detail-head", "Packet 72")


def test_a_field_lights_its_bytes_and_a_byte_its_field(tab, server):
    tab.open(server, file=1, frame=69)
    tab.wait_for_text(".tree", "Daily Total: 1250 ml")
    tab.page.locator(".tree-line", has_text="Daily Total: 1250 ml").click()
    lit = tab.page.locator(".hex-digits .selected")
    assert lit.all_text_contents() == ["e2", "04"]
    tab.page.locator(".hex-digits span").nth(22).click()
    tab.wait_for_text("[role=treeitem][aria-selected=true]", "Battery: 83 %")
    assert lit.all_text_contents() == ["53"]


def test_a_flag_lights_its_byte_and_marks_its_bit(tab, server):
    tab.open(server, file=1, frame=69)
    tab.wait_for_text(".tree", "Calibrated: True")
    line = tab.page.locator(".tree-line", has_text="Calibrated: True")
    assert line.locator(".tree-mask").text_content() == "···· ··▪·"
    line.click()
    lit = tab.page.locator(".hex-digits .selected")
    assert lit.all_text_contents() == ["07"]
    assert lit.evaluate("cell => cell.style.backgroundImage.split('var(--accent)').length - 1") == 1


def test_the_tree_is_walked_with_the_keyboard(tab, server):
    tab.open(server, file=1, frame=69)
    tab.wait_for_text(".tree", "Calibrated: True")
    tab.page.locator(".tree").focus()
    tab.page.keyboard.press("ArrowDown")
    tab.page.keyboard.press("End")
    tab.page.keyboard.press("Home")
    first = tab.page.locator("[role=treeitem]").first
    assert first.get_attribute("aria-selected") == "true"
    assert first.get_attribute("aria-expanded") == "false"
    tab.page.keyboard.press("ArrowRight")
    assert first.get_attribute("aria-expanded") == "true"
    tab.page.keyboard.press("ArrowRight")
    assert "Frame Number: 69" in tab.page.locator("[role=treeitem][aria-selected=true]").text_content()


def test_a_dragged_field_becomes_a_column(tab, server):
    tab.open(server, file=1, frame=69)
    tab.wait_for_text(".tree", "Handle: 0x0016")
    tab.page.locator(".tree-line[title='btatt.handle']").drag_to(tab.page.locator(".columns"))
    tab.wait_for_text(".columns", "btatt.handle")
    tab.wait_for_text(".row[data-number='69'] .c-field", "0x0016")
    assert tab.state("columns") == "btatt.handle"
    tab.page.get_by_label("Remove the column btatt.handle").click()
    tab.wait("() => !document.querySelector('.columns').textContent.includes('btatt.handle')")


def test_a_column_is_added_with_the_keyboard(tab, server):
    tab.open(server, file=1, frame=69)
    tab.wait_for_text(".tree", "Handle: 0x0016")
    tab.page.locator(".tree-line[title='btatt.handle']").click()
    tab.page.keyboard.press("Control+Shift+I")
    tab.wait_for_text(".row[data-number='69'] .c-field", "0x0016")


def test_a_field_is_copied_in_every_form(new_tab, server):
    tab = new_tab()
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.open(server, file=1, frame=69)
    tab.wait_for_text(".tree", "Daily Total: 1250 ml")
    line = tab.page.locator(".tree-line", has_text="Daily Total: 1250 ml")
    expected = {
        "value": "1250 ml",
        "filter": "aquavate.current_state.daily_total == 1250",
        "field name": "aquavate.current_state.daily_total",
        "hex": "e204",
        "C array": "0xe2, 0x04",
        "field command": "gattbench decode -T fields -e frame.number -e aquavate.current_state.daily_total "
                         f"-Y aquavate.current_state.daily_total {capture('aquavate-sync')}",
        "JSON": '"value": 1250',
    }
    for form, text in expected.items():
        line.click(button="right")
        tab.page.get_by_role("menuitem", name=f"Copy as {form}", exact=True).click()
        tab.wait_for_text("#announcer", f"{form} copied")
        assert text in tab.page.evaluate("navigator.clipboard.readText()"), form


def test_procedures_group_requests_with_their_responses(tab, server):
    tab.open(server, file=1, group=1, frame=70)
    tab.wait("() => document.querySelectorAll('.row.procedure').length > 3")
    tab.wait_for_text(".row.procedure[aria-selected=true]", "70")
    first = tab.page.locator(".row.procedure").first
    tab.page.locator(".row.procedure").first.click()
    assert tab.state("frame") is not None
    text = first.text_content()
    assert "–" in text or "▸" in text
    frame = tab.state("frame")
    tab.wait_for_text(".detail-head", f"Packet {frame}")


def test_the_phone_shows_the_same_packet(new_tab, server):
    tab = new_tab(PHONE)
    tab.open(server, file=1, frame=71)
    tab.wait_for_text(".row[aria-selected=true]", "Drink Data")
    tab.wait_for_text(".detail-head", "Packet 71")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_broken_rules_are_signs_in_the_list(tab, server):
    tab.open(server, file=2, view="verdicts")
    tab.wait_for_text(".part", "CORE-GATT-01")
    tab.show(file=2, view="packets", frame=23)
    tab.wait("() => document.querySelector(\".row[data-number='23'].fail .sign\")")
    assert "CORE-GATT-01" in tab.page.locator(".row[data-number='23'] .sign").get_attribute("aria-label")
    tab.wait_for_text(".detail-head", "expected notifications turned on at")


def test_the_file_of_an_address_is_shown_in_another_tab(new_tab, server):
    first = new_tab()
    first.open(server, file=3, view="packets", frame=20, filter="btatt")
    first.wait_for_text(".detail-head", "Packet 20")
    address = first.page.url
    second = new_tab(context=first.page.context)
    second.page.goto(address)
    second.wait_for_text(".detail-head", "Packet 20")
    assert second.page.locator("#filter").input_value() == "btatt"
    assert capture("lifecount-session").endswith(second.page.locator(".tab[aria-current]").get_attribute("title").split("/")[-1])


def test_a_column_of_an_unknown_field_is_said_to_be_wrong(tab, server):
    tab.open(server, file=1, columns="btatt.nothing")
    tab.wait_for_text(".packet-list .notice", 'unknown field "btatt.nothing"')
    tab.page.get_by_label("Remove the column btatt.nothing").click()
    tab.wait("() => document.querySelector('.packet-list .notice').hidden && document.querySelector('.row .c-info')")


def test_a_dialog_keeps_its_keys(tab, server):
    tab.open(server, file=1)
    tab.wait("() => document.querySelector('.row .c-info')")
    tab.page.keyboard.press("Control+g")
    tab.page.keyboard.press("Control+f")
    assert tab.page.locator("dialog[open]").count() == 1


def test_names_that_came_late_replace_addresses(tab, server):
    tab.open(server)
    tab.wait_for_text(".status", "packets")
    tab.page.evaluate("""async () => {
        const { PacketList } = await import('/components/packet-list.js');
        const { Session } = await import('/core/session.js');
        let source = 'c0:ff:ee:00:00:01';
        const row = index => ({ index, number: index + 1, time: 0, source, destination: 'hci0', protocol: 'ATT', info: '', length: 3, direction: 'received' });
        const packets = async (id, { from, count }) => ({ rows: Array.from({ length: Math.min(count, 250 - from) }, (_, place) => row(from + place)) });
        const session = new Session({ packets }, { id: '1', state: 'running', packets: 250 });
        const list = new PacketList({ session, onSelect: () => {}, onFields: () => {} });
        list.root.id = 'late';
        list.root.style.cssText = 'position: fixed; inset: 0';
        list.setFields([]);
        document.body.append(list.root);
        window.complete = () => {
            source = 'LateName';
            session.update({ ...session.file, state: 'complete' });
        };
    }""")
    tab.wait_for_text("#late .row", "c0:ff:ee:00:00:01")
    tab.page.evaluate("complete()")
    tab.wait_for_text("#late .row", "LateName")
