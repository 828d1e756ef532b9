#include "picture_reader.h"

#include <stdlib.h>
#include <string.h>

int32_t ci_picture_allocate(picture_reader *reader, uint32_t width, uint32_t height,
                            uint64_t memory_limit) {
  uint64_t pixel_count, byte_count;
  if (width == 0 || height == 0) return ci_fail(&reader->base, CI_CORRUPT, "it has no pixels");
  if (__builtin_mul_overflow((uint64_t)width, (uint64_t)height, &pixel_count) ||
      __builtin_mul_overflow(pixel_count, (uint64_t)4, &byte_count) || byte_count > memory_limit) {
    return ci_fail(&reader->base, CI_TOO_LARGE, "its pixels exceed the memory limit");
  }
  reader->base.width = width;
  reader->base.height = height;
  reader->pixels = malloc((size_t)byte_count);
  if (reader->pixels == NULL) return CI_NO_MEMORY;
  memset(reader->pixels, 255, (size_t)byte_count);
  return CI_OK;
}

int32_t ci_picture_read_rows(ci_reader *base, uint8_t *rows, uint32_t max_rows,
                             uint32_t *rows_read) {
  picture_reader *reader = (picture_reader *)base;
  const size_t row_bytes = (size_t)4 * base->width;
  while (*rows_read < max_rows && reader->row < base->height) {
    uint8_t *const row = rows + *rows_read * row_bytes;
    memcpy(row, reader->pixels + reader->row * row_bytes, row_bytes);
    ci_flatten(base, row);
    reader->row++;
    ++*rows_read;
  }
  return CI_OK;
}
