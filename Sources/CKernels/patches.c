#include <string.h>

#include "kernel_level.h"

// Wide vectors are passed only between functions that are always inlined.
#pragma clang diagnostic ignored "-Wpsabi"

enum { PAIRS = CK_PATCH_PAIRS, RADIUS = CK_PATCH_RADIUS };

CK_INLINE int32_t within(int32_t place, int32_t count) {
  const int32_t below = place < count ? place : count - 1;
  return below < 0 ? 0 : below;
}

// ---- Hashes -----------------------------------------------------------------------------------

CK_INLINE void patch_hash(const uint16_t *restrict sums, int32_t width, int32_t height, int32_t x,
                          int32_t y, const int8_t *restrict pairs, uint32_t *restrict words) {
  int32_t places[2 * PAIRS];
  for (int i = 0; i < 2 * PAIRS; i++) {
    places[i] = within(y + pairs[2 * i + 1], height) * width + within(x + pairs[2 * i], width);
  }
  uint8_t bits[PAIRS];
  for (int i = 0; i < PAIRS; i++) bits[i] = sums[places[2 * i]] < sums[places[2 * i + 1]];
  memset(words, 0, PAIRS / 8);
  for (int byte = 0; byte < PAIRS / 8; byte++) {
    // Packs eight bytes of 0 or 1 into the highest byte, the first of them lowest.
    uint64_t eight = 0;
    for (int bit = 0; bit < 8; bit++) eight |= (uint64_t)bits[8 * byte + bit] << (8 * bit);
    words[byte / 4] |= (uint32_t)(eight * 0x0102040810204080u >> 56) << (8 * (byte % 4));
  }
}

// Finds the bits whose two pixels are nearest to each other, the nearest first, ties by bit.
CK_INLINE void patch_doubts(const uint16_t *sums, int32_t width, int32_t height, int32_t x, int32_t y,
                            const int8_t *pairs, uint8_t *order) {
  // Each is a difference and its bit; one more than needed, so that the farthest falls off.
  uint32_t keys[CK_KNOWN_DOUBTS + 1];
  for (uint32_t bit = 0; bit < CK_WORD_BIT_LIMIT; bit++) {
    const int8_t *pair = pairs + 4 * bit;
    const int32_t one = sums[within(y + pair[1], height) * width + within(x + pair[0], width)];
    const int32_t other = sums[within(y + pair[3], height) * width + within(x + pair[2], width)];
    const uint32_t key = (uint32_t)(one > other ? one - other : other - one) << 8 | bit;
    uint32_t place = bit < CK_KNOWN_DOUBTS ? bit : CK_KNOWN_DOUBTS;
    for (; place > 0 && keys[place - 1] > key; place--) keys[place] = keys[place - 1];
    keys[place] = key;
  }
  for (uint32_t bit = 0; bit < CK_KNOWN_DOUBTS; bit++) order[bit] = (uint8_t)keys[bit];
}

// ---- Directions -------------------------------------------------------------------------------

// Half the width of the disk in the rows from its middle on: the root of RADIUS * (RADIUS + 1) - dy * dy.
static const int8_t half_widths[RADIUS + 1] = {12, 12, 12, 12, 11, 11, 10, 10, 9, 8, 7, 5, 3};

// The rows of the square around the disk, and their pixels with some to the right that do not count.
enum { SIDE = 2 * RADIUS + 1, WIDTH = 32 };
typedef uint8_t Pixels __attribute__((vector_size(WIDTH)));
typedef int16_t Columns __attribute__((vector_size(2 * WIDTH)));

CK_INLINE Columns row_at(const uint8_t *row) {
  Pixels pixels;
  memcpy(&pixels, row, sizeof pixels);
  return __builtin_convertvector(pixels, Columns);
}

// Copies the part of the square that lies in the plane; the rest of `square` stays black.
CK_INLINE void copy_square(const uint8_t *luma, int32_t width, int32_t height, int32_t left, int32_t top,
                           uint8_t square[SIDE * WIDTH]) {
  const int32_t first = left < 0 ? 0 : left, end = left + SIDE < width ? left + SIDE : width;
  for (int32_t row = 0; row < SIDE; row++) {
    if (top + row < 0 || top + row >= height) continue;
    memcpy(square + row * WIDTH + (first - left), luma + (size_t)(top + row) * (size_t)width + first,
           (size_t)(end - first));
  }
}

// Computes the first moments of the disk's brightness, to the right and down. The rows at the same distance above
// and below the middle are added first, so that no sum exceeds 16 bits.
CK_INLINE void patch_moments(const uint8_t *luma, int32_t width, int32_t height, int32_t x, int32_t y,
                             int32_t *across, int32_t *down) {
  const int32_t left = x - RADIUS, top = y - RADIUS;
  uint8_t square[SIDE * WIDTH];
  const uint8_t *middle = square + RADIUS * WIDTH;
  ptrdiff_t stride = WIDTH;
  if (left >= 0 && left + WIDTH <= width && top >= 0 && top + SIDE <= height) {
    middle = luma + (ptrdiff_t)y * width + left;
    stride = width;
  } else {
    memset(square, 0, sizeof square);
    copy_square(luma, width, height, left, top, square);
  }
  int16_t offsets[WIDTH];
  for (int16_t i = 0; i < WIDTH; i++) offsets[i] = (int16_t)(i - RADIUS);
  Columns offset;
  memcpy(&offset, offsets, sizeof offset);
  Columns columns = row_at(middle) & (offset <= RADIUS), weighted = {0};
  for (int16_t dy = 1; dy <= RADIUS; dy++) {
    const int16_t half = half_widths[dy];
    const Columns inside = (offset <= half) & (offset >= (int16_t)-half);
    const Columns above = row_at(middle - dy * stride), below = row_at(middle + dy * stride);
    columns += (above + below) & inside;
    weighted += ((below - above) & inside) * dy;
  }
  int16_t sums[WIDTH], weights[WIDTH];
  memcpy(sums, &columns, sizeof sums);
  memcpy(weights, &weighted, sizeof weights);
  int32_t right = 0, lower = 0;
  for (int i = 0; i < WIDTH; i++) {
    right += offsets[i] * sums[i];
    lower += weights[i];
  }
  *across = right;
  *down = lower;
}

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL(void, patch_hash, (sums, width, height, x, y, pairs, words),
          const uint16_t *sums, int32_t width, int32_t height, int32_t x, int32_t y,
          const int8_t *pairs, uint32_t *words)
CK_KERNEL(void, patch_doubts, (sums, width, height, x, y, pairs, order),
          const uint16_t *sums, int32_t width, int32_t height, int32_t x, int32_t y,
          const int8_t *pairs, uint8_t *order)
CK_KERNEL(void, patch_moments, (luma, width, height, x, y, across, down),
          const uint8_t *luma, int32_t width, int32_t height, int32_t x, int32_t y, int32_t *across,
          int32_t *down)
