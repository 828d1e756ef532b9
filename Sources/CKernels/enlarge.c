#include "kernel_level.h"

// Rounds a sum of bytes times weights that add up to CK_CUBIC_ONE.
CK_INLINE uint8_t cubic_byte(int32_t sum) {
  const int32_t value = (sum + CK_CUBIC_ONE / 2) >> CK_CUBIC_BITS;
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

CK_INLINE void cubic_row(const uint8_t *row, const ck_cubic_place *places, size_t width,
                         uint8_t *restrict out) {
  for (size_t x = 0; x < width; x++) {
    const ck_cubic_place place = places[x];
    const uint8_t *const a = row + 4 * place.sources[0], *const b = row + 4 * place.sources[1];
    const uint8_t *const c = row + 4 * place.sources[2], *const d = row + 4 * place.sources[3];
    for (size_t channel = 0; channel < 4; channel++) {
      out[4 * x + channel] =
          cubic_byte(a[channel] * place.weights[0] + b[channel] * place.weights[1] +
                     c[channel] * place.weights[2] + d[channel] * place.weights[3]);
    }
  }
}

CK_INLINE void cubic_rows(const uint8_t *rows, size_t count, const ck_cubic_place *place,
                          uint8_t *restrict out) {
  const uint8_t *const a = rows + count * place->sources[0], *const b = rows + count * place->sources[1];
  const uint8_t *const c = rows + count * place->sources[2], *const d = rows + count * place->sources[3];
  const int32_t of_a = place->weights[0], of_b = place->weights[1];
  const int32_t of_c = place->weights[2], of_d = place->weights[3];
  for (size_t i = 0; i < count; i++) {
    out[i] = cubic_byte(a[i] * of_a + b[i] * of_b + c[i] * of_c + d[i] * of_d);
  }
}

CK_KERNEL(void, cubic_row, (row, places, width, out), const uint8_t *row,
          const ck_cubic_place *places, size_t width, uint8_t *restrict out)
CK_KERNEL(void, cubic_rows, (rows, count, place, out), const uint8_t *rows, size_t count,
          const ck_cubic_place *place, uint8_t *restrict out)
