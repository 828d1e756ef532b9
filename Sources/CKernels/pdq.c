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

CK_INLINE Lanes at(const float *columns, size_t x) {
  Lanes lanes;
  memcpy(&lanes, columns + x * LANES, sizeof lanes);
  return lanes;
}

CK_INLINE void put(Lanes lanes, float *columns, size_t x) {
  memcpy(columns + x * LANES, &lanes, sizeof lanes);
}

// Joins four values from each of four rows. The rows are four apart.
CK_INLINE Lanes four_rows_at(const float *row, size_t width) {
  Four parts[4];
  for (size_t part = 0; part < 4; part++) memcpy(&parts[part], row + 4 * part * width, sizeof parts[part]);
  Lanes joined;
  memcpy(&joined, parts, sizeof joined);
  return joined;
}

// The inverse: puts the joined values back into the four rows.
CK_INLINE void put_four_rows(Lanes joined, float *row, size_t width) {
  Four parts[4];
  memcpy(parts, &joined, sizeof joined);
  for (size_t part = 0; part < 4; part++) memcpy(row + 4 * part * width, &parts[part], sizeof parts[part]);
}

// Transposes each square of four by four: four vectors have a row of all four squares each. Registers of any width
// hold whole rows of squares.
CK_INLINE void transpose_squares(Lanes rows[4]) {
#define FIRSTS(a, b) \
  __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define LASTS(a, b) \
  __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define LOWS(a, b) \
  __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define HIGHS(a, b) \
  __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
  const Lanes ab = FIRSTS(rows[0], rows[1]), cd = FIRSTS(rows[2], rows[3]);
  const Lanes ba = LASTS(rows[0], rows[1]), dc = LASTS(rows[2], rows[3]);
  rows[0] = LOWS(ab, cd);
  rows[1] = HIGHS(ab, cd);
  rows[2] = LOWS(ba, dc);
  rows[3] = HIGHS(ba, dc);
#undef FIRSTS
#undef LASTS
#undef LOWS
#undef HIGHS
}

// Stores the values of each column of LANES rows together.
CK_INLINE void columns_of_rows(const float *rows, size_t width, float *columns) {
  size_t x = 0;
  for (; x + 4 <= width; x += 4) {
    Lanes four[4];
    for (size_t i = 0; i < 4; i++) four[i] = four_rows_at(rows + i * width + x, width);
    transpose_squares(four);
    for (size_t i = 0; i < 4; i++) put(four[i], columns, x + i);
  }
  for (; x < width; x++) {
    for (size_t lane = 0; lane < LANES; lane++) columns[x * LANES + lane] = rows[lane * width + x];
  }
}

// The inverse of `columns_of_rows`.
CK_INLINE void rows_of_columns(const float *columns, size_t width, float *rows) {
  size_t x = 0;
  for (; x + 4 <= width; x += 4) {
    Lanes four[4];
    for (size_t i = 0; i < 4; i++) four[i] = at(columns, x + i);
    transpose_squares(four);
    for (size_t i = 0; i < 4; i++) put_four_rows(four[i], rows + i * width + x, width);
  }
  for (; x < width; x++) {
    for (size_t lane = 0; lane < LANES; lane++) rows[lane * width + x] = columns[x * LANES + lane];
  }
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
  columns_of_rows(rows, width, scratch);
  box(scratch, width, window, blurred);
  rows_of_columns(blurred, width, rows);
}

CK_INLINE void pdq_box_rows_at(const float *rows, size_t width, size_t window,
                               const uint32_t *columns, size_t count, float *scratch, float *out) {
  float *blurred = scratch + LANES * width;
  columns_of_rows(rows, width, scratch);
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

// Each sum is added up in the order of its index, because its last bit depends on the order. Several sums are computed
// side by side.
CK_INLINE void pdq_terms(const float *plane, const float *cosines, float *terms) {
  float columns[SIDE * TERMS];
  columns_of_rows(cosines, SIDE, columns);
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
