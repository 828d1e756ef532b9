#include "CPeers.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

size_t peer_png(const uint8_t *bytes, size_t count) {
  png_image image;
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&image, bytes, count)) return 0;
  image.format = PNG_FORMAT_RGB;
  uint8_t *const pixels = malloc(PNG_IMAGE_SIZE(image));
  if (pixels == NULL || !png_image_finish_read(&image, NULL, pixels, 0, NULL)) {
    png_image_free(&image);
    free(pixels);
    return 0;
  }
  const size_t total = (size_t)image.width * image.height;
  free(pixels);
  return total;
}
