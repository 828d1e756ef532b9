#include "heif_library.h"

#include "loading.h"

#ifdef __APPLE__
#define HEIF_LIBRARY "libheif.1.dylib"
#else
#define HEIF_LIBRARY "libheif.so.1"
#endif

enum { COMPRESSION_HEVC = 1, COMPRESSION_AV1 = 4 };

struct ci_heif_functions ci_heif;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *const handle = dlopen(HEIF_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  is_loaded = handle != NULL && CI_FIND(handle, ci_heif, heif_have_decoder_for_format) &&
              CI_FIND(handle, ci_heif, heif_context_alloc) &&
              CI_FIND(handle, ci_heif, heif_context_free) &&
              CI_FIND(handle, ci_heif, heif_context_set_maximum_image_size_limit) &&
              CI_FIND(handle, ci_heif, heif_context_read_from_memory_without_copy) &&
              CI_FIND(handle, ci_heif, heif_context_get_primary_image_handle) &&
              CI_FIND(handle, ci_heif, heif_image_handle_release) &&
              CI_FIND(handle, ci_heif, heif_image_handle_get_width) &&
              CI_FIND(handle, ci_heif, heif_image_handle_get_height) &&
              CI_FIND(handle, ci_heif, heif_decoding_options_alloc) &&
              CI_FIND(handle, ci_heif, heif_decoding_options_free) &&
              CI_FIND(handle, ci_heif, heif_decode_image) &&
              CI_FIND(handle, ci_heif, heif_image_release) &&
              CI_FIND(handle, ci_heif, heif_image_get_width) &&
              CI_FIND(handle, ci_heif, heif_image_get_height) &&
              CI_FIND(handle, ci_heif, heif_image_get_plane_readonly);
  // Since libheif 1.13. Without it, tiles are decoded on threads of the library.
  if (is_loaded) (void)CI_FIND(handle, ci_heif, heif_context_set_max_decoding_threads);
  if (is_loaded) (void)CI_FIND(handle, ci_heif, heif_context_get_security_limits);
  if (is_loaded) (void)CI_FIND(handle, ci_heif, heif_image_get_decoding_warnings);
}

bool ci_heif_load(bool is_hevc) {
  pthread_once(&once, load);
  if (!is_loaded) return false;
  // A context loads the decoders that are separate files.
  void *const context = ci_heif.heif_context_alloc();
  if (context != NULL) ci_heif.heif_context_free(context);
  return ci_heif.heif_have_decoder_for_format(is_hevc ? COMPRESSION_HEVC : COMPRESSION_AV1) != 0;
}
