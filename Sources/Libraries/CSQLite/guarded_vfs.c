#include "CSQLite.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "CMapping.h"

// SQLite maps the index of its write-ahead log from a file that all processes share. If the file is
// truncated, a read would end the process with SIGBUS, so each mapped region is guarded: it then
// reads as zeros, like a new index.
//
// Sound: a file of the default VFS is opened in its own memory, with a table of methods that
// differs in three functions, which end by calling the original functions with the same file. Our
// state follows the file in the memory that SQLite allocates for both (`szOsFile`).

// ---- Regions ----------------------------------------------------------------------------------
//
// The connections of a process share one mapping of a region. It is guarded from the first
// connection that gets its address until the last one releases it, before SQLite can unmap it.

typedef struct region {
  void *start;
  cm_range *range;
  int users;
  struct region *next;
} region;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static region *regions;

static region *shared_region(void *start, int byte_count) {
  for (region *known = regions; known != NULL; known = known->next) {
    if (known->start == start) {
      known->users++;
      return known;
    }
  }
  region *added = calloc(1, sizeof *added);
  if (added == NULL) return NULL;
  added->range = cm_guard(start, (size_t)byte_count, PROT_READ | PROT_WRITE);
  if (added->range == NULL) {
    free(added);
    return NULL;
  }
  added->start = start;
  added->users = 1;
  added->next = regions;
  regions = added;
  return added;
}

static void give_back(region *used) {
  if (--used->users > 0) return;
  region **link = &regions;
  while (*link != used) link = &(*link)->next;
  *link = used->next;
  cm_release(used->range);
  free(used);
}

// ---- Files ------------------------------------------------------------------------------------

struct csqlite_memory {
  sqlite3_io_methods methods;
  const sqlite3_io_methods *own;
  char *path;
  struct stat status;     // of the mapped file; zero before the first region
  long long byte_count;   // of the mapped part
  region **held;          // by number; NULL if a region is not mapped
  int capacity;
};

static sqlite3_vfs guarded;
static sqlite3_vfs *original;

static csqlite_memory *memory_of(sqlite3_file *file) {
  return (csqlite_memory *)((char *)file + guarded.szOsFile) - 1;
}

bool csqlite_is_damaged(const csqlite_memory *memory) {
  for (int i = 0; i < memory->capacity; i++) {
    if (memory->held[i] != NULL && cm_is_damaged(memory->held[i]->range)) return true;
  }
  return false;
}

// Checks the file by its name: opening and closing it would release SQLite's own locks on it.
bool csqlite_is_truncated(const csqlite_memory *memory) {
  if (csqlite_is_damaged(memory)) return true;
  struct stat now;
  if (memory->byte_count == 0 || stat(memory->path, &now) != 0) return false;
  // If another file has this name, the mapped one is unchanged.
  return now.st_dev == memory->status.st_dev && now.st_ino == memory->status.st_ino &&
         now.st_size < memory->byte_count;
}

static int hold(csqlite_memory *memory, int number, int byte_count, void *start) {
  if (number >= memory->capacity) {
    region **more = realloc(memory->held, (size_t)(number + 1) * sizeof *more);
    if (more == NULL) return SQLITE_IOERR_NOMEM;
    memset(more + memory->capacity, 0, (size_t)(number + 1 - memory->capacity) * sizeof *more);
    memory->held = more;
    memory->capacity = number + 1;
  }
  if (memory->held[number] != NULL) return SQLITE_OK;
  pthread_mutex_lock(&lock);
  memory->held[number] = shared_region(start, byte_count);
  pthread_mutex_unlock(&lock);
  if (memory->held[number] == NULL) return SQLITE_IOERR_NOMEM;
  if (memory->byte_count == 0 && stat(memory->path, &memory->status) != 0) {
    memset(&memory->status, 0, sizeof memory->status);
  }
  const long long end = (long long)(number + 1) * byte_count;
  if (end > memory->byte_count) memory->byte_count = end;
  return SQLITE_OK;
}

static int map(sqlite3_file *file, int number, int byte_count, int extends, void volatile **start) {
  csqlite_memory *memory = memory_of(file);
  const int code = memory->own->xShmMap(file, number, byte_count, extends, start);
  // SQLITE_READONLY means that a region is mapped read-only.
  if ((code != SQLITE_OK && code != SQLITE_READONLY) || *start == NULL) return code;
  int refusal = hold(memory, number, byte_count, (void *)(uintptr_t)*start);
  if (refusal == SQLITE_OK && csqlite_is_damaged(memory)) refusal = SQLITE_IOERR_SHMMAP;
  if (refusal == SQLITE_OK) return code;
  *start = NULL;
  return refusal;
}

static int take_lock(sqlite3_file *file, int offset, int count, int flags) {
  csqlite_memory *memory = memory_of(file);
  if ((flags & SQLITE_SHM_LOCK) && csqlite_is_truncated(memory)) return SQLITE_IOERR_SHMLOCK;
  return memory->own->xShmLock(file, offset, count, flags);
}

static int unmap(sqlite3_file *file, int deletes) {
  csqlite_memory *memory = memory_of(file);
  pthread_mutex_lock(&lock);
  for (int i = 0; i < memory->capacity; i++) {
    if (memory->held[i] != NULL) give_back(memory->held[i]);
  }
  pthread_mutex_unlock(&lock);
  free(memory->held);
  memory->held = NULL;
  memory->capacity = 0;
  memory->byte_count = 0;
  return memory->own->xShmUnmap(file, deletes);
}

static int close_file(sqlite3_file *file) {
  csqlite_memory *memory = memory_of(file);
  free(memory->path);
  memory->path = NULL;
  return memory->own->xClose(file);
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *found) {
  (void)vfs;
  csqlite_memory *memory = memory_of(file);
  memset(memory, 0, sizeof *memory);
  const int code = original->xOpen(original, name, file, flags, found);
  if (code != SQLITE_OK || !(flags & SQLITE_OPEN_MAIN_DB) || file->pMethods->iVersion < 2) {
    return code;
  }
  memory->path = malloc(strlen(name) + sizeof "-shm");
  if (memory->path == NULL) {
    file->pMethods->xClose(file);
    file->pMethods = NULL;
    return SQLITE_NOMEM;
  }
  strcpy(memory->path, name);
  strcat(memory->path, "-shm");
  memory->own = file->pMethods;
  memory->methods = *file->pMethods;
  memory->methods.xClose = close_file;
  memory->methods.xShmMap = map;
  memory->methods.xShmLock = take_lock;
  memory->methods.xShmUnmap = unmap;
  file->pMethods = &memory->methods;
  return SQLITE_OK;
}

// ---- Registration -----------------------------------------------------------------------------

static bool is_registered;

static void register_once(void) {
  original = sqlite3_vfs_find(NULL);
  if (original == NULL) return;
  guarded = *original;
  guarded.zName = "vq-guarded";
  guarded.szOsFile = (original->szOsFile + 15) / 16 * 16;
  guarded.szOsFile += (int)sizeof(csqlite_memory);
  guarded.pNext = NULL;
  guarded.xOpen = open_file;
  is_registered = sqlite3_vfs_register(&guarded, 0) == SQLITE_OK;
}

const char *csqlite_guarded_vfs(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, register_once);
  return is_registered ? guarded.zName : NULL;
}

const csqlite_memory *csqlite_shared_memory(sqlite3 *connection) {
  sqlite3_file *file = NULL;
  sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (file == NULL || file->pMethods == NULL || file->pMethods->xShmMap != map) return NULL;
  return memory_of(file);
}
