#include <string.h>

#include "kernel_level.h"

#pragma clang diagnostic ignored "-Wpsabi"

CK_INLINE void area_add_row(const uint8_t *restrict row, size_t count, uint32_t share,
                            uint32_t *restrict sums) {
  for (size_t i = 0; i < count; i++) sums[i] += row[i] * share;
}

// The four sums of a pixel, and the four sums of a column of the result.
typedef uint32_t Pixel __attribute__((vector_size(16)));
typedef uint64_t Sum __attribute__((vector_size(32)));
typedef int64_t Signed __attribute__((vector_size(32)));
typedef double Quotient __attribute__((vector_size(32)));
typedef uint8_t Bytes __attribute__((vector_size(4)));

CK_INLINE Sum pixel(const uint32_t *sums) {
  Pixel pixel;
  memcpy(&pixel, sums, sizeof pixel);
  return __builtin_convertvector(pixel, Sum);
}

CK_INLINE void area_finish_row(const uint32_t *sums, const ck_area_cut *cuts, size_t width,
                               uint64_t area, uint8_t *out) {
  Sum rest = {0};
  for (size_t x = 0; x < width; x++) {
    Sum whole = {0};
    for (uint32_t i = 0; i < cuts[x].whole; i++, sums += 4) whole += pixel(sums);
    const Sum last = pixel(sums);
    sums += 4;
    const Sum sum = whole * width + rest + last * cuts[x].share + area / 2;
    rest = last * (width - cuts[x].share);
    // Both are whole numbers below 2^52, so no quotient is rounded up to the next whole number.
    const Quotient quotient = __builtin_convertvector((Signed)sum, Quotient) / (double)area;
    const Bytes bytes = __builtin_convertvector(__builtin_convertvector(quotient, Pixel), Bytes);
    memcpy(out + 4 * x, &bytes, sizeof bytes);
  }
}

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL(void, area_add_row, (row, count, share, sums),
          const uint8_t *row, size_t count, uint32_t share, uint32_t *sums)
CK_KERNEL(void, area_finish_row, (sums, cuts, width, area, out),
          const uint32_t *sums, const ck_area_cut *cuts, size_t width, uint64_t area, uint8_t *out)
