#include "gif_library.h"

#include "loading.h"

#ifdef __APPLE__
#define GIF_LIBRARY "libgif.7.dylib"
#else
#define GIF_LIBRARY "libgif.so.7"
#endif

struct ci_gif_functions ci_gif;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *const handle = dlopen(GIF_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  is_loaded = handle != NULL && CI_FIND(handle, ci_gif, DGifOpen) &&
              CI_FIND(handle, ci_gif, DGifCloseFile) && CI_FIND(handle, ci_gif, DGifGetRecordType) &&
              CI_FIND(handle, ci_gif, DGifGetImageDesc) && CI_FIND(handle, ci_gif, DGifGetLine) &&
              CI_FIND(handle, ci_gif, DGifGetExtension) && CI_FIND(handle, ci_gif, DGifGetExtensionNext);
}

bool ci_gif_load(void) {
  pthread_once(&once, load);
  return is_loaded;
}
