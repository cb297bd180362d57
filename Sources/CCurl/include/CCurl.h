#include <stdbool.h>
#include <stddef.h>

/* One HTTP request, and what receives its response. */
struct gattbench_http_request {
    const char *url;
    const char *method;
    /* `Name: value`, each. */
    const char *const *headers;
    size_t header_count;
    const void *body;
    size_t body_size;
    /* Time for the whole exchange. */
    long milliseconds;
    /* Connects directly, whatever proxy the environment names. */
    bool ignores_proxy;
    /* Passed to the functions below. The first two return false to end the exchange. */
    void *object;
    bool (*receive_header)(void *object, const char *bytes, size_t size);
    bool (*receive_body)(void *object, const char *bytes, size_t size);
    bool (*is_cancelled)(void *object);
};

/* How an exchange ended. */
struct gattbench_http_result {
    /* Status code of the response; 0 without one. */
    long status;
    bool is_timeout;
    /* Why it failed; empty where it did not. */
    char failure[256];
};

/* Loads libcurl. Returns why it cannot be loaded, or NULL. Call it once, before all else. */
const char *gattbench_load_curl(void);

/* Makes one HTTP or HTTPS request on a connection of its own. Redirects are not followed. */
void gattbench_http_perform(const struct gattbench_http_request *request, struct gattbench_http_result *result);
