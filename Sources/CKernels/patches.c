#include <string.h>

#include "kernel_level.h"

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

// Half the width of the disk in each of its rows: the root of RADIUS * (RADIUS + 1) - dy * dy.
static const int8_t half_widths[2 * RADIUS + 1] = {3,  5,  7,  8,  9,  10, 10, 11, 11, 12, 12, 12, 12,
                                                   12, 12, 12, 11, 11, 10, 10, 9,  8,  7,  5,  3};

// Computes the first moments of the disk's brightness, to the right and down.
CK_INLINE void patch_moments(const uint8_t *luma, int32_t width, int32_t height, int32_t x, int32_t y,
                             int32_t *across, int32_t *down) {
  enum { WIDTH = 32 };
  int32_t columns[WIDTH] = {0}, weighted[WIDTH] = {0};
  const int32_t left = x - RADIUS;
  const int is_inner = left >= 0 && left + WIDTH <= width;
  for (int32_t dy = -RADIUS; dy <= RADIUS; dy++) {
    if (y + dy < 0 || y + dy >= height) continue;
    const int32_t half = half_widths[dy + RADIUS];
    const uint8_t *row = luma + (size_t)(y + dy) * (size_t)width;
    uint8_t edge[WIDTH] = {0};
    if (!is_inner) {
      for (int32_t i = 0; i <= 2 * RADIUS; i++) {
        if (left + i >= 0 && left + i < width) edge[i] = row[left + i];
      }
    }
    const uint8_t *pixels = is_inner ? row + left : edge;
    for (int32_t i = 0; i < WIDTH; i++) {
      const int32_t inside = (i - RADIUS <= half) & (RADIUS - i <= half);
      const int32_t value = pixels[i] & -inside;
      columns[i] += value;
      weighted[i] += dy * value;
    }
  }
  *across = 0;
  *down = 0;
  for (int32_t i = 0; i < WIDTH; i++) {
    *across += (i - RADIUS) * columns[i];
    *down += weighted[i];
  }
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
