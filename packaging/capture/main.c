/*
 * Starts gattbench with the rights to capture (docs/install.md): `gattbench-capture ARGUMENT…` runs the gattbench of its own folder.
 *
 * A package installs it for a group, with the file capabilities cap_net_raw and cap_net_admin. It hands them on as ambient
 * capabilities, so that only members of the group have them and only where gattbench asks for them; gattbench gives them up
 * when its capture is open. The environment is cleared of all that changes how a program is loaded.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Variables that gattbench and its terminal read. */
static const char *const kept[] = {
    "COLUMNS", "GATTBENCH_PAGER", "GATTBENCH_PLUGINS", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LESS", "LINES", "NO_COLOR",
    "PAGER", "PATH", "TERM", "TZ", "USER", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
};

static int fail(const char *what) {
    fprintf(stderr, "gattbench-capture: %s: %s\n", what, strerror(errno));
    return 3;
}

/* Keeps the variables of the list that are set. */
static int clean_environment(void) {
    char *values[sizeof kept / sizeof *kept];
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const char *value = getenv(kept[i]);
        values[i] = value ? strdup(value) : NULL;
    }
    if (clearenv() != 0) return -1;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        if (values[i] && setenv(kept[i], values[i], 1) != 0) return -1;
    }
    return 0;
}

/* Makes the two capabilities those of programs that this process turns into. */
static int hand_on(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const unsigned mask = 1u << CAP_NET_RAW | 1u << CAP_NET_ADMIN;
    struct __user_cap_data_struct data[2] = {{.effective = mask, .permitted = mask, .inheritable = mask}};
    if (syscall(SYS_capset, &header, data) != 0) return -1;
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_RAW, 0, 0) != 0) return -1;
    return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_ADMIN, 0, 0);
}

int main(int count, char **arguments) {
    (void)count;
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0) return fail("/proc/self/exe");
    program[length] = 0;
    *strrchr(program, '/') = 0;
    strncat(program, "/gattbench", sizeof program - 1 - strlen(program));
    if (clean_environment() != 0) return fail("environment");
    if (hand_on() != 0) return fail("capabilities; “sudo dpkg-reconfigure gattbench” gives them");
    execv(program, arguments);
    return fail(program);
}
