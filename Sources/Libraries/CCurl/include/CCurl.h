// libcurl for Swift. It is loaded on first use, because loading its own libraries takes several
// milliseconds. There is a function for each type of option value, because Swift cannot call
// variadic functions, and a guard that decides whether an address may be connected to.
#ifndef CCURL_H
#define CCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// Loads libcurl, once per process. If it returns false, no other function may be called.
bool cc_load(void);

// ---- Addresses, see https://curl.se/libcurl/c/libcurl-url.html ------------------------------------

CURLU *cc_url_open(void);
void cc_url_close(CURLU *url);
CURLUcode cc_url_set(CURLU *url, CURLUPart part, const char *text, uint32_t flags);
// The caller frees the part with `cc_free`.
CURLUcode cc_url_get(CURLU *url, CURLUPart part, char **text, uint32_t flags);
void cc_free(void *text);

// ---- Transfers ------------------------------------------------------------------------------------

CURL *cc_open(void);
void cc_close(CURL *curl);
// Resets all options; keeps the connections.
void cc_reset(CURL *curl);

CURLcode cc_set_number(CURL *curl, CURLoption option, int64_t value);
CURLcode cc_set_text(CURL *curl, CURLoption option, const char *value);
CURLcode cc_set_url(CURL *curl, CURLU *url);

struct curl_slist *cc_list_append(struct curl_slist *list, const char *line);
void cc_list_free(struct curl_slist *list);
CURLcode cc_set_fields(CURL *curl, struct curl_slist *lines);

// Makes the request a POST with a copy of these bytes.
CURLcode cc_set_content(CURL *curl, const uint8_t *bytes, size_t count);

// Receives bytes of a body or a line of the head; returns the number of bytes that it took.
typedef size_t (*cc_take)(char *bytes, size_t size, size_t count, void *context);
CURLcode cc_set_body(CURL *curl, cc_take take, void *context);
CURLcode cc_set_head(CURL *curl, cc_take take, void *context);

// Called from time to time; any result but 0 ends the transfer.
typedef int (*cc_progress)(void *context, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
CURLcode cc_set_progress(CURL *curl, cc_progress progress, void *context);

// Decides whether the host with an address of 4 or 16 bytes may be connected to. It is called for
// every address that libcurl is about to connect to, after the name is resolved, so that a name
// cannot resolve to different addresses for us and for libcurl.
typedef struct {
  bool (*allows)(const uint8_t *address, size_t count, void *context);
  void *context;
} cc_guard;
// `guard` must outlive `curl`.
CURLcode cc_set_guard(CURL *curl, cc_guard *guard);

// Runs a transfer on the calling thread, and blocks SIGPIPE on that thread for good: a peer that
// disconnects must not end the process, and libcurl is told not to touch signals.
CURLcode cc_perform(CURL *curl);

// Returns the meaning of a code, in English.
const char *cc_reason(CURLcode code);

#endif
