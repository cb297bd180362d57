/*
 * HTTP requests by libcurl, which is loaded when the first one is made: the program starts where there is no such library.
 */
#include "CCurl.h"
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdio.h>

/* The protocols are set by bits: libcurl before 7.85 does not know them by name. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
/* The macros of the header wrap the functions of these names. */
#undef curl_easy_setopt
#undef curl_easy_getinfo

static struct {
    CURLcode (*global_init)(long flags);
    CURL *(*easy_init)(void);
    CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
    CURLcode (*easy_perform)(CURL *);
    CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
    void (*easy_cleanup)(CURL *);
    const char *(*easy_strerror)(CURLcode);
    struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
    void (*slist_free_all)(struct curl_slist *);
} library;

const char *gattbench_load_curl(void) {
    void *file = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (file == NULL)
        return dlerror();
#define FIND(name) \
    if (!(*(void **)&library.name = dlsym(file, "curl_" #name))) \
        return dlerror();
    FIND(global_init)
    FIND(easy_init)
    FIND(easy_setopt)
    FIND(easy_perform)
    FIND(easy_getinfo)
    FIND(easy_cleanup)
    FIND(easy_strerror)
    FIND(slist_append)
    FIND(slist_free_all)
#undef FIND
    CURLcode code = library.global_init(CURL_GLOBAL_DEFAULT);
    return code == CURLE_OK ? NULL : library.easy_strerror(code);
}

static size_t receive_header(char *bytes, size_t size, size_t count, void *request) {
    const struct gattbench_http_request *r = request;
    return r->receive_header(r->object, bytes, size * count) ? size * count : 0;
}

static size_t receive_body(char *bytes, size_t size, size_t count, void *request) {
    const struct gattbench_http_request *r = request;
    return r->receive_body(r->object, bytes, size * count) ? size * count : 0;
}

static int progress(void *request, curl_off_t down, curl_off_t downloaded, curl_off_t up, curl_off_t uploaded) {
    const struct gattbench_http_request *r = request;
    return r->is_cancelled(r->object);
}

/* Sets all options; the first one that fails ends it. */
static CURLcode configure(CURL *curl, const struct gattbench_http_request *r, const struct curl_slist *headers, char *failure) {
    CURLcode code = CURLE_OK;
#define SET(option, value) \
    if (code == CURLE_OK) \
        code = library.easy_setopt(curl, option, value);
    SET(CURLOPT_ERRORBUFFER, failure)
    SET(CURLOPT_VERBOSE, 0L)
    SET(CURLOPT_NOSIGNAL, 1L)
    SET(CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS))
    SET(CURLOPT_FOLLOWLOCATION, 0L)
    SET(CURLOPT_PATH_AS_IS, 1L)
    SET(CURLOPT_FORBID_REUSE, 1L)
    SET(CURLOPT_URL, r->url)
    if (r->ignores_proxy)
        SET(CURLOPT_NOPROXY, "*")
    if (r->body_size > 0) {
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body_size)
        SET(CURLOPT_POSTFIELDS, r->body)
    }
    SET(CURLOPT_CUSTOMREQUEST, r->method)
    SET(CURLOPT_HTTPHEADER, headers)
    SET(CURLOPT_TIMEOUT_MS, r->milliseconds)
    SET(CURLOPT_HEADERFUNCTION, receive_header)
    SET(CURLOPT_HEADERDATA, r)
    SET(CURLOPT_WRITEFUNCTION, receive_body)
    SET(CURLOPT_WRITEDATA, r)
    SET(CURLOPT_NOPROGRESS, 0L)
    SET(CURLOPT_XFERINFOFUNCTION, progress)
    SET(CURLOPT_XFERINFODATA, r)
#undef SET
    return code;
}

/* The caller's headers. Those that libcurl adds to a body without being asked are left out: `Expect`, and the type of a form. */
static struct curl_slist *make_headers(const struct gattbench_http_request *r) {
    struct curl_slist *list = NULL;
    static const char *const defaults[] = {"Expect:", "Content-Type:"};
    size_t count = sizeof defaults / sizeof *defaults;
    for (size_t i = 0; i < count + r->header_count; i++) {
        struct curl_slist *longer = library.slist_append(list, i < count ? defaults[i] : r->headers[i - count]);
        if (longer == NULL) {
            library.slist_free_all(list);
            return NULL;
        }
        list = longer;
    }
    return list;
}

void gattbench_http_perform(const struct gattbench_http_request *request, struct gattbench_http_result *result) {
    char failure[CURL_ERROR_SIZE] = "";
    CURL *curl = library.easy_init();
    struct curl_slist *headers = make_headers(request);
    CURLcode code = curl != NULL && headers != NULL ? configure(curl, request, headers, failure) : CURLE_OUT_OF_MEMORY;
    if (code == CURLE_OK)
        code = library.easy_perform(curl);
    *result = (struct gattbench_http_result){.is_timeout = code == CURLE_OPERATION_TIMEDOUT};
    if (code == CURLE_OK)
        code = library.easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &result->status);
    if (code != CURLE_OK)
        snprintf(result->failure, sizeof result->failure, "%s", *failure ? failure : library.easy_strerror(code));
    library.slist_free_all(headers);
    library.easy_cleanup(curl);
}
