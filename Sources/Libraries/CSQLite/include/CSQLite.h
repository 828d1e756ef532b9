// SQLite, and a VFS for it that tolerates truncation of its shared memory by other programs.
#ifndef CSQLITE_H
#define CSQLITE_H
#include <sqlite3.h>
#include <stdbool.h>

// Returns the name of a VFS for `sqlite3_open_v2` that differs from the default in one way: the
// shared memory of a write-ahead log (`-shm`), which SQLite maps, is guarded by CMapping. Returns
// NULL if it cannot be registered.
const char *csqlite_guarded_vfs(void);

// The shared memory of a connection's main database, valid until the connection is closed; NULL if
// the connection was opened with another VFS.
typedef struct csqlite_memory csqlite_memory;
const csqlite_memory *csqlite_shared_memory(sqlite3 *connection);

// Returns whether a read found that a part of the shared memory no longer exists. Data read since
// then may be wrong. The connection rejects further locks, so it never writes again.
bool csqlite_is_damaged(const csqlite_memory *memory);

// Returns whether the memory is damaged or the file is shorter than its mapped part, which reads
// may not notice.
bool csqlite_is_truncated(const csqlite_memory *memory);

#endif
