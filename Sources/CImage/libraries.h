// The libraries that are loaded when first needed.
#ifndef LIBRARIES_H
#define LIBRARIES_H

#include <stdbool.h>

bool ci_webp_load(void);
bool ci_heif_load(bool is_hevc);
bool ci_gif_load(void);

// Looks up a function of a library and stores it in the member of the same name. True if it was
// found.
#define CI_FIND(handle, table, name)                                                              \
  ((table.name = (__typeof__(table.name))dlsym(handle, #name)) != NULL)

#endif
