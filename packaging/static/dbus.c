/* libpcap's capture of D-Bus, which gattbench does not use: with these in its place, libdbus is not needed. */

struct pcap;
struct pcap_if_list;

int dbus_findalldevs(struct pcap_if_list *list, char *error) {
    (void)list, (void)error;
    return 0;
}

struct pcap *dbus_create(const char *device, char *error, int *is_ours) {
    (void)device, (void)error;
    *is_ours = 0;
    return 0;
}
