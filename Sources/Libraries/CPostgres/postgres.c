#include "CPostgres.h"

#include <dlfcn.h>
#include <pthread.h>

#ifdef __APPLE__
#define CP_LIBRARY "libpq.5.dylib"
#else
#define CP_LIBRARY "libpq.so.5"
#endif

// The functions of libpq: result, name, parameters.
#define CP_FUNCTIONS(each)                                                                          \
  each(cp_option *, PQconninfoParse, (const char *, char **))                                       \
  each(void, PQconninfoFree, (cp_option *))                                                         \
  each(cp_connection *, PQconnectStartParams, (const char *const *, const char *const *, int))      \
  each(int, PQconnectPoll, (cp_connection *))                                                       \
  each(int, PQlibVersion, (void))                                                                   \
  each(int, PQsetErrorVerbosity, (cp_connection *, int))                                            \
  each(int, PQconnectionNeedsPassword, (const cp_connection *))                                     \
  each(void, PQfinish, (cp_connection *))                                                           \
  each(int, PQstatus, (const cp_connection *))                                                      \
  each(int, PQsocket, (const cp_connection *))                                                      \
  each(int, PQserverVersion, (const cp_connection *))                                               \
  each(char *, PQerrorMessage, (const cp_connection *))                                             \
  each(int, PQsetnonblocking, (cp_connection *, int))                                               \
  each(void *, PQsetNoticeProcessor, (cp_connection *, void (*)(void *, const char *), void *))     \
  each(void *, PQgetCancel, (cp_connection *))                                                      \
  each(int, PQcancel, (void *, char *, int))                                                        \
  each(void, PQfreeCancel, (void *))                                                                \
  each(int, PQsendQueryParams, (cp_connection *, const char *, int, const unsigned *,               \
                                const char *const *, const int *, const int *, int))                \
  each(int, PQsendQuery, (cp_connection *, const char *))                                           \
  each(int, PQflush, (cp_connection *))                                                             \
  each(int, PQconsumeInput, (cp_connection *))                                                      \
  each(int, PQisBusy, (cp_connection *))                                                            \
  each(cp_result *, PQgetResult, (cp_connection *))                                                 \
  each(int, PQresultStatus, (const cp_result *))                                                    \
  each(char *, PQresultErrorField, (const cp_result *, int))                                        \
  each(int, PQntuples, (const cp_result *))                                                         \
  each(int, PQnfields, (const cp_result *))                                                         \
  each(int, PQgetisnull, (const cp_result *, int, int))                                             \
  each(int, PQgetlength, (const cp_result *, int, int))                                             \
  each(char *, PQgetvalue, (const cp_result *, int, int))                                           \
  each(void, PQclear, (cp_result *))                                                                \
  each(int, PQputCopyData, (cp_connection *, const char *, int))                                    \
  each(int, PQputCopyEnd, (cp_connection *, const char *))                                          \
  each(int, PQgetCopyData, (cp_connection *, char **, int))                                         \
  each(void, PQfreemem, (void *))                                                                   \
  each(cp_notification *, PQnotifies, (cp_connection *))

#define CP_DECLARE(type, name, parameters) type(*name) parameters;
static struct { CP_FUNCTIONS(CP_DECLARE) } library;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *const handle = dlopen(CP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return;
#define CP_FIND(type, name, parameters)                                                             \
  library.name = (type(*) parameters)dlsym(handle, #name);                                          \
  if (library.name == NULL) return;
  CP_FUNCTIONS(CP_FIND)
  is_loaded = true;
}

bool cp_load(void) {
  pthread_once(&once, load);
  return is_loaded;
}

int cp_library_version(void) { return library.PQlibVersion(); }

cp_option *cp_options(const char *text) { return library.PQconninfoParse(text, NULL); }
void cp_options_free(cp_option *options) { library.PQconninfoFree(options); }

static void drop_notice(void *context, const char *message) {
  (void)context;
  (void)message;
}

enum { DEFAULT = 1, VERBOSE = 2 };  // PGVerbosity

cp_connection *cp_connect(const char *const *keywords, const char *const *values) {
  cp_connection *const connection = library.PQconnectStartParams(keywords, values, 1);
  // By default, libpq writes notices to standard error.
  if (connection != NULL) {
    library.PQsetNoticeProcessor(connection, drop_notice, NULL);
    library.PQsetErrorVerbosity(connection, VERBOSE);
  }
  return connection;
}
int cp_connect_poll(cp_connection *connection) {
  const int state = library.PQconnectPoll(connection);
  if (state == CP_POLL_OK) {
    library.PQsetnonblocking(connection, 1);
    library.PQsetErrorVerbosity(connection, DEFAULT);
  }
  return state;
}
bool cp_lacks_password(const cp_connection *connection) {
  return library.PQconnectionNeedsPassword(connection) == 1;
}
void cp_close(cp_connection *connection) { library.PQfinish(connection); }
bool cp_is_open(const cp_connection *connection) { return library.PQstatus(connection) == 0; }
int cp_socket(const cp_connection *connection) { return library.PQsocket(connection); }
int cp_server_version(const cp_connection *connection) {
  return library.PQserverVersion(connection);
}
const char *cp_message(const cp_connection *connection) {
  return library.PQerrorMessage(connection);
}
bool cp_cancel(cp_connection *connection) {
  void *const cancel = library.PQgetCancel(connection);
  if (cancel == NULL) return false;
  char message[256];
  const bool is_sent = library.PQcancel(cancel, message, (int)sizeof message) == 1;
  library.PQfreeCancel(cancel);
  return is_sent;
}

enum { CP_PARAMETER_LIMIT = 16 };

bool cp_send(cp_connection *connection, const char *sql, int count, const unsigned *types,
             const char *const *values, const int *lengths) {
  int formats[CP_PARAMETER_LIMIT];
  if (count > CP_PARAMETER_LIMIT) return false;
  for (int index = 0; index < count; index++) formats[index] = 1;
  return library.PQsendQueryParams(connection, sql, count, types, values, lengths, formats, 1) == 1;
}
bool cp_send_script(cp_connection *connection, const char *sql) {
  return library.PQsendQuery(connection, sql) == 1;
}
int cp_flush(cp_connection *connection) { return library.PQflush(connection); }
bool cp_consume(cp_connection *connection) { return library.PQconsumeInput(connection) == 1; }
bool cp_is_busy(cp_connection *connection) { return library.PQisBusy(connection) == 1; }
cp_result *cp_next_result(cp_connection *connection) { return library.PQgetResult(connection); }

int cp_result_status(const cp_result *result) { return library.PQresultStatus(result); }
const char *cp_result_field(const cp_result *result, int field) {
  return library.PQresultErrorField(result, field);
}
int cp_row_count(const cp_result *result) { return library.PQntuples(result); }
int cp_column_count(const cp_result *result) { return library.PQnfields(result); }
bool cp_is_null(const cp_result *result, int row, int column) {
  return library.PQgetisnull(result, row, column) == 1;
}
int cp_length(const cp_result *result, int row, int column) {
  return library.PQgetlength(result, row, column);
}
const char *cp_value(const cp_result *result, int row, int column) {
  return library.PQgetvalue(result, row, column);
}
void cp_result_free(cp_result *result) { library.PQclear(result); }

int cp_put(cp_connection *connection, const char *bytes, int count) {
  return library.PQputCopyData(connection, bytes, count);
}
int cp_put_end(cp_connection *connection, const char *reason) {
  return library.PQputCopyEnd(connection, reason);
}
int cp_get(cp_connection *connection, char **bytes) {
  return library.PQgetCopyData(connection, bytes, 1);
}
void cp_free(void *memory) { library.PQfreemem(memory); }

bool cp_take_notification(cp_connection *connection) {
  cp_notification *const notification = library.PQnotifies(connection);
  if (notification == NULL) return false;
  library.PQfreemem(notification);
  return true;
}
