#include "CImage.h"

#include <math.h>
#include <string.h>

#include "kernel_level.h"

// A fused multiply and add would round once where other processors round twice.
#pragma STDC FP_CONTRACT OFF

// ---- Planes -----------------------------------------------------------------------------------

CI_INLINE void to_luma(const uint8_t *restrict rgba, size_t count, uint8_t *restrict luma) {
  for (size_t i = 0; i < count; i++) {
    const uint8_t *p = rgba + 4 * i;
    luma[i] = (uint8_t)((77u * p[0] + 150u * p[1] + 29u * p[2] + 128u) >> 8);
  }
}

CI_INLINE void reduce_by_2(const uint8_t *restrict luma, size_t width, size_t height,
                           uint8_t *restrict out) {
  for (size_t y = 0; y < height / 2; y++) {
    const uint8_t *upper = luma + 2 * y * width, *lower = upper + width;
    for (size_t x = 0; x < width / 2; x++) {
      *out++ = (uint8_t)((upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1] + 2) >> 2);
    }
  }
}

// Three columns become two, each of one whole column and half of the one between them.
CI_INLINE uint8_t *reduce_row_by_3_2(const uint8_t *whole, const uint8_t *half, size_t width,
                                     uint8_t *out) {
  for (size_t x = 0; x < width / 3; x++, whole += 3, half += 3) {
    const uint32_t a = 2u * whole[0] + half[0], b = 2u * whole[1] + half[1],
                   c = 2u * whole[2] + half[2];
    *out++ = (uint8_t)((2 * a + b + 4) / 9);
    *out++ = (uint8_t)((b + 2 * c + 4) / 9);
  }
  return out;
}

CI_INLINE void reduce_by_3_2(const uint8_t *restrict luma, size_t width, size_t height,
                             uint8_t *restrict out) {
  for (size_t y = 0; y < height / 3; y++) {
    const uint8_t *first = luma + 3 * y * width, *second = first + width, *third = second + width;
    out = reduce_row_by_3_2(first, second, width, out);
    out = reduce_row_by_3_2(third, second, width, out);
  }
}

// ---- Sums over a square -----------------------------------------------------------------------

CI_INLINE size_t clamped(ptrdiff_t place, size_t count) {
  return place < 0 ? 0 : place >= (ptrdiff_t)count ? count - 1 : (size_t)place;
}

CI_INLINE void box_sums(const uint8_t *luma, size_t width, size_t height, uint16_t *columns,
                        uint16_t *out) {
  enum { radius = CI_BOX_RADIUS };
  for (size_t y = 0; y < height; y++) {
    const uint8_t *rows[2 * radius + 1];
    for (int d = -radius; d <= radius; d++) {
      rows[d + radius] = luma + clamped((ptrdiff_t)y + d, height) * width;
    }
    // The sums of the columns, with the outermost ones repeated on both sides.
    uint16_t *sums = columns + radius;
    for (size_t x = 0; x < width; x++) {
      sums[x] = (uint16_t)(rows[0][x] + rows[1][x] + rows[2][x] + rows[3][x] + rows[4][x]);
    }
    for (int d = 1; d <= radius; d++) {
      columns[radius - d] = sums[0];
      sums[width - 1 + (size_t)d] = sums[width - 1];
    }
    for (size_t x = 0; x < width; x++) {
      out[x] = (uint16_t)(columns[x] + columns[x + 1] + columns[x + 2] + columns[x + 3] +
                          columns[x + 4]);
    }
    out += width;
  }
}

// ---- Corners ----------------------------------------------------------------------------------

// The window's radius, and one more for the gradient.
enum { window = 3, margin = window + 1 };

// Takes the gradients of one row into the sums, in place of those seven rows above it.
CI_INLINE void slide(const uint8_t *restrict above, const uint8_t *restrict row,
                     const uint8_t *restrict below, size_t width, int32_t *restrict slot,
                     int32_t *restrict sums) {
  for (size_t x = 1; x + 1 < width; x++) {
    const int32_t gx = (above[x + 1] - above[x - 1] + 2 * (row[x + 1] - row[x - 1]) +
                        below[x + 1] - below[x - 1]) >> 2;
    const int32_t gy = (below[x - 1] - above[x - 1] + 2 * (below[x] - above[x]) + below[x + 1] -
                        above[x + 1]) >> 2;
    const int32_t xx = gx * gx, yy = gy * gy, xy = gx * gy;
    sums[x] += xx - slot[x];
    sums[width + x] += yy - slot[width + x];
    sums[2 * width + x] += xy - slot[2 * width + x];
    slot[x] = xx;
    slot[width + x] = yy;
    slot[2 * width + x] = xy;
  }
}

CI_INLINE int32_t across(const int32_t *sums) {
  return sums[-3] + sums[-2] + sums[-1] + sums[0] + sums[1] + sums[2] + sums[3];
}

// The smaller eigenvalue of the gradients' second moments over a square of 7 x 7, times two.
CI_INLINE void response_row(const int32_t *restrict sums, size_t width, float *restrict row) {
  const int32_t *xx = sums, *yy = sums + width, *xy = sums + 2 * width;
  for (size_t x = margin; x + margin < width; x++) {
    const float a = (float)across(xx + x), c = (float)across(yy + x), b = (float)across(xy + x);
    const float difference = a - c;
    const float squares = difference * difference + 4.0f * b * b;
    row[x] = a + c - __builtin_elementwise_sqrt(squares);
  }
}

// Adds the responses of a row that are above the threshold and above all eight around them; of equal
// neighbours, the first one counts.
CI_INLINE size_t maxima_row(const float *above, const float *row, const float *below, size_t y,
                            size_t width, float threshold, uint8_t *marks, uint32_t *places,
                            float *responses, size_t count, size_t capacity) {
  uint8_t any = 0;
  for (size_t x = 1; x + 1 < width; x++) {
    const float r = row[x];
    const uint8_t mark =
        (uint8_t)((r > threshold) & (r > above[x - 1]) & (r > above[x]) & (r > above[x + 1]) &
                  (r > row[x - 1]) & (r >= row[x + 1]) & (r >= below[x - 1]) & (r >= below[x]) &
                  (r >= below[x + 1]));
    marks[x] = mark;
    any |= mark;
  }
  if (!any) return count;
  // The first mark, and those behind the last pixel but one, are never set.
  for (size_t first = 0; first < width; first += 8) {
    uint64_t eight;
    memcpy(&eight, marks + first, sizeof eight);
    if (eight == 0) continue;
    for (size_t x = first; x < first + 8; x++) {
      if (!marks[x] || count == capacity) continue;
      places[count] = (uint32_t)(y * width + x);
      responses[count++] = row[x];
    }
  }
  return count;
}

// Seven rows of products, their sums and three rows of responses are all that is kept.
CI_INLINE size_t corners(const uint8_t *luma, size_t width, size_t height, float threshold,
                         int32_t *scratch, uint32_t *places, float *responses, size_t capacity) {
  if (width < 2 * margin + 1 || height < 2 * margin + 1) return 0;
  int32_t *ring = scratch, *sums = scratch + 7 * 3 * width;
  float *rows = (float *)(scratch + 8 * 3 * width);
  uint8_t *marks = (uint8_t *)(scratch + 27 * width);
  memset(scratch, 0, sizeof *scratch * CI_CORNER_SCRATCH * width);
  size_t count = 0;
  for (size_t y = 1; y + 1 < height; y++) {
    slide(luma + (y - 1) * width, luma + y * width, luma + (y + 1) * width, width,
          ring + (y % 7) * 3 * width, sums);
    if (y < 7) continue;
    const size_t here = y - window;
    response_row(sums, width, rows + here % 3 * width);
    count = maxima_row(rows + (here + 1) % 3 * width, rows + (here + 2) % 3 * width,
                       rows + here % 3 * width, here - 1, width, threshold, marks, places,
                       responses, count, capacity);
  }
  const size_t last = height - 2 - window;
  memset(rows + (last + 1) % 3 * width, 0, sizeof *rows * width);
  return maxima_row(rows + (last + 2) % 3 * width, rows + last % 3 * width,
                    rows + (last + 1) % 3 * width, last, width, threshold, marks, places,
                    responses, count, capacity);
}

// ---- Nearest codes ----------------------------------------------------------------------------

#pragma clang diagnostic ignored "-Wpsabi"
typedef uint64_t Words __attribute__((vector_size(64)));

CI_INLINE Words load(const uint64_t *words) {
  Words loaded;
  memcpy(&loaded, words, sizeof loaded);
  return loaded;
}

// Distance in the high half and index in the low half of a lane, so that one minimum keeps both.
CI_INLINE void nearest(const uint64_t *queries, size_t query_count, const uint64_t *blocks,
                       size_t block_count, size_t code_count, uint32_t *best) {
  for (size_t q = 0; q < query_count; q++) {
    const uint64_t *query = queries + 4 * q;
    // A distance larger than any that two codes have.
    const uint64_t none = (uint64_t)0xffff << 32;
    Words first = {none, none, none, none, none, none, none, none};
    Words index = {0, 1, 2, 3, 4, 5, 6, 7};
    for (size_t b = 0; b < block_count; b++) {
      const uint64_t *block = blocks + b * CI_WORDS_PER_BLOCK;
      const Words distance = (__builtin_elementwise_popcount(load(block) ^ query[0]) +
                              __builtin_elementwise_popcount(load(block + 8) ^ query[1])) +
                             (__builtin_elementwise_popcount(load(block + 16) ^ query[2]) +
                              __builtin_elementwise_popcount(load(block + 24) ^ query[3]));
      Words found = distance << 32 | index;
      // The last block is filled up with codes that do not count.
      if ((b + 1) * CI_CODES_PER_BLOCK > code_count) {
        for (size_t c = 0; c < CI_CODES_PER_BLOCK; c++) {
          if (b * CI_CODES_PER_BLOCK + c >= code_count) found[c] = none;
        }
      }
      first = __builtin_elementwise_min(first, found);
      index += CI_CODES_PER_BLOCK;
    }
    const uint64_t least = __builtin_reduce_min(first);
    best[q] = (uint32_t)(least >> 32) << 16 | (uint32_t)(least & 0xffff);
  }
}

// ---- One function per instruction set -----------------------------------------------------------

#define LUMA_PARAMETERS const uint8_t *rgba, size_t count, uint8_t *luma
#define REDUCE_PARAMETERS const uint8_t *luma, size_t width, size_t height, uint8_t *out
#define BOX_PARAMETERS                                                                             \
  const uint8_t *luma, size_t width, size_t height, uint16_t *columns, uint16_t *out
#define CORNER_PARAMETERS                                                                          \
  const uint8_t *luma, size_t width, size_t height, float threshold, int32_t *scratch,             \
      uint32_t *places, float *responses, size_t capacity
#define NEAREST_PARAMETERS                                                                         \
  const uint64_t *queries, size_t query_count, const uint64_t *blocks, size_t block_count,         \
      size_t code_count, uint32_t *best

#define BODIES(target, name)                                                                       \
  target static void to_luma_##name(LUMA_PARAMETERS) { to_luma(rgba, count, luma); }                \
  target static void reduce_by_2_##name(REDUCE_PARAMETERS) {                                       \
    reduce_by_2(luma, width, height, out);                                                         \
  }                                                                                                \
  target static void reduce_by_3_2_##name(REDUCE_PARAMETERS) {                                     \
    reduce_by_3_2(luma, width, height, out);                                                       \
  }                                                                                                \
  target static void box_sums_##name(BOX_PARAMETERS) {                                             \
    box_sums(luma, width, height, columns, out);                                                   \
  }                                                                                                \
  target static size_t corners_##name(CORNER_PARAMETERS) {                                         \
    return corners(luma, width, height, threshold, scratch, places, responses, capacity);          \
  }                                                                                                \
  target static void nearest_##name(NEAREST_PARAMETERS) {                                          \
    nearest(queries, query_count, blocks, block_count, code_count, best);                          \
  }

CI_EVERY_LEVEL(BODIES)

void ci_luma(LUMA_PARAMETERS, uint32_t level) { CI_DISPATCH(to_luma, rgba, count, luma) }

void ci_reduce_by_2(REDUCE_PARAMETERS, uint32_t level) {
  CI_DISPATCH(reduce_by_2, luma, width, height, out)
}

void ci_reduce_by_3_2(REDUCE_PARAMETERS, uint32_t level) {
  CI_DISPATCH(reduce_by_3_2, luma, width, height, out)
}

void ci_box_sums(BOX_PARAMETERS, uint32_t level) {
  CI_DISPATCH(box_sums, luma, width, height, columns, out)
}

size_t ci_corners(CORNER_PARAMETERS, uint32_t level) {
  CI_DISPATCH(corners, luma, width, height, threshold, scratch, places, responses, capacity)
}

void ci_nearest_codes(NEAREST_PARAMETERS, uint32_t level) {
  CI_DISPATCH(nearest, queries, query_count, blocks, block_count, code_count, best)
}
