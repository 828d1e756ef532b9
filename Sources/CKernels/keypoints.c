#include <string.h>

#include "kernel_level.h"

// A fused multiply and add would round once where other processors round twice.
#pragma STDC FP_CONTRACT OFF

// ---- Planes -----------------------------------------------------------------------------------

CK_INLINE void luma(const uint8_t *restrict rgba, size_t count, uint8_t *restrict out) {
  for (size_t i = 0; i < count; i++) {
    const uint8_t *p = rgba + 4 * i;
    out[i] = (uint8_t)((77u * p[0] + 150u * p[1] + 29u * p[2] + 128u) >> 8);
  }
}

CK_INLINE void reduce_by_2(const uint8_t *restrict luma, size_t width, size_t height,
                           uint8_t *restrict out) {
  for (size_t y = 0; y < height / 2; y++) {
    const uint8_t *upper = luma + 2 * y * width, *lower = upper + width;
    for (size_t x = 0; x < width / 2; x++) {
      *out++ = (uint8_t)((upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1] + 2) >> 2);
    }
  }
}

// Reduces three columns to two, each of one whole column and half of the middle one.
CK_INLINE uint8_t *reduce_row_by_3_2(const uint8_t *whole, const uint8_t *half, size_t width,
                                     uint8_t *out) {
  for (size_t x = 0; x < width / 3; x++, whole += 3, half += 3) {
    const uint32_t a = 2u * whole[0] + half[0], b = 2u * whole[1] + half[1],
                   c = 2u * whole[2] + half[2];
    *out++ = (uint8_t)((2 * a + b + 4) / 9);
    *out++ = (uint8_t)((b + 2 * c + 4) / 9);
  }
  return out;
}

CK_INLINE void reduce_by_3_2(const uint8_t *restrict luma, size_t width, size_t height,
                             uint8_t *restrict out) {
  for (size_t y = 0; y < height / 3; y++) {
    const uint8_t *first = luma + 3 * y * width, *second = first + width, *third = second + width;
    out = reduce_row_by_3_2(first, second, width, out);
    out = reduce_row_by_3_2(third, second, width, out);
  }
}

// ---- Sums over a square -----------------------------------------------------------------------

CK_INLINE size_t clamped(ptrdiff_t place, size_t count) {
  return place < 0 ? 0 : place >= (ptrdiff_t)count ? count - 1 : (size_t)place;
}

CK_INLINE void box_sums(const uint8_t *luma, size_t width, size_t height, uint16_t *columns,
                        uint16_t *out) {
  enum { radius = CK_BOX_RADIUS };
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

// The radius of the window, and one more pixel for the gradient.
enum { window = 3, margin = window + 1 };

// Adds the gradients of one row to the sums, in place of those seven rows above it.
CK_INLINE void slide(const uint8_t *restrict above, const uint8_t *restrict row,
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

CK_INLINE int32_t across(const int32_t *sums) {
  return sums[-3] + sums[-2] + sums[-1] + sums[0] + sums[1] + sums[2] + sums[3];
}

// Computes twice the smaller eigenvalue of the gradients' second moments over a square of 7 x 7.
CK_INLINE void response_row(const int32_t *restrict sums, size_t width, float *restrict row) {
  const int32_t *xx = sums, *yy = sums + width, *xy = sums + 2 * width;
  for (size_t x = margin; x + margin < width; x++) {
    const float a = (float)across(xx + x), c = (float)across(yy + x), b = (float)across(xy + x);
    const float difference = a - c;
    const float squares = difference * difference + 4.0f * b * b;
    row[x] = a + c - __builtin_elementwise_sqrt(squares);
  }
}

// Adds the responses of a row that exceed the threshold and all eight neighbors; of equal
// neighbors, the first one counts.
CK_INLINE size_t maxima_row(const float *above, const float *row, const float *below, size_t y,
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
  // The first mark and those after the second to last pixel are never set.
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

// Keeps only seven rows of products, their sums and three rows of responses.
CK_INLINE size_t corners(const uint8_t *luma, size_t width, size_t height, float threshold,
                         int32_t *scratch, uint32_t *places, float *responses, size_t capacity) {
  if (width < 2 * margin + 1 || height < 2 * margin + 1) return 0;
  int32_t *ring = scratch, *sums = scratch + 7 * 3 * width;
  float *rows = (float *)(scratch + 8 * 3 * width);
  uint8_t *marks = (uint8_t *)(scratch + 27 * width);
  memset(scratch, 0, sizeof *scratch * CK_CORNER_SCRATCH * width);
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

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL(void, luma, (rgba, count, out), const uint8_t *rgba, size_t count, uint8_t *out)
CK_KERNEL(void, reduce_by_2, (luma, width, height, out),
          const uint8_t *luma, size_t width, size_t height, uint8_t *out)
CK_KERNEL(void, reduce_by_3_2, (luma, width, height, out),
          const uint8_t *luma, size_t width, size_t height, uint8_t *out)
CK_KERNEL(void, box_sums, (luma, width, height, columns, out),
          const uint8_t *luma, size_t width, size_t height, uint16_t *columns, uint16_t *out)
CK_KERNEL(size_t, corners,
          (luma, width, height, threshold, scratch, places, responses, capacity),
          const uint8_t *luma, size_t width, size_t height, float threshold, int32_t *scratch,
          uint32_t *places, float *responses, size_t capacity)
