/*
 * libmosquitto, loaded when somebody publishes to a broker: the program that publishes does much else, for which it shall
 * start where there is no such library. Each of the functions below goes on to that of the same name in the library.
 */
#include "CMosquitto.h"
#include <dlfcn.h>
#include <stddef.h>

/* F(result, name, parameters, arguments) for each function that is called. */
#define FUNCTIONS(F) \
    F(int, lib_init, (void), ()) \
    F(struct mosquitto *, new, (const char *id, bool clean, void *object), (id, clean, object)) \
    F(void, destroy, (struct mosquitto *m), (m)) \
    F(void, user_data_set, (struct mosquitto *m, void *object), (m, object)) \
    F(void, connect_callback_set, (struct mosquitto *m, void (*call)(struct mosquitto *, void *, int)), (m, call)) \
    F(void, publish_callback_set, (struct mosquitto *m, void (*call)(struct mosquitto *, void *, int)), (m, call)) \
    F(int, username_pw_set, (struct mosquitto *m, const char *user, const char *password), (m, user, password)) \
    F(int, tls_set, \
      (struct mosquitto *m, const char *authorities, const char *folder, const char *certificate, const char *key, \
       int (*password)(char *, int, int, void *)), \
      (m, authorities, folder, certificate, key, password)) \
    F(int, connect, (struct mosquitto *m, const char *host, int port, int seconds), (m, host, port, seconds)) \
    F(int, disconnect, (struct mosquitto *m), (m)) \
    F(int, publish, \
      (struct mosquitto *m, int *number, const char *topic, int size, const void *bytes, int qos, bool retain), \
      (m, number, topic, size, bytes, qos, retain)) \
    F(int, loop, (struct mosquitto *m, int milliseconds, int packets), (m, milliseconds, packets)) \
    F(const char *, strerror, (int code), (code)) \
    F(const char *, connack_string, (int code), (code))

#define DEFINE(result, name, parameters, arguments) \
    static result(*library_##name) parameters; \
    result mosquitto_##name parameters { return library_##name arguments; }
FUNCTIONS(DEFINE)

const char *gattbench_load_mosquitto(void) {
    void *library = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return dlerror();
#define FIND(result, name, parameters, arguments) \
    if (!(*(void **)&library_##name = dlsym(library, "mosquitto_" #name))) \
        return dlerror();
    FUNCTIONS(FIND)
    return NULL;
}
