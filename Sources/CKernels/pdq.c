#include <string.h>

#include "kernel_level.h"

// A fused multiply and add would round once where the reference rounds twice.
#pragma STDC FP_CONTRACT OFF
#pragma clang diagnostic ignored "-Wpsabi"

enum { LANES = CK_PDQ_LANES };
typedef float Four __attribute__((vector_size(16)));
typedef float Lanes __attribute__((vector_size(4 * LANES)));

// ---- Brightness -------------------------------------------------------------------------------

// The weighted sum in thousandths is an exact integer below 2^24, so that the one division rounds
// correctly. For every one of the 2^24 colors, the result equals that of summing in double
// precision and rounding once.
CK_INLINE void pdq_luma(const uint8_t *restrict rgba, size_t count, float *restrict out) {
  for (size_t i = 0; i < count; i++) {
    uint32_t pixel;
    memcpy(&pixel, rgba + 4 * i, sizeof pixel);
    const float thousandths = 299 * (float)(int32_t)(pixel & 0xff) +
                              587 * (float)(int32_t)(pixel >> 8 & 0xff) +
                              114 * (float)(int32_t)(pixel >> 16 & 0xff);
    out[i] = thousandths / 1000;
  }
}

// ---- Along the rows ---------------------------------------------------------------------------
//
// Each step of a running sum depends on the previous one, so several rows are summed side by side,
// one per lane. For that, the pixels of a column are stored together.

// Transposes four rows of four to four columns of four.
CK_INLINE void transpose(const float *from, size_t from_stride, float *to, size_t to_stride) {
  Four a, b, c, d;
  memcpy(&a, from, sizeof a);
  memcpy(&b, from + from_stride, sizeof b);
  memcpy(&c, from + 2 * from_stride, sizeof c);
  memcpy(&d, from + 3 * from_stride, sizeof d);
  const Four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Four cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Four ba = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four dc = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const Four first = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
  const Four second = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  const Four third = __builtin_shufflevector(ba, dc, 0, 1, 4, 5);
  const Four fourth = __builtin_shufflevector(ba, dc, 2, 3, 6, 7);
  memcpy(to, &first, sizeof first);
  memcpy(to + to_stride, &second, sizeof second);
  memcpy(to + 2 * to_stride, &third, sizeof third);
  memcpy(to + 3 * to_stride, &fourth, sizeof fourth);
}

// Transposes planes of any size, in squares of four by four as far as possible.
CK_INLINE void transpose_plane(const float *from, size_t height, size_t width, float *to) {
  const size_t whole_height = height / 4 * 4, whole_width = width / 4 * 4;
  for (size_t x = 0; x < whole_width; x += 4) {
    for (size_t y = 0; y < whole_height; y += 4) {
      transpose(from + y * width + x, width, to + x * height + y, height);
    }
  }
  for (size_t y = 0; y < height; y++) {
    for (size_t x = y < whole_height ? whole_width : 0; x < width; x++) {
      to[x * height + y] = from[y * width + x];
    }
  }
}

CK_INLINE Lanes at(const float *columns, size_t x) {
  Lanes lanes;
  memcpy(&lanes, columns + x * LANES, sizeof lanes);
  return lanes;
}

CK_INLINE void put(Lanes lanes, float *columns, size_t x) {
  memcpy(columns + x * LANES, &lanes, sizeof lanes);
}

// Averages `window` neighbors, fewer at the ends. The order of the additions is that of the
// reference, because the last bit depends on it.
CK_INLINE void box(const float *columns, size_t width, size_t window, float *out) {
  const size_t lead = (window + 2) / 2 - 1;
  Lanes sum = {0};
  for (size_t x = 0; x < lead; x++) sum += at(columns, x);
  for (size_t x = lead; x < window; x++) {
    sum += at(columns, x);
    put(sum / (float)(x + 1), out, x - lead);
  }
  for (size_t x = window; x < width; x++) {
    sum += at(columns, x);
    sum -= at(columns, x - window);
    put(sum / (float)window, out, x - lead);
  }
  for (size_t step = 0; step < lead; step++) {
    sum -= at(columns, width - window + step);
    put(sum / (float)(window - step - 1), out, width - lead + step);
  }
}

CK_INLINE void pdq_box_rows(float *rows, size_t width, size_t window, float *scratch) {
  float *blurred = scratch + LANES * width;
  transpose_plane(rows, LANES, width, scratch);
  box(scratch, width, window, blurred);
  transpose_plane(blurred, width, LANES, rows);
}

CK_INLINE void pdq_box_rows_at(const float *rows, size_t width, size_t window,
                               const uint32_t *columns, size_t count, float *scratch, float *out) {
  float *blurred = scratch + LANES * width;
  transpose_plane(rows, LANES, width, scratch);
  box(scratch, width, window, blurred);
  for (size_t i = 0; i < count; i++) {
    const float *column = blurred + columns[i] * LANES;
    for (size_t lane = 0; lane < LANES; lane++) out[lane * count + i] = column[lane];
  }
}

// ---- Down the columns -------------------------------------------------------------------------

CK_INLINE void pdq_box_columns(const float *restrict row, size_t width, float window,
                               float *restrict oldest, float *restrict sums, float *restrict out) {
  for (size_t x = 0; x < width; x++) {
    float sum = sums[x] + row[x];
    sum -= oldest[x];
    oldest[x] = row[x];
    sums[x] = sum;
    out[x] = sum / window;
  }
}

// ---- Cosine transform -------------------------------------------------------------------------

enum { SIDE = 64, TERMS = CK_PDQ_TERMS };

// Every sum has the order of its index, because the last bit depends on it; sums side by side are independent.
CK_INLINE void pdq_terms(const float *plane, const float *cosines, float *terms) {
  float columns[SIDE * TERMS];
  transpose_plane(cosines, TERMS, SIDE, columns);
  for (size_t i = 0; i < TERMS; i++) {
    Lanes half[SIDE / LANES] = {0};
    for (size_t k = 0; k < SIDE; k++) {
      for (size_t x = 0; x < SIDE / LANES; x++) {
        half[x] += cosines[i * SIDE + k] * at(plane + k * SIDE, x);
      }
    }
    float row[SIDE];
    memcpy(row, half, sizeof row);
    Lanes sums = {0};
    for (size_t k = 0; k < SIDE; k++) sums += row[k] * at(columns, k);
    put(sums, terms, i);
  }
}

// ---- Quality ----------------------------------------------------------------------------------

CK_INLINE uint32_t step(float a, float b) {
  const int32_t step = (int32_t)((a - b) * 100 / 255);
  return (uint32_t)(step < 0 ? -step : step);
}

CK_INLINE uint32_t pdq_steps(const float *plane) {
  uint32_t sum = 0;
  for (size_t i = 0; i < SIDE * (SIDE - 1); i++) sum += step(plane[i], plane[i + SIDE]);
  for (size_t row = 0; row < SIDE; row++, plane += SIDE) {
    for (size_t i = 0; i + 1 < SIDE; i++) sum += step(plane[i], plane[i + 1]);
  }
  return sum;
}

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL(void, pdq_luma, (rgba, count, out), const uint8_t *rgba, size_t count, float *out)
CK_KERNEL(void, pdq_box_rows, (rows, width, window, scratch),
          float *rows, size_t width, size_t window, float *scratch)
CK_KERNEL(void, pdq_box_rows_at, (rows, width, window, columns, count, scratch, out),
          const float *rows, size_t width, size_t window, const uint32_t *columns, size_t count,
          float *scratch, float *out)
CK_KERNEL(void, pdq_box_columns, (row, width, window, oldest, sums, out),
          const float *row, size_t width, float window, float *oldest, float *sums, float *out)
CK_KERNEL(void, pdq_terms, (plane, cosines, terms),
          const float *plane, const float *cosines, float *terms)
CK_KERNEL(uint32_t, pdq_steps, (plane), const float *plane)
