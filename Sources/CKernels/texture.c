#include <string.h>

#include "kernel_level.h"

// Wide vectors are passed only between functions that are always inlined.
#pragma clang diagnostic ignored "-Wpsabi"

enum { LANES = 64, MOST_BLOCKS = 255 };
typedef uint8_t Bytes __attribute__((vector_size(LANES)));

CK_INLINE Bytes load(const uint8_t *bytes) {
  Bytes loaded;
  memcpy(&loaded, bytes, sizeof loaded);
  return loaded;
}

// Classifies LANES pixels. Their neighbors are looked at in order around them.
CK_INLINE Bytes classes_of(const uint8_t *above, const uint8_t *row, const uint8_t *below) {
  const uint8_t *const places[8] = {above, above + 1, above + 2, row + 2, below + 2, below + 1, below, row};
  const Bytes centre = load(row + 1);
  Bytes brighter = {0}, changes = {0}, least = centre, most = centre;
  Bytes before = (Bytes)(load(places[7]) >= centre);
  for (int i = 0; i < 8; i++) {
    const Bytes neighbor = load(places[i]);
    // A comparison gives -1 for true in each lane.
    const Bytes here = (Bytes)(neighbor >= centre);
    brighter -= here;
    changes -= here ^ before;
    before = here;
    least = __builtin_elementwise_min(least, neighbor);
    most = __builtin_elementwise_max(most, neighbor);
  }
  const Bytes is_smooth = (Bytes)(changes <= 2);
  const Bytes class = (is_smooth & brighter) | (~is_smooth & 9);
  const Bytes is_flat = (Bytes)(most - least < CK_TEXTURE_CONTRAST);
  return (is_flat & 10) | (~is_flat & class);
}

// Classifies a row of pixels.
CK_INLINE void classify(const uint8_t *above, const uint8_t *row, const uint8_t *below, size_t count,
                        uint8_t *classes) {
  if (count < LANES) {
    uint8_t rows[3][LANES + 2] = {0};
    memcpy(rows[0], above, count + 2);
    memcpy(rows[1], row, count + 2);
    memcpy(rows[2], below, count + 2);
    const Bytes found = classes_of(rows[0], rows[1], rows[2]);
    memcpy(classes, &found, count);
    return;
  }
  for (size_t next = 0; next < count; next += LANES) {
    // The last block overlaps the one before.
    const size_t x = next + LANES <= count ? next : count - LANES;
    const Bytes found = classes_of(above + x, row + x, below + x);
    memcpy(classes + x, &found, sizeof found);
  }
}

// Adds the classes of a block to the counts that each lane has of every class.
CK_INLINE void count_block(const uint8_t *classes, Bytes *counts) {
  const Bytes block = load(classes);
  for (int c = 0; c < CK_TEXTURE_CLASSES; c++) counts[c] -= (Bytes)(block == (uint8_t)c);
}

// Adds the counts of all lanes to the sums, and clears them.
CK_INLINE void add_counts(Bytes *counts, uint32_t *sums) {
  for (int c = 0; c < CK_TEXTURE_CLASSES; c++) {
    uint8_t lanes[LANES];
    memcpy(lanes, &counts[c], sizeof lanes);
    for (int lane = 0; lane < LANES; lane++) sums[c] += lanes[lane];
    counts[c] = (Bytes){0};
  }
}

CK_INLINE void texture_counts(const uint8_t *luma, size_t width, size_t height, uint8_t *classes,
                              uint32_t *counts) {
  memset(counts, 0, CK_TEXTURE_CLASSES * sizeof *counts);
  Bytes lanes[CK_TEXTURE_CLASSES] = {0};
  size_t blocks = 0;
  for (size_t y = 1; y + 1 < height; y++) {
    const uint8_t *row = luma + y * width;
    const size_t count = width - 2;
    classify(row - width, row, row + width, count, classes);
    for (size_t x = 0; x < count; x += LANES) {
      if (blocks++ % MOST_BLOCKS == MOST_BLOCKS - 1) add_counts(lanes, counts);
      if (count - x >= LANES) {
        count_block(classes + x, lanes);
      } else {
        uint8_t rest[LANES];
        memset(rest, CK_TEXTURE_CLASSES, sizeof rest);
        memcpy(rest, classes + x, count - x);
        count_block(rest, lanes);
      }
    }
  }
  add_counts(lanes, counts);
}

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL(void, texture_counts, (luma, width, height, classes, counts),
          const uint8_t *luma, size_t width, size_t height, uint8_t *classes, uint32_t *counts)
