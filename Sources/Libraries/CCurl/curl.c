#include "CCurl.h"

#include <dlfcn.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#ifdef __APPLE__
#define CC_LIBRARY "libcurl.4.dylib"
#define SOCK_CLOEXEC 0
#else
#define CC_LIBRARY "libcurl.so.4"
#endif

#define CC_FUNCTIONS(each)                                                                          \
  each(curl_global_init) each(curl_easy_init) each(curl_easy_cleanup) each(curl_easy_reset)         \
  each(curl_easy_setopt) each(curl_easy_perform) each(curl_easy_strerror) each(curl_slist_append)   \
  each(curl_slist_free_all) each(curl_url) each(curl_url_cleanup) each(curl_url_set)                \
  each(curl_url_get) each(curl_free)

#define CC_DECLARE(name) __typeof__(&name) name##_;
static struct { CC_FUNCTIONS(CC_DECLARE) } library;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *const handle = dlopen(CC_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return;
#define CC_FIND(name)                                                                               \
  library.name##_ = (__typeof__(library.name##_))dlsym(handle, #name);                              \
  if (library.name##_ == NULL) return;
  CC_FUNCTIONS(CC_FIND)
  is_loaded = library.curl_global_init_(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

bool cc_load(void) {
  pthread_once(&once, load);
  return is_loaded;
}

CURLU *cc_url_open(void) { return library.curl_url_(); }
void cc_url_close(CURLU *url) { library.curl_url_cleanup_(url); }
CURLUcode cc_url_set(CURLU *url, CURLUPart part, const char *text, uint32_t flags) {
  return library.curl_url_set_(url, part, text, flags);
}
CURLUcode cc_url_get(CURLU *url, CURLUPart part, char **text, uint32_t flags) {
  return library.curl_url_get_(url, part, text, flags);
}
void cc_free(void *text) { library.curl_free_(text); }

CURL *cc_open(void) { return library.curl_easy_init_(); }
void cc_close(CURL *curl) { library.curl_easy_cleanup_(curl); }
void cc_reset(CURL *curl) { library.curl_easy_reset_(curl); }

CURLcode cc_set_number(CURL *curl, CURLoption option, int64_t value) {
  return library.curl_easy_setopt_(curl, option, (long)value);
}
CURLcode cc_set_text(CURL *curl, CURLoption option, const char *value) {
  return library.curl_easy_setopt_(curl, option, value);
}
CURLcode cc_set_url(CURL *curl, CURLU *url) {
  return library.curl_easy_setopt_(curl, CURLOPT_CURLU, url);
}

struct curl_slist *cc_list_append(struct curl_slist *list, const char *line) {
  return library.curl_slist_append_(list, line);
}
void cc_list_free(struct curl_slist *list) { library.curl_slist_free_all_(list); }
CURLcode cc_set_fields(CURL *curl, struct curl_slist *lines) {
  return library.curl_easy_setopt_(curl, CURLOPT_HTTPHEADER, lines);
}

CURLcode cc_set_content(CURL *curl, const uint8_t *bytes, size_t count) {
  const CURLcode code =
      library.curl_easy_setopt_(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  return code == CURLE_OK ? library.curl_easy_setopt_(curl, CURLOPT_COPYPOSTFIELDS, bytes) : code;
}

CURLcode cc_set_body(CURL *curl, cc_take take, void *context) {
  const CURLcode code = library.curl_easy_setopt_(curl, CURLOPT_WRITEFUNCTION, take);
  return code == CURLE_OK ? library.curl_easy_setopt_(curl, CURLOPT_WRITEDATA, context) : code;
}
CURLcode cc_set_head(CURL *curl, cc_take take, void *context) {
  const CURLcode code = library.curl_easy_setopt_(curl, CURLOPT_HEADERFUNCTION, take);
  return code == CURLE_OK ? library.curl_easy_setopt_(curl, CURLOPT_HEADERDATA, context) : code;
}
CURLcode cc_set_progress(CURL *curl, cc_progress progress, void *context) {
  CURLcode code = library.curl_easy_setopt_(curl, CURLOPT_NOPROGRESS, 0L);
  if (code == CURLE_OK) code = library.curl_easy_setopt_(curl, CURLOPT_XFERINFOFUNCTION, progress);
  return code == CURLE_OK ? library.curl_easy_setopt_(curl, CURLOPT_XFERINFODATA, context) : code;
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *to) {
  const cc_guard *const guard = context;
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

CURLcode cc_set_guard(CURL *curl, cc_guard *guard) {
  const CURLcode code =
      library.curl_easy_setopt_(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  return code == CURLE_OK ? library.curl_easy_setopt_(curl, CURLOPT_OPENSOCKETDATA, guard) : code;
}

CURLcode cc_perform(CURL *curl) {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, NULL);
  return library.curl_easy_perform_(curl);
}

const char *cc_reason(CURLcode code) { return library.curl_easy_strerror_(code); }
