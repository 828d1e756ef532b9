#include "webp_library.h"

#include "loading.h"

#ifdef __APPLE__
#define WEBP_LIBRARY "libwebp.7.dylib"
#else
#define WEBP_LIBRARY "libwebp.so.7"
#endif

struct ci_webp_functions ci_webp;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *const handle = dlopen(WEBP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  is_loaded = handle != NULL && CI_FIND(handle, ci_webp, WebPInitDecoderConfigInternal) &&
              CI_FIND(handle, ci_webp, WebPGetFeaturesInternal) && CI_FIND(handle, ci_webp, WebPIDecode) &&
              CI_FIND(handle, ci_webp, WebPIUpdate) && CI_FIND(handle, ci_webp, WebPIDelete);
}

bool ci_webp_load(void) {
  pthread_once(&once, load);
  return is_loaded;
}
