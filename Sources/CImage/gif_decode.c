// giflib as a pull reader of the first frame.

#include <stdlib.h>
#include <string.h>

#include "gif_library.h"
#include "picture_reader.h"
#include "remote.h"

enum { GIF_FAILED = 0, RECORD_IMAGE = 2, RECORD_EXTENSION = 3, GRAPHICS_CONTROL = 0xF9 };

typedef struct {
  picture_reader picture;
  const uint8_t *bytes;
  size_t count;
  size_t position;
  gif_file *file;
  uint8_t *line;        // a row of indexes of colors
  uint8_t rgba[256][4];  // the colors
  uint32_t done;        // the number of rows that are decoded
  int transparent;      // the index of the transparent color, or -1
  bool has_ended;       // whether the library asked for more bytes than there are
} gif_reader;

static int read_bytes(gif_file *file, uint8_t *target, int length) {
  gif_reader *reader = file->user_data;
  const size_t rest = reader->count - reader->position;
  const size_t taken = length <= 0 ? 0 : (size_t)length < rest ? (size_t)length : rest;
  if (length > 0 && taken < (size_t)length) reader->has_ended = true;
  memcpy(target, reader->bytes + reader->position, taken);
  reader->position += taken;
  return (int)taken;
}

static void close_reader(ci_reader *base) {
  gif_reader *reader = (gif_reader *)base;
  if (reader->file != NULL) ci_gif.DGifCloseFile(reader->file, NULL);
  free(reader->line);
  free(reader->picture.pixels);
  free(reader);
}

static int32_t failure(gif_reader *reader) {
  ci_reader *const base = &reader->picture.base;
  return reader->has_ended ? ci_fail(base, CI_TRUNCATED, "the bytes end before the image does")
                           : ci_fail(base, CI_CORRUPT, "its data is invalid");
}

// Returns the row of the image at which a row of the data belongs: the four passes of an interlaced image have
// every 8th row from 0 and from 4, every 4th from 2, and every 2nd from 1.
static uint32_t row_of_data(const gif_reader *reader, uint32_t index) {
  if (!reader->file->image.is_interlaced) return index;
  static const uint32_t first[] = {0, 4, 2, 1}, distance[] = {8, 8, 4, 2};
  const uint32_t height = reader->picture.base.height;
  for (int pass = 0; pass < 4; pass++) {
    const uint32_t rows =
        height > first[pass] ? (height - first[pass] - 1) / distance[pass] + 1 : 0;
    if (index < rows) return first[pass] + index * distance[pass];
    index -= rows;
  }
  return 0;
}

static int32_t prepare(ci_reader *base) {
  gif_reader *reader = (gif_reader *)base;
  const uint32_t width = base->width;
  for (uint32_t pixels = 0; pixels < CI_PIXELS_A_STEP; pixels += width) {
    if (reader->done == base->height) return CI_OK;
    if (ci_gif.DGifGetLine(reader->file, reader->line, (int)width) == GIF_FAILED) {
      return failure(reader);
    }
    uint8_t *row = reader->picture.pixels +
                   (size_t)4 * width * row_of_data(reader, reader->done);
    for (uint32_t x = 0; x < width; x++) memcpy(row + (size_t)4 * x, reader->rgba[reader->line[x]], 4);
    reader->done++;
  }
  return CI_MORE;
}

// Reads up to the data of the first image.
static int32_t find_image(gif_reader *reader) {
  for (;;) {
    int record = 0;
    if (ci_gif.DGifGetRecordType(reader->file, &record) == GIF_FAILED) return failure(reader);
    if (record == RECORD_IMAGE) {
      return ci_gif.DGifGetImageDesc(reader->file) == GIF_FAILED ? failure(reader) : CI_OK;
    }
    if (record != RECORD_EXTENSION) {
      return ci_fail(&reader->picture.base, CI_CORRUPT, "there is no image in it");
    }
    int code = 0;
    uint8_t *block = NULL;
    if (ci_gif.DGifGetExtension(reader->file, &code, &block) == GIF_FAILED) return failure(reader);
    // The first byte of a block is its length. In the four bytes that follow, bit 0 of the
    // first says that the fourth is the index of the transparent color.
    if (code == GRAPHICS_CONTROL && block != NULL && block[0] >= 4 && (block[1] & 1) != 0) {
      reader->transparent = block[4];
    }
    while (block != NULL) {
      if (ci_gif.DGifGetExtensionNext(reader->file, &block) == GIF_FAILED) return failure(reader);
    }
  }
}

static int32_t start(gif_reader *reader, uint32_t width, uint32_t height, ci_limits limits) {
  ci_reader *const base = &reader->picture.base;
  int code = 0;
  reader->file = ci_gif.DGifOpen(reader, read_bytes, &code);
  if (reader->file == NULL) return failure(reader);
  const int32_t found = find_image(reader);
  if (found != CI_OK) return found;
  const gif_image *const image = &reader->file->image;
  if (image->width != (int)width || image->height != (int)height) {
    return ci_fail(base, CI_CORRUPT, "its headers contradict each other");
  }
  const gif_color_map *map =
      image->color_map != NULL ? image->color_map : reader->file->color_map;
  if (map == NULL) return ci_fail(base, CI_CORRUPT, "it has no colors");
  for (int index = 0; index < 256; index++) {
    const bool is_known = index < map->color_count && index != reader->transparent;
    const gif_color color = is_known ? map->colors[index] : (gif_color){255, 255, 255};
    memcpy(reader->rgba[index], (uint8_t[]){color.red, color.green, color.blue, 255}, 4);
  }
  reader->line = calloc(width, 1);
  const int32_t allocated =
      ci_picture_allocate(&reader->picture, width, height, limits.memory_limit);
  return reader->line == NULL ? CI_NO_MEMORY : allocated;
}

ci_reader *ci_gif_open(const uint8_t *bytes, size_t count, uint32_t width, uint32_t height,
                       ci_limits limits, int32_t *status) {
  if (cw_is_on(CW_IMAGES)) {
    return ci_remote_open(
        bytes, count,
        (ci_description){.library = CW_GIF, .width = width, .height = height, .denominator = 1},
        limits, status);
  }
  gif_reader *reader = calloc(1, sizeof *reader);
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
  reader->transparent = -1;
  *status = start(reader, width, height, limits);
  return base;
}
