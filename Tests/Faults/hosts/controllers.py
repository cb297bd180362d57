"""Two of Bumble's controllers on a link with connection events, which can be cut."""

import asyncio

from bumble import hci, ll
from bumble.controller import Controller
from bumble.link import LocalLink

SUCCESS = hci.HCI_ErrorCode.SUCCESS


class PacedLink(LocalLink):
    """Delivers packets at connection events instead of at once."""

    def __init__(self, random):
        super().__init__()
        self.random = random
        # Connection interval in seconds, and the time of the last delivery.
        self.interval = random.choice((0.0075, 0.015, 0.03, 0.045))
        self.last = 0.0
        self.is_cut = False
        # Whether the peripheral misses CONNECT_IND.
        self.loses_connect_ind = False

    def deliver(self, function, *arguments):
        loop = asyncio.get_running_loop()
        event = (loop.time() // self.interval + 1) * self.interval
        self.last = max(event, self.last + self.random.uniform(0.3e-3, 0.6e-3))

        def arrive():
            if not self.is_cut:
                function(*arguments)

        loop.call_at(self.last, arrive)

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        receiver = self.find_le_controller(destination_address)
        connection = sender_controller.le_connections.get(destination_address)
        if receiver and connection:
            self.deliver(receiver.on_link_acl_data, connection.self_address, transport, data)

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        receiver = self.find_le_controller(receiver_address)
        if receiver:
            self.deliver(self.receive_control_pdu, receiver, sender_address, packet)

    def receive_control_pdu(self, receiver, sender_address, packet):
        if sender_address in receiver.le_connections:
            receiver.on_ll_control_pdu(sender_address, packet)

    def send_advertising_pdu(self, sender_controller, packet):
        if isinstance(packet, ll.ConnectInd):
            self.interval = packet.interval * 0.00125
            if self.loses_connect_ind:
                sender_controller.lose(packet.advertiser_address, 0x3E, 6 * self.interval)
                return
        super().send_advertising_pdu(sender_controller, packet)

    def cut(self):
        """Nothing is received from now on; both sides notice it by their supervision time-outs."""
        self.is_cut = True
        for controller in self.controllers:
            for address in list(controller.le_connections):
                controller.lose(address, 0x08, controller.timing[2] / 100 - self.random.uniform(0, self.interval))


class PatchedController(Controller):
    """Bumble's controller, closer to the specification where a capture shows the difference."""

    # Interval, latency and supervision time-out of the last connection.
    timing = (24, 0, 72)
    # The status with which LE Create Connection is refused.
    refuses_connections = None

    def lose(self, address, reason, delay):
        def end():
            if connection := self.le_connections.get(address):
                self.on_le_disconnected(connection, reason)

        asyncio.get_running_loop().call_later(delay, end)

    def on_le_connect_ind(self, packet):
        self.timing = (packet.interval, packet.latency, packet.timeout)
        super().on_le_connect_ind(packet)

    def create_le_connection(self, peer_address):
        command = self.pending_le_connection
        if isinstance(command, hci.HCI_LE_Extended_Create_Connection_Command):
            self.timing = (
                command.connection_interval_mins[0], command.max_latencies[0], command.supervision_timeouts[0],
            )
        else:
            self.timing = (command.connection_interval_min, command.max_latency, command.supervision_timeout)
        super().create_le_connection(peer_address)

    def send_hci_packet(self, packet):
        if isinstance(packet, hci.HCI_LE_Connection_Complete_Event) and packet.role == hci.Role.PERIPHERAL:
            # Bumble's controller reports constants instead of the parameters of CONNECT_IND.
            interval, latency, timeout = self.timing
            packet = hci.HCI_LE_Connection_Complete_Event(
                status=packet.status,
                connection_handle=packet.connection_handle,
                role=packet.role,
                peer_address_type=packet.peer_address_type,
                peer_address=packet.peer_address,
                connection_interval=interval,
                peripheral_latency=latency,
                supervision_timeout=timeout,
                central_clock_accuracy=packet.central_clock_accuracy,
            )
        super().send_hci_packet(packet)

    def on_hci_disconnect_command(self, command):
        """Vol 4, Part E, 7.7.5: the reason at the side that disconnects is 0x16."""
        connection = self.find_le_connection_by_handle(command.connection_handle)
        if connection is None:
            return super().on_hci_disconnect_command(command)
        self._send_hci_command_status(SUCCESS, command.op_code)
        connection.send_ll_control_pdu(ll.TerminateInd(command.reason))
        # The peer acknowledges in the next event.
        self.lose(connection.peer_address, 0x16, 2 * self.link.interval)
        return None

    def refuse(self, command):
        self._send_hci_command_status(self.refuses_connections, command.op_code)

    def on_hci_le_create_connection_command(self, command):
        if self.refuses_connections:
            return self.refuse(command)
        return super().on_hci_le_create_connection_command(command)

    def on_hci_le_extended_create_connection_command(self, command):
        if self.refuses_connections:
            return self.refuse(command)
        return super().on_hci_le_extended_create_connection_command(command)

    def on_hci_le_create_connection_cancel_command(self, command):
        """Vol 4, Part E, 7.8.13: LE Connection Complete follows, with Unknown Connection Identifier (0x02)."""
        if not self.pending_le_connection:
            return hci.HCI_StatusReturnParameters(status=hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        self.pending_le_connection = None
        asyncio.get_running_loop().call_soon(
            self.send_hci_packet,
            hci.HCI_LE_Connection_Complete_Event(
                status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
                connection_handle=0,
                role=hci.Role.CENTRAL,
                peer_address_type=0,
                peer_address=hci.Address.ANY,
                connection_interval=0,
                peripheral_latency=0,
                supervision_timeout=0,
                central_clock_accuracy=0,
            ),
        )
        return hci.HCI_StatusReturnParameters(status=SUCCESS)
