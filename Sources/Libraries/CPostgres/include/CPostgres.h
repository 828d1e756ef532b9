// libpq for Swift. It is loaded on first use, so that a program that does not use PostgreSQL needs
// neither the library nor its headers. The types, numbers and functions are those of libpq 14 and
// later (https://www.postgresql.org/docs/current/libpq.html), which are part of its stable interface.
#ifndef CPOSTGRES_H
#define CPOSTGRES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct pg_conn cp_connection;
typedef struct pg_result cp_result;
typedef struct cp_notification cp_notification;

// One parameter of a connection string.
typedef struct {
  char *keyword;
  char *environment;
  char *compiled;
  char *value;
  char *label;
  char *display;
  int size;
} cp_option;

// Loads libpq, once per process. If it returns false, no other function may be called.
bool cp_load(void);
// The version of libpq, such as 150003 for 15.3.
int cp_library_version(void);

// Returns the parameters of a connection string, up to one without a keyword, or NULL if the string
// is invalid. The caller frees them with `cp_options_free`.
cp_option *cp_options(const char *text);
void cp_options_free(cp_option *options);

// ---- Connections ----------------------------------------------------------------------------------

// Begins to connect. The arrays end with NULL; a connection string is the value of `dbname`. Until the connection is open,
// the messages of the server have their SQLSTATE, which libpq gives in no other way.
cp_connection *cp_connect(const char *const *keywords, const char *const *values);
enum { CP_POLL_FAILED = 0, CP_POLL_READING = 1, CP_POLL_WRITING = 2, CP_POLL_OK = 3 };
int cp_connect_poll(cp_connection *connection);
// Returns whether the server has asked for a password, and there was none.
bool cp_lacks_password(const cp_connection *connection);
void cp_close(cp_connection *connection);
bool cp_is_open(const cp_connection *connection);
int cp_socket(const cp_connection *connection);
int cp_server_version(const cp_connection *connection);
const char *cp_message(const cp_connection *connection);
// Asks the server to end the running statement. Waits for the server.
bool cp_cancel(cp_connection *connection);

// ---- Statements -----------------------------------------------------------------------------------

// Sends a statement with values in the binary format, and asks for binary results.
bool cp_send(cp_connection *connection, const char *sql, int count, const unsigned *types,
             const char *const *values, const int *lengths);
// Sends several statements, which are one transaction, without values.
bool cp_send_script(cp_connection *connection, const char *sql);
// Returns 0 if everything was sent, 1 if something is left, -1 after an error.
int cp_flush(cp_connection *connection);
bool cp_consume(cp_connection *connection);
bool cp_is_busy(cp_connection *connection);
cp_result *cp_next_result(cp_connection *connection);

enum {
  CP_EMPTY_QUERY = 0,
  CP_COMMAND_OK = 1,
  CP_TUPLES_OK = 2,
  CP_COPY_OUT = 3,
  CP_COPY_IN = 4,
};
int cp_result_status(const cp_result *result);
// Fields of an error: 'C' for its SQLSTATE, 'M' for its message; may return NULL.
const char *cp_result_field(const cp_result *result, int field);
int cp_row_count(const cp_result *result);
int cp_column_count(const cp_result *result);
bool cp_is_null(const cp_result *result, int row, int column);
int cp_length(const cp_result *result, int row, int column);
const char *cp_value(const cp_result *result, int row, int column);
void cp_result_free(cp_result *result);

// ---- COPY -----------------------------------------------------------------------------------------

// Returns 1 if the bytes were taken, 0 if the caller has to wait until the socket takes more, -1
// after an error.
int cp_put(cp_connection *connection, const char *bytes, int count);
// Ends the rows of a COPY. If a reason is given, the COPY fails with it.
int cp_put_end(cp_connection *connection, const char *reason);
// Returns the number of bytes of a message, which the caller frees with `cp_free`; 0 if the caller
// has to wait, -1 at the end, -2 after an error.
int cp_get(cp_connection *connection, char **bytes);
void cp_free(void *memory);

// Takes the next notification and discards it. Returns false if there is none.
bool cp_take_notification(cp_connection *connection);

#endif
