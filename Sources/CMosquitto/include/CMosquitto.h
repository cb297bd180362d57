#include <mosquitto.h>

/* Loads libmosquitto; says why it cannot be loaded, or nothing. To be called before all else. */
const char *gattbench_load_mosquitto(void);
