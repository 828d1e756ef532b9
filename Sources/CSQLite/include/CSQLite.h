// SQLite, and a file system for it whose shared memory may be truncated by other programs.
#ifndef CSQLITE_H
#define CSQLITE_H
#include <sqlite3.h>
#include <stdbool.h>

// The name of a file system (VFS) for `sqlite3_open_v2` that is the default one, but for this: the shared memory of a
// write-ahead log (`-shm`), which SQLite maps, is guarded by CMapping. NULL if it cannot be registered.
const char *csqlite_guarded_vfs(void);

// The shared memory of a connection's main database, valid until the connection is closed; NULL if the
// connection was opened with another file system.
typedef struct csqlite_memory csqlite_memory;
const csqlite_memory *csqlite_shared_memory(sqlite3 *connection);

// Whether a read found that a part of the shared memory has gone. What was read since may be wrong; the
// connection refuses further locks, so that it never writes again.
bool csqlite_is_damaged(const csqlite_memory *memory);

// The same, and whether the file has become shorter than what is mapped of it, which reads need not notice.
bool csqlite_is_truncated(const csqlite_memory *memory);

#endif
