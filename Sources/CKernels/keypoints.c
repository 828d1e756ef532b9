#include <stdbool.h>
#include <string.h>

#include "kernel_level.h"

#pragma clang diagnostic ignored "-Wpsabi"

// A fused multiply and add would round once where other processors round twice.
#pragma STDC FP_CONTRACT OFF

// ---- Planes -----------------------------------------------------------------------------------

CK_INLINE void luma(const uint8_t *restrict rgba, size_t count, uint8_t *restrict out) {
  for (size_t i = 0; i < count; i++) {
    uint32_t pixel;
    memcpy(&pixel, rgba + 4 * i, sizeof pixel);
    out[i] = (uint8_t)((77 * (pixel & 0xff) + 150 * (pixel >> 8 & 0xff) + 29 * (pixel >> 16 & 0xff) + 128) >> 8);
  }
}

// Adds two neighboring bytes. The result does not depend on the order of bytes in a word.
CK_INLINE uint32_t pair_at(const uint8_t *pixels) {
  uint16_t pair;
  memcpy(&pair, pixels, sizeof pair);
  return (pair & 0xffu) + (pair >> 8);
}

// Computes 16 pixels at a time. Rows are short, so wider steps would leave many pixels to be
// computed one by one.
#define BY_16 _Pragma("clang loop vectorize_width(16) interleave_count(1)")
#define BY_8 _Pragma("clang loop vectorize_width(8) interleave_count(1)")

CK_INLINE void reduce_by_2(const uint8_t *restrict luma, size_t width, size_t height,
                           uint8_t *restrict out) {
  for (size_t y = 0; y < height / 2; y++, out += width / 2) {
    const uint8_t *upper = luma + 2 * y * width, *lower = upper + width;
    BY_16 for (size_t x = 0; x < width / 2; x++) {
      out[x] = (uint8_t)((pair_at(upper + 2 * x) + pair_at(lower + 2 * x) + 2) >> 2);
    }
  }
}

// Reduces three columns to two: each result covers one outer column and half of the middle column.
CK_INLINE uint8_t *reduce_row_by_3_2(const uint8_t *whole, const uint8_t *half, size_t width,
                                     uint8_t *out) {
  BY_8 for (size_t x = 0; x < width / 3; x++, whole += 3, half += 3) {
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

// The number of pixels that are summed at a time. A shorter row is summed pixel by pixel.
enum { SUMS = 16 };
typedef uint16_t BoxSums __attribute__((vector_size(2 * SUMS)));

CK_INLINE BoxSums bytes_at(const uint8_t *row) {
  uint8_t bytes __attribute__((vector_size(SUMS)));
  memcpy(&bytes, row, sizeof bytes);
  return __builtin_convertvector(bytes, BoxSums);
}

CK_INLINE BoxSums box_sums_at(const uint16_t *row) {
  BoxSums sums;
  memcpy(&sums, row, sizeof sums);
  return sums;
}

// Sums five rows.
CK_INLINE void sum_rows(const uint8_t *const rows[5], size_t width, uint16_t *sums) {
  if (width < SUMS) {
    for (size_t x = 0; x < width; x++) {
      sums[x] = (uint16_t)(rows[0][x] + rows[1][x] + rows[2][x] + rows[3][x] + rows[4][x]);
    }
    return;
  }
  for (size_t next = 0; next < width; next += SUMS) {
    // The last block overlaps the one before.
    const size_t x = next + SUMS <= width ? next : width - SUMS;
    const BoxSums sum = bytes_at(rows[0] + x) + bytes_at(rows[1] + x) + bytes_at(rows[2] + x) +
                        bytes_at(rows[3] + x) + bytes_at(rows[4] + x);
    memcpy(sums + x, &sum, sizeof sum);
  }
}

// Sums five neighbors each.
CK_INLINE void sum_columns(const uint16_t *columns, size_t width, uint16_t *sums) {
  if (width < SUMS) {
    for (size_t x = 0; x < width; x++, columns++) {
      sums[x] = (uint16_t)(columns[0] + columns[1] + columns[2] + columns[3] + columns[4]);
    }
    return;
  }
  for (size_t next = 0; next < width; next += SUMS) {
    const size_t x = next + SUMS <= width ? next : width - SUMS;
    const BoxSums sum = box_sums_at(columns + x) + box_sums_at(columns + x + 1) + box_sums_at(columns + x + 2) +
                        box_sums_at(columns + x + 3) + box_sums_at(columns + x + 4);
    memcpy(sums + x, &sum, sizeof sum);
  }
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
    sum_rows(rows, width, sums);
    for (int d = 1; d <= radius; d++) {
      columns[radius - d] = sums[0];
      sums[width - 1 + (size_t)d] = sums[width - 1];
    }
    sum_columns(columns, width, out);
    out += width;
  }
}

// ---- Corners ----------------------------------------------------------------------------------

// The radius of the window, and one more pixel for the gradient.
enum { window = 3, margin = window + 1 };

// Rows are computed in blocks, so that no pixel is left over. Pixels are added in pairs, because processors multiply
// neighbors and add the products in one instruction.
enum { BLOCK = 16, PAIRS = BLOCK / 2 };
typedef uint8_t Bytes __attribute__((vector_size(BLOCK)));
typedef int16_t Gradients __attribute__((vector_size(2 * BLOCK)));
typedef int32_t Sums __attribute__((ext_vector_type(PAIRS)));
typedef float Responses __attribute__((ext_vector_type(PAIRS)));
typedef bool Marks __attribute__((ext_vector_type(PAIRS)));

CK_INLINE Gradients pixels_at(const uint8_t *row) {
  Bytes bytes;
  memcpy(&bytes, row, sizeof bytes);
  return __builtin_convertvector(bytes, Gradients);
}

CK_INLINE Gradients gradients_at(const int16_t *row) {
  Gradients gradients;
  memcpy(&gradients, row, sizeof gradients);
  return gradients;
}

CK_INLINE Sums sums_at(const int32_t *row) {
  Sums sums;
  memcpy(&sums, row, sizeof sums);
  return sums;
}

CK_INLINE Responses responses_at(const float *row) {
  Responses responses;
  memcpy(&responses, row, sizeof responses);
  return responses;
}

// The scratch space. A row has room for a block before its first pixel and after its last one.
typedef struct {
  // The length of a row, rounded up to a multiple of BLOCK.
  size_t length;
  // The pixels of three rows.
  uint8_t *pixels[3];
  // For each column of three pixels in one row: its brightness, with the middle pixel counted
  // twice, and its step from top to bottom.
  int16_t *columns, *steps;
  // The gradients across and down in seven rows.
  int16_t *across[7], *down[7];
  // The sums over seven rows of the products xx, yy and xy: of both pixels of each pair, and of the
  // first pixel alone.
  int32_t *pairs[3], *firsts[3];
  // The responses of three rows.
  float *responses[3];
  // One bit for each pixel of a row, set if it is a corner.
  uint8_t *marks;
} CornerRows;

CK_INLINE CornerRows corner_rows(int32_t *scratch, size_t width) {
  CornerRows rows = {.length = (width + BLOCK - 1) / BLOCK * BLOCK};
  const size_t stride = rows.length + 2 * BLOCK;
  memset(scratch, 0, sizeof *scratch * CK_CORNER_SCRATCH * (width + CK_CORNER_PADDING));
  int32_t *const sums = scratch + PAIRS;
  for (size_t i = 0; i < 3; i++) {
    rows.pairs[i] = sums + i * stride;
    rows.firsts[i] = sums + i * stride + stride / 2;
  }
  float *const responses = (float *)(scratch + 3 * stride) + BLOCK;
  int16_t *const gradients = (int16_t *)(scratch + 6 * stride) + BLOCK;
  for (size_t i = 0; i < 7; i++) {
    rows.across[i] = gradients + 2 * i * stride;
    rows.down[i] = gradients + (2 * i + 1) * stride;
  }
  rows.columns = gradients + 14 * stride;
  rows.steps = gradients + 15 * stride;
  uint8_t *const bytes = (uint8_t *)(scratch + 14 * stride) + BLOCK;
  for (size_t i = 0; i < 3; i++) {
    rows.responses[i] = responses + i * stride;
    rows.pixels[i] = bytes + i * stride;
  }
  rows.marks = bytes + 3 * stride;
  return rows;
}

// Multiplies gradients and adds the two products of each pair.
CK_INLINE Sums products(Gradients a, Gradients b) {
#define EVEN(v) __builtin_convertvector(__builtin_shufflevector(v, v, 0, 2, 4, 6, 8, 10, 12, 14), Sums)
#define ODD(v) __builtin_convertvector(__builtin_shufflevector(v, v, 1, 3, 5, 7, 9, 11, 13, 15), Sums)
  return EVEN(a) * EVEN(b) + ODD(a) * ODD(b);
#undef EVEN
#undef ODD
}

// Returns the first gradient of each pair.
CK_INLINE Sums first_of(Gradients gradients) { return ((Sums)gradients << 16) >> 16; }

CK_INLINE void add(Sums change, int32_t *place) {
  const Sums sums = sums_at(place) + change;
  memcpy(place, &sums, sizeof sums);
}

// Adds the gradients of a row to the sums and removes those of the row seven rows above. The values of the first and
// the last column are not gradients, but no window that is used includes them.
CK_INLINE void slide(const CornerRows *rows, size_t y) {
  const uint8_t *above = rows->pixels[(y + 2) % 3], *row = rows->pixels[y % 3],
                *below = rows->pixels[(y + 1) % 3];
  for (size_t x = 0; x < rows->length; x += BLOCK) {
    const Gradients top = pixels_at(above + x), bottom = pixels_at(below + x);
    const Gradients column = top + 2 * pixels_at(row + x) + bottom, step = bottom - top;
    memcpy(rows->columns + x, &column, sizeof column);
    memcpy(rows->steps + x, &step, sizeof step);
  }
  int16_t *across = rows->across[y % 7], *down = rows->down[y % 7];
  for (size_t x = 0; x < rows->length; x += BLOCK) {
    const int16_t *columns = rows->columns + x, *steps = rows->steps + x;
    const Gradients gx = (gradients_at(columns + 1) - gradients_at(columns - 1)) >> 2;
    const Gradients gy =
        (gradients_at(steps - 1) + 2 * gradients_at(steps) + gradients_at(steps + 1)) >> 2;
    const Gradients old_gx = gradients_at(across + x), old_gy = gradients_at(down + x);
    add(products(gx, gx) - products(old_gx, old_gx), rows->pairs[0] + x / 2);
    add(products(gy, gy) - products(old_gy, old_gy), rows->pairs[1] + x / 2);
    add(products(gx, gy) - products(old_gx, old_gy), rows->pairs[2] + x / 2);
    const Sums x_here = first_of(gx), y_here = first_of(gy), x_then = first_of(old_gx), y_then = first_of(old_gy);
    add(x_here * x_here - x_then * x_then, rows->firsts[0] + x / 2);
    add(y_here * y_here - y_then * y_then, rows->firsts[1] + x / 2);
    add(x_here * y_here - x_then * y_then, rows->firsts[2] + x / 2);
    memcpy(across + x, &gx, sizeof gx);
    memcpy(down + x, &gy, sizeof gy);
  }
}

// Computes twice the smaller eigenvalue of the second moments.
CK_INLINE Responses response(Sums xx, Sums yy, Sums xy) {
  const Responses a = __builtin_convertvector(xx, Responses), c = __builtin_convertvector(yy, Responses),
                  b = __builtin_convertvector(xy, Responses);
  const Responses difference = a - c;
  const Responses squares = difference * difference + 4.0f * b * b;
  return a + c - __builtin_elementwise_sqrt(squares);
}

// Computes the responses of a row from the sums over squares of 7 x 7 pixels. Seven columns are three pairs and one
// more pixel. If the middle is the first pixel of its pair, this is the second pixel of the pair before; otherwise it
// is the first pixel of the pair after.
CK_INLINE void response_row(const CornerRows *rows, size_t width, float *row) {
  for (size_t x = 0; x < rows->length; x += BLOCK) {
    Sums even[3], odd[3];
    for (int i = 0; i < 3; i++) {
      const int32_t *pairs = rows->pairs[i] + x / 2, *firsts = rows->firsts[i] + x / 2;
      const Sums three = sums_at(pairs - 1) + sums_at(pairs) + sums_at(pairs + 1);
      even[i] = three + (sums_at(pairs - 2) - sums_at(firsts - 2));
      odd[i] = three + sums_at(firsts + 2);
    }
    const Responses evens = response(even[0], even[1], even[2]);
    const Responses odds = response(odd[0], odd[1], odd[2]);
    const Responses left = __builtin_shufflevector(evens, odds, 0, 8, 1, 9, 2, 10, 3, 11);
    const Responses right = __builtin_shufflevector(evens, odds, 4, 12, 5, 13, 6, 14, 7, 15);
    memcpy(row + x, &left, sizeof left);
    memcpy(row + x + PAIRS, &right, sizeof right);
  }
  memset(row, 0, margin * sizeof *row);
  memset(row + width - margin, 0, (rows->length - width + margin) * sizeof *row);
}

CK_INLINE Responses most(Responses a, Responses b) { return a > b ? a : b; }

// Adds the responses of a row that exceed the threshold and all eight neighbors; of equal
// neighbors, the first one counts.
CK_INLINE size_t maxima_row(const CornerRows *rows, size_t y, size_t width, float threshold,
                            uint32_t *places, float *responses, size_t count, size_t capacity) {
  const float *above = rows->responses[(y + 2) % 3], *row = rows->responses[y % 3],
              *below = rows->responses[(y + 1) % 3];
  const Responses least = threshold + (Responses){0};
  for (size_t x = 0; x < rows->length; x += PAIRS) {
    const Responses r = responses_at(row + x);
    const Responses earlier =
        most(most(most(least, responses_at(above + x - 1)), most(responses_at(above + x), responses_at(above + x + 1))),
             responses_at(row + x - 1));
    const Responses later = most(most(responses_at(row + x + 1), responses_at(below + x - 1)),
                                 most(responses_at(below + x), responses_at(below + x + 1)));
    const Marks marks = __builtin_convertvector((r > earlier) & (r >= later), Marks);
    memcpy(rows->marks + x / 8, &marks, 1);
  }
  for (size_t first = 0; first < rows->length; first += 64) {
    uint64_t marks;
    memcpy(&marks, rows->marks + first / 8, sizeof marks);
    for (; marks != 0 && count < capacity; marks &= marks - 1) {
      const size_t x = first + (size_t)__builtin_ctzll(marks);
      places[count] = (uint32_t)(y * width + x);
      responses[count++] = row[x];
    }
  }
  return count;
}

// Keeps only seven rows of gradients, their sums and three rows of responses.
CK_INLINE size_t corners(const uint8_t *luma, size_t width, size_t height, float threshold,
                         int32_t *scratch, uint32_t *places, float *responses, size_t capacity) {
  if (width < 2 * margin + 1 || height < 2 * margin + 1) return 0;
  const CornerRows rows = corner_rows(scratch, width);
  memcpy(rows.pixels[0], luma, width);
  memcpy(rows.pixels[1], luma + width, width);
  size_t count = 0;
  for (size_t y = 1; y + 1 < height; y++) {
    memcpy(rows.pixels[(y + 1) % 3], luma + (y + 1) * width, width);
    slide(&rows, y);
    if (y < 7) continue;
    const size_t here = y - window;
    response_row(&rows, width, rows.responses[here % 3]);
    count = maxima_row(&rows, here - 1, width, threshold, places, responses, count, capacity);
  }
  const size_t last = height - 2 - window;
  memset(rows.responses[(last + 1) % 3], 0, sizeof(float) * width);
  return maxima_row(&rows, last, width, threshold, places, responses, count, capacity);
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
