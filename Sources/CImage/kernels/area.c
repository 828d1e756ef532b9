#include "CImage.h"

#include <string.h>

#include "kernel_level.h"

#pragma clang diagnostic ignored "-Wpsabi"

CI_INLINE void add_row(const uint8_t *restrict row, size_t count, uint32_t share,
                       uint32_t *restrict sums) {
  for (size_t i = 0; i < count; i++) sums[i] += row[i] * share;
}

// A pixel's four sums, and those of a column of the result.
typedef uint32_t Pixel __attribute__((vector_size(16)));
typedef uint64_t Sum __attribute__((vector_size(32)));
typedef int64_t Signed __attribute__((vector_size(32)));
typedef double Quotient __attribute__((vector_size(32)));
typedef uint8_t Bytes __attribute__((vector_size(4)));

CI_INLINE Sum pixel(const uint32_t *sums) {
  Pixel pixel;
  memcpy(&pixel, sums, sizeof pixel);
  return __builtin_convertvector(pixel, Sum);
}

CI_INLINE void finish_row(const uint32_t *sums, const ci_area_cut *cuts, size_t width, uint64_t area,
                          uint8_t *out) {
  Sum rest = {0};
  for (size_t x = 0; x < width; x++) {
    Sum whole = {0};
    for (uint32_t i = 0; i < cuts[x].whole; i++, sums += 4) whole += pixel(sums);
    const Sum last = pixel(sums);
    sums += 4;
    const Sum sum = whole * width + rest + last * cuts[x].share + area / 2;
    rest = last * (width - cuts[x].share);
    // Both are whole numbers below 2^52, so that no quotient is rounded up to the next whole one.
    const Quotient quotient = __builtin_convertvector((Signed)sum, Quotient) / (double)area;
    const Bytes bytes = __builtin_convertvector(__builtin_convertvector(quotient, Pixel), Bytes);
    memcpy(out + 4 * x, &bytes, sizeof bytes);
  }
}

// ---- One function per instruction set ---------------------------------------------------------

#define ADD_PARAMETERS const uint8_t *row, size_t count, uint32_t share, uint32_t *sums
#define FINISH_PARAMETERS                                                                          \
  const uint32_t *sums, const ci_area_cut *cuts, size_t width, uint64_t area, uint8_t *out

#define BODIES(target, name)                                                                       \
  target static void add_row_##name(ADD_PARAMETERS) { add_row(row, count, share, sums); }           \
  target static void finish_row_##name(FINISH_PARAMETERS) {                                         \
    finish_row(sums, cuts, width, area, out);                                                       \
  }
CI_EVERY_LEVEL(BODIES)

void ci_area_add_row(ADD_PARAMETERS, uint32_t level) {
  CI_DISPATCH(add_row, row, count, share, sums)
}
void ci_area_finish_row(FINISH_PARAMETERS, uint32_t level) {
  CI_DISPATCH(finish_row, sums, cuts, width, area, out)
}
