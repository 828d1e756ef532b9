// libpng behind a pull reader. Every function that calls the library sets the jump target itself,
// so that an error returns to a frame of this file.

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "reader.h"

typedef struct {
  ci_reader base;
  png_structp png;
  png_infop info;
  jmp_buf jump;
  const uint8_t *bytes;
  size_t count;
  size_t position;
  uint8_t *picture;  // of an interlaced file only: its passes fill it bit by bit
  int passes;
  int pass;
  uint32_t row;
  int32_t failure;
} png_reader;

// Rows of an interlaced picture between two returns to the caller.
enum { ROWS_A_STEP = 64 };

static void on_error(png_structp png, png_const_charp message) {
  png_reader *reader = png_get_error_ptr(png);
  if (reader->failure == CI_OK) reader->failure = CI_CORRUPT;
  snprintf(reader->base.message, CI_MESSAGE_BYTES, "%s", message);
  longjmp(reader->jump, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static void read_bytes(png_structp png, png_bytep target, size_t length) {
  png_reader *reader = png_get_io_ptr(png);
  if (length > reader->count - reader->position) {
    reader->failure = CI_TRUNCATED;
    png_error(png, "the bytes end before the picture does");
  }
  memcpy(target, reader->bytes + reader->position, length);
  reader->position += length;
}

static void close_reader(ci_reader *base) {
  png_reader *reader = (png_reader *)base;
  if (reader->png != NULL) png_destroy_read_struct(&reader->png, &reader->info, NULL);
  free(reader->picture);
  free(reader);
}

static int32_t prepare(ci_reader *base) {
  png_reader *reader = (png_reader *)base;
  if (reader->picture == NULL) return CI_OK;
  if (setjmp(reader->jump)) return reader->failure;
  for (int step = 0; step < ROWS_A_STEP && reader->pass < reader->passes; step++) {
    png_read_row(reader->png, reader->picture + (size_t)reader->row * 4 * base->width, NULL);
    if (++reader->row == base->height) {
      reader->row = 0;
      reader->pass++;
    }
  }
  return reader->pass < reader->passes ? CI_MORE : CI_OK;
}

static void flatten_on_white(uint8_t *rgba, uint32_t width) {
  for (uint32_t x = 0; x < width; x++, rgba += 4) {
    const uint32_t alpha = rgba[3];
    if (alpha == 255) continue;
    for (int c = 0; c < 3; c++) {
      rgba[c] = (uint8_t)((rgba[c] * alpha + 255 * (255 - alpha) + 127) / 255);
    }
    rgba[3] = 255;
  }
}

static int32_t read_rows(ci_reader *base, uint8_t *rows, uint32_t max_rows, uint32_t *rows_read) {
  png_reader *reader = (png_reader *)base;
  const size_t row_bytes = (size_t)4 * base->width;
  if (setjmp(reader->jump)) return reader->failure;
  while (*rows_read < max_rows && reader->row < base->height) {
    uint8_t *row = rows + *rows_read * row_bytes;
    if (reader->picture != NULL) {
      memcpy(row, reader->picture + reader->row * row_bytes, row_bytes);
    } else {
      png_read_row(reader->png, row, NULL);
    }
    flatten_on_white(row, base->width);
    reader->row++;
    ++*rows_read;
  }
  return CI_OK;
}

static int32_t fail(png_reader *reader, int32_t status, const char *message) {
  snprintf(reader->base.message, CI_MESSAGE_BYTES, "%s", message);
  return status;
}

ci_reader *ci_png_open(const uint8_t *bytes, size_t count, ci_limits limits, int32_t *status) {
  png_reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) {
    *status = CI_NO_MEMORY;
    return NULL;
  }
  reader->base.prepare = prepare;
  reader->base.read_rows = read_rows;
  reader->base.close = close_reader;
  reader->bytes = bytes;
  reader->count = count;
  if (setjmp(reader->jump)) {
    *status = reader->failure;
    return &reader->base;
  }
  reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, on_error, on_warning);
  if (reader->png != NULL) reader->info = png_create_info_struct(reader->png);
  if (reader->info == NULL) {
    *status = CI_NO_MEMORY;
    return &reader->base;
  }
  png_set_user_limits(reader->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_chunk_cache_max(reader->png, limits.chunk_count_limit);
  png_set_chunk_malloc_max(reader->png, limits.chunk_limit);
  // Texts are of no use here, and a few bytes of them can inflate to hundreds of megabytes.
  png_set_keep_unknown_chunks(reader->png, PNG_HANDLE_CHUNK_NEVER,
                              (png_const_bytep) "tEXt\0zTXt\0iTXt\0iCCP\0eXIf", 5);
  png_set_read_fn(reader->png, reader, read_bytes);
  png_read_info(reader->png, reader->info);
  png_set_expand(reader->png);
  png_set_scale_16(reader->png);
  png_set_gray_to_rgb(reader->png);
  png_set_add_alpha(reader->png, 0xFF, PNG_FILLER_AFTER);
  reader->passes = png_set_interlace_handling(reader->png);
  png_read_update_info(reader->png, reader->info);
  reader->base.width = png_get_image_width(reader->png, reader->info);
  reader->base.height = png_get_image_height(reader->png, reader->info);
  const uint64_t row_bytes = (uint64_t)4 * reader->base.width;
  if (png_get_rowbytes(reader->png, reader->info) != row_bytes) {
    *status = fail(reader, CI_UNSUPPORTED, "rows do not come as RGBA");
    return &reader->base;
  }
  if (reader->passes > 1) {
    uint64_t bytes_needed;
    if (__builtin_mul_overflow(row_bytes, (uint64_t)reader->base.height, &bytes_needed) ||
        bytes_needed > limits.memory_limit) {
      *status = fail(reader, CI_TOO_LARGE, "an interlaced picture must stand in memory whole");
      return &reader->base;
    }
    reader->picture = calloc(1, (size_t)bytes_needed);
    if (reader->picture == NULL) {
      *status = CI_NO_MEMORY;
      return &reader->base;
    }
  }
  *status = CI_OK;
  return &reader->base;
}
