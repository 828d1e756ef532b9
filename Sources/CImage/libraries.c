// The libraries that are loaded when first needed, each in files of its own that know no decoder.

#include "CImage.h"
#include "CWorkers.h"
#include "gif_library.h"
#include "heif_library.h"
#include "webp_library.h"

bool ci_library_load(ci_library library) {
  if (cw_is_on(CW_IMAGES)) return cw_has((cw_library)library);
  switch (library) {
    case CI_WEBP: return ci_webp_load();
    case CI_HEIC: return ci_heif_load(true);
    case CI_AVIF: return ci_heif_load(false);
    case CI_GIF: return ci_gif_load();
  }
  return false;
}
