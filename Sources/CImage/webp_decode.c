// libwebp as a pull reader.

#include <stdlib.h>
#include <string.h>

#include "picture_reader.h"
#include "remote.h"
#include "webp_library.h"

enum { ABI_VERSION = 0x0209, MODE_RGBA = 1 };

typedef struct {
  picture_reader picture;
  const uint8_t *bytes;
  size_t count;
  size_t step;   // the number of bytes that are decoded between two returns to the caller
  size_t given;  // the number of bytes that the library has
  webp_config config;
  void *decoder;
  bool is_done;
} webp_reader;

static void close_reader(ci_reader *base) {
  webp_reader *reader = (webp_reader *)base;
  if (reader->decoder != NULL) ci_webp.WebPIDelete(reader->decoder);
  free(reader->picture.pixels);
  free(reader);
}

static int32_t failure(ci_reader *base, webp_status status) {
  switch (status) {
    case STATUS_OK: return CI_OK;
    case STATUS_OUT_OF_MEMORY: return CI_NO_MEMORY;
    case STATUS_UNSUPPORTED: return ci_fail(base, CI_UNSUPPORTED, "libwebp does not support it");
    case STATUS_SUSPENDED:
    case STATUS_NOT_ENOUGH_DATA:
      return ci_fail(base, CI_TRUNCATED, "the bytes end before the image does");
    default: return ci_fail(base, CI_CORRUPT, "its data is invalid");
  }
}

static int32_t prepare(ci_reader *base) {
  webp_reader *reader = (webp_reader *)base;
  if (reader->is_done) return CI_OK;
  const size_t rest = reader->count - reader->given;
  reader->given += rest < reader->step ? rest : reader->step;
  const webp_status status = ci_webp.WebPIUpdate(reader->decoder, reader->bytes, reader->given);
  if (status == STATUS_SUSPENDED && reader->given < reader->count) return CI_MORE;
  reader->is_done = true;
  return failure(base, status);
}

static int32_t start(webp_reader *reader, uint32_t width, uint32_t height, uint32_t denominator,
                     ci_limits limits) {
  ci_reader *const base = &reader->picture.base;
  webp_features features;
  memset(&features, 0, sizeof features);
  const webp_status status =
      ci_webp.WebPGetFeaturesInternal(reader->bytes, reader->count, &features, ABI_VERSION);
  if (status != STATUS_OK) return failure(base, status);
  if ((uint32_t)features.width != width || (uint32_t)features.height != height) {
    return ci_fail(base, CI_CORRUPT, "its headers contradict each other");
  }
  const int32_t allocated = ci_picture_allocate(
      &reader->picture, (width - 1) / denominator + 1, (height - 1) / denominator + 1,
      limits.memory_limit);
  if (allocated != CI_OK) return allocated;
  if (!ci_webp.WebPInitDecoderConfigInternal(&reader->config, ABI_VERSION)) {
    return ci_fail(base, CI_UNSUPPORTED, "this version of libwebp is not supported");
  }
  webp_buffer *const output = &reader->config.output;
  output->colorspace = MODE_RGBA;
  output->is_external_memory = 1;
  output->u.rgba.rgba = reader->picture.pixels;
  output->u.rgba.stride = (int)(4 * base->width);
  output->u.rgba.size = (size_t)4 * base->width * base->height;
  reader->config.options.use_scaling = denominator > 1;
  reader->config.options.scaled_width = (int)base->width;
  reader->config.options.scaled_height = (int)base->height;
  reader->decoder = ci_webp.WebPIDecode(NULL, 0, &reader->config);
  if (reader->decoder == NULL) return CI_NO_MEMORY;
  const size_t steps = (size_t)width * height / CI_PIXELS_A_STEP + 1;
  reader->step = reader->count / steps + 1;
  return CI_OK;
}

ci_reader *ci_webp_open(const uint8_t *bytes, size_t count, uint32_t width, uint32_t height,
                        uint32_t denominator, ci_limits limits, int32_t *status) {
  if (cw_is_on(CW_IMAGES)) {
    return ci_remote_open(
        bytes, count,
        (ci_description){
            .library = CW_WEBP, .width = width, .height = height, .denominator = denominator},
        limits, status);
  }
  webp_reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) {
    *status = CI_NO_MEMORY;
    return NULL;
  }
  ci_reader *const base = &reader->picture.base;
  base->prepare = prepare;
  base->read_rows = ci_picture_read_rows;
  base->close = close_reader;
  base->white = limits.white;
  reader->bytes = bytes;
  reader->count = count;
  *status = start(reader, width, height, denominator, limits);
  return base;
}
