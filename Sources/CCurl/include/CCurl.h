// libcurl for Swift: loaded where something is fetched and not before, since its own libraries cost
// every start of a process several milliseconds; with a function for each type of an option's value,
// as Swift cannot call functions of variable arguments; and with the question whether an address may
// be connected to.
#ifndef CCURL_H
#define CCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// Loads libcurl, once a process. Nothing else may be called where it returns false.
bool cc_load(void);

// ---- Addresses, as https://curl.se/libcurl/c/libcurl-url.html has them ----------------------------

CURLU *cc_url_open(void);
void cc_url_close(CURLU *url);
CURLUcode cc_url_set(CURLU *url, CURLUPart part, const char *text, uint32_t flags);
// The part is to be freed by `cc_free`.
CURLUcode cc_url_get(CURLU *url, CURLUPart part, char **text, uint32_t flags);
void cc_free(void *text);

// ---- Transfers ------------------------------------------------------------------------------------

CURL *cc_open(void);
void cc_close(CURL *curl);
// Forgets all options; connections are kept.
void cc_reset(CURL *curl);

CURLcode cc_set_number(CURL *curl, CURLoption option, int64_t value);
CURLcode cc_set_text(CURL *curl, CURLoption option, const char *value);
CURLcode cc_set_url(CURL *curl, CURLU *url);

struct curl_slist *cc_list_append(struct curl_slist *list, const char *line);
void cc_list_free(struct curl_slist *list);
CURLcode cc_set_fields(CURL *curl, struct curl_slist *lines);

// What takes the bytes of a body or a line of the head; it returns how many it took.
typedef size_t (*cc_take)(char *bytes, size_t size, size_t count, void *context);
CURLcode cc_set_body(CURL *curl, cc_take take, void *context);
CURLcode cc_set_head(CURL *curl, cc_take take, void *context);

// Asked now and then; anything but 0 ends the transfer.
typedef int (*cc_progress)(void *context, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
CURLcode cc_set_progress(CURL *curl, cc_progress progress, void *context);

// Says whether the host of an address, of 4 or 16 bytes, may be connected to. It is asked for every
// address that libcurl is about to connect to, after the name is resolved, so that no name can resolve
// to one thing for us and to another for it.
typedef struct {
  bool (*allows)(const uint8_t *address, size_t count, void *context);
  void *context;
} cc_guard;
// `guard` must live as long as `curl`.
CURLcode cc_set_guard(CURL *curl, cc_guard *guard);

// Runs a transfer on the calling thread, which never takes SIGPIPE again: a peer that goes away must
// not end the process, and libcurl is told to leave signals alone.
CURLcode cc_perform(CURL *curl);

// What a code means, in English.
const char *cc_reason(CURLcode code);

#endif
