// libcurl for Swift, which cannot call functions of variable arguments: one function for each type of
// an option's value, and the question whether an address may be connected to.
#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <curl/curl.h>

static inline CURLcode cc_set_number(CURL *curl, CURLoption option, int64_t value) {
  return curl_easy_setopt(curl, option, (long)value);
}

static inline CURLcode cc_set_text(CURL *curl, CURLoption option, const char *value) {
  return curl_easy_setopt(curl, option, value);
}

static inline CURLcode cc_set_url(CURL *curl, CURLU *url) {
  return curl_easy_setopt(curl, CURLOPT_CURLU, url);
}

static inline CURLcode cc_set_headers(CURL *curl, struct curl_slist *headers) {
  return curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
}

// What takes the bytes of a body or of a header; it returns how many it took.
typedef size_t (*cc_write)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode cc_set_body(CURL *curl, cc_write write, void *context) {
  const CURLcode code = curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, write);
  return code == CURLE_OK ? curl_easy_setopt(curl, CURLOPT_WRITEDATA, context) : code;
}

static inline CURLcode cc_set_header(CURL *curl, cc_write write, void *context) {
  const CURLcode code = curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, write);
  return code == CURLE_OK ? curl_easy_setopt(curl, CURLOPT_HEADERDATA, context) : code;
}

// Called now and then; anything but 0 ends the transfer.
typedef int (*cc_progress)(void *context, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

static inline CURLcode cc_set_progress(CURL *curl, cc_progress progress, void *context) {
  CURLcode code = curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  if (code == CURLE_OK) code = curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, progress);
  return code == CURLE_OK ? curl_easy_setopt(curl, CURLOPT_XFERINFODATA, context) : code;
}

// Says whether the host of an address, of 4 or 16 bytes, may be connected to.
typedef bool (*cc_allows)(const uint8_t *address, size_t count, void *context);

typedef struct {
  cc_allows allows;
  void *context;
} cc_guard;

// Asked by libcurl for every address that it is about to connect to, after the name is resolved, so
// that no name can resolve to one thing for us and to another for it.
static curl_socket_t cc_open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *to) {
  const cc_guard *guard = context;
  const uint8_t *address = NULL;
  size_t count = 0;
  if (to->family == AF_INET) {
    address = (const uint8_t *)&((const struct sockaddr_in *)&to->addr)->sin_addr;
    count = 4;
  } else if (to->family == AF_INET6) {
    address = (const uint8_t *)&((const struct sockaddr_in6 *)&to->addr)->sin6_addr;
    count = 16;
  }
  if (purpose != CURLSOCKTYPE_IPCXN || count == 0 || !guard->allows(address, count, guard->context)) {
    return CURL_SOCKET_BAD;
  }
  return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

// `guard` must live as long as `curl`.
static inline CURLcode cc_set_guard(CURL *curl, cc_guard *guard) {
  const CURLcode code = curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, cc_open_socket);
  return code == CURLE_OK ? curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, guard) : code;
}

static inline int64_t cc_status(CURL *curl) {
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

// Runs a transfer on the calling thread. A peer that goes away must not end the process, and libcurl
// is told to leave signals alone: the thread, which does nothing but transfers, never takes SIGPIPE.
static inline CURLcode cc_perform(CURL *curl) {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, NULL);
  return curl_easy_perform(curl);
}

#endif
