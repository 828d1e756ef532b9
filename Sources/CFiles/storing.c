#include <fcntl.h>

#include "CFiles.h"

void cf_begin_storing(int32_t file) {
#if defined(__linux__)
  (void)!sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
  (void)file;
#endif
}
