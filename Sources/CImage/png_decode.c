// libpng as a pull reader. Every function that calls the library sets the jump target itself, so
// that an error returns to a frame in this file.

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
  uint8_t *picture;   // only for an interlaced file: its passes fill it step by step
  uint8_t *pass_row;  // only for an interlaced file: a row of a pass
  uint8_t palette[256][4];  // colors as RGBA, opaque black for an index without a color
  int palette_count;        // 0 if pixels are not indexes
  uint32_t full_width;
  uint32_t full_height;
  uint32_t denominator;
  int passes;
  int pass;
  uint32_t row;
  int32_t failure;
  size_t unasked;  // the number of bytes that were read since should_stop was asked
  ci_limits limits;
} png_reader;

static void on_error(png_structp png, png_const_charp message) {
  png_reader *reader = png_get_error_ptr(png);
  if (reader->failure == CI_OK) reader->failure = CI_CORRUPT;
  snprintf(reader->base.message, CI_MESSAGE_BYTES, "%s", message);
  longjmp(reader->jump, 1);
}

// libpng warns of a wrong checksum in a critical chunk only if it was told to continue after one.
static void on_warning(png_structp png, png_const_charp message) {
  png_reader *reader = png_get_error_ptr(png);
  const bool is_critical = (png_get_io_chunk_type(png) >> 29 & 1) == 0;
  if (!reader->limits.keeps_damaged || !is_critical || reader->base.is_damaged) return;
  reader->base.is_damaged = true;
  snprintf(reader->base.message, CI_MESSAGE_BYTES, "%s", message);
}

static void read_bytes(png_structp png, png_bytep target, size_t length) {
  png_reader *reader = png_get_io_ptr(png);
  if (length > reader->count - reader->position) {
    reader->failure = CI_TRUNCATED;
    png_error(png, "the bytes end before the image does");
  }
  reader->unasked += length;
  if (reader->unasked > CI_BYTES_A_QUESTION) {
    reader->unasked = 0;
    if (reader->limits.should_stop(reader->limits.asker)) {
      reader->failure = CI_STOPPED;
      png_error(png, "stopped");
    }
  }
  memcpy(target, reader->bytes + reader->position, length);
  reader->position += length;
}

static void close_reader(ci_reader *base) {
  png_reader *reader = (png_reader *)base;
  if (reader->png != NULL) png_destroy_read_struct(&reader->png, &reader->info, NULL);
  free(reader->picture);
  free(reader->pass_row);
  free(reader);
}

// Reads a row of pixels as RGBA. libpng itself would take an index beyond the palette for black, silently.
static void read_row(png_reader *reader, uint8_t *row, uint32_t columns) {
  png_read_row(reader->png, row, NULL);
  if (reader->palette_count == 0) return;
  bool is_beyond = false;
  // Begins at the right end, because four bytes are written in place of one.
  for (uint32_t x = columns; x-- > 0;) {
    const uint8_t index = row[x];
    is_beyond |= index >= reader->palette_count;
    memcpy(row + (size_t)4 * x, reader->palette[index], 4);
  }
  if (!is_beyond || reader->base.is_damaged) return;
  char message[CI_MESSAGE_BYTES];
  snprintf(message, sizeof message, "its palette has %d colors, and pixels have others",
           reader->palette_count);
  if (!reader->limits.keeps_damaged) png_error(reader->png, message);
  reader->base.is_damaged = true;
  ci_fail(&reader->base, CI_CORRUPT, message);
}

static void read_palette(png_reader *reader) {
  png_colorp colors = NULL;
  png_bytep alpha = NULL;
  int alpha_count = 0;
  png_get_PLTE(reader->png, reader->info, &colors, &reader->palette_count);
  png_get_tRNS(reader->png, reader->info, &alpha, &alpha_count, NULL);
  for (int i = 0; i < 256; i++) {
    const png_color color = i < reader->palette_count ? colors[i] : (png_color){0, 0, 0};
    memcpy(reader->palette[i],
           (uint8_t[]){color.red, color.green, color.blue, i < alpha_count ? alpha[i] : 255}, 4);
  }
}

// Reads a row of the current pass and copies its pixels to their positions among the kept ones.
static void read_pass_row(png_reader *reader) {
  const uint32_t columns = PNG_PASS_COLS(reader->full_width, reader->pass);
  const uint32_t rows = PNG_PASS_ROWS(reader->full_height, reader->pass);
  if (columns == 0 || rows == 0) {
    reader->pass++;
    return;
  }
  read_row(reader, reader->pass_row, columns);
  const uint32_t y = PNG_ROW_FROM_PASS_ROW(reader->row, reader->pass) / reader->denominator;
  uint8_t *row = reader->picture + (size_t)y * 4 * reader->base.width;
  for (uint32_t column = 0; column < columns; column++) {
    const uint32_t x = PNG_COL_FROM_PASS_COL(column, reader->pass) / reader->denominator;
    memcpy(row + (size_t)4 * x, reader->pass_row + (size_t)4 * column, 4);
  }
  if (++reader->row == rows) {
    reader->row = 0;
    reader->pass++;
  }
}

static int32_t prepare(ci_reader *base) {
  png_reader *reader = (png_reader *)base;
  if (reader->picture == NULL || reader->pass == reader->passes) return CI_OK;
  if (setjmp(reader->jump)) return reader->failure;
  for (uint32_t done = 0; done < CI_PIXELS_A_STEP && reader->pass < reader->passes;) {
    read_pass_row(reader);
    done += reader->full_width;
  }
  return reader->pass < reader->passes ? CI_MORE : CI_OK;
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
      read_row(reader, row, base->width);
    }
    ci_flatten(base, row);
    reader->row++;
    ++*rows_read;
  }
  return CI_OK;
}

// Allocates memory for the pixels that the passes leave at this fraction of the size. Of each
// square of 8 x 8 pixels, the first pass has the first pixel; after the third, fifth and seventh
// pass, every 4th, 2nd and every pixel is present.
static int32_t open_passes(png_reader *reader, ci_limits limits) {
  const uint32_t divisor = reader->denominator;
  reader->passes = divisor == 8 ? 1 : divisor == 4 ? 3 : divisor == 2 ? 5 : 7;
  reader->base.width = (reader->full_width - 1) / divisor + 1;
  reader->base.height = (reader->full_height - 1) / divisor + 1;
  uint64_t bytes_needed;
  if (__builtin_mul_overflow((uint64_t)4 * reader->base.width, (uint64_t)reader->base.height,
                             &bytes_needed) ||
      bytes_needed > limits.memory_limit) {
    return ci_fail(&reader->base, CI_TOO_LARGE, "an interlaced image must fit in memory");
  }
  reader->picture = calloc(1, (size_t)bytes_needed);
  // libpng writes whole rows; a pass fills only the beginning.
  reader->pass_row = calloc(reader->full_width, 4);
  return reader->picture == NULL || reader->pass_row == NULL ? CI_NO_MEMORY : CI_OK;
}

ci_reader *ci_png_open(const uint8_t *bytes, size_t count, uint32_t denominator, ci_limits limits,
                       int32_t *status) {
  png_reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) {
    *status = CI_NO_MEMORY;
    return NULL;
  }
  reader->base.prepare = prepare;
  reader->base.read_rows = read_rows;
  reader->base.close = close_reader;
  reader->base.white = limits.white;
  reader->bytes = bytes;
  reader->count = count;
  reader->denominator = denominator;
  reader->limits = limits;
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
  // Texts are not needed here, and a few bytes of them can inflate to hundreds of megabytes.
  png_set_keep_unknown_chunks(reader->png, PNG_HANDLE_CHUNK_NEVER,
                              (png_const_bytep) "tEXt\0zTXt\0iTXt\0iCCP\0eXIf", 5);
  if (limits.keeps_damaged) png_set_crc_action(reader->png, PNG_CRC_WARN_USE, PNG_CRC_DEFAULT);
  png_set_read_fn(reader->png, reader, read_bytes);
  png_read_info(reader->png, reader->info);
  const bool is_indexed =
      png_get_color_type(reader->png, reader->info) == PNG_COLOR_TYPE_PALETTE;
  if (is_indexed) {
    read_palette(reader);
    png_set_packing(reader->png);
  } else {
    png_set_expand(reader->png);
    png_set_scale_16(reader->png);
    png_set_gray_to_rgb(reader->png);
    png_set_add_alpha(reader->png, 0xFF, PNG_FILLER_AFTER);
  }
  const bool is_interlaced =
      png_get_interlace_type(reader->png, reader->info) != PNG_INTERLACE_NONE;
  png_read_update_info(reader->png, reader->info);
  reader->full_width = png_get_image_width(reader->png, reader->info);
  reader->full_height = png_get_image_height(reader->png, reader->info);
  reader->base.width = reader->full_width;
  reader->base.height = reader->full_height;
  const uint64_t pixel_bytes = is_indexed ? 1 : 4;
  if (png_get_rowbytes(reader->png, reader->info) != pixel_bytes * reader->full_width ||
      (denominator != 1 && !is_interlaced)) {
    *status = ci_fail(&reader->base, CI_UNSUPPORTED, "rows do not come as RGBA");
    return &reader->base;
  }
  *status = is_interlaced ? open_passes(reader, limits) : CI_OK;
  return &reader->base;
}
