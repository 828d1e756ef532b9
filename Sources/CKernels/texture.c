#include <string.h>

#include "kernel_level.h"

// The eight neighbors in order around the pixel.
CK_INLINE void classify(const uint8_t *above, const uint8_t *row, const uint8_t *below, size_t count,
                        uint8_t *classes) {
  for (size_t x = 0; x < count; x++) {
    const uint8_t n[8] = {above[x], above[x + 1], above[x + 2], row[x + 2],
                          below[x + 2], below[x + 1], below[x], row[x]};
    const uint8_t centre = row[x + 1];
    uint8_t brighter = 0, changes = 0, least = centre, most = centre;
    for (int i = 0; i < 8; i++) {
      const uint8_t here = n[i] >= centre, next = n[(i + 1) & 7] >= centre;
      brighter = (uint8_t)(brighter + here);
      changes = (uint8_t)(changes + (here ^ next));
      least = n[i] < least ? n[i] : least;
      most = n[i] > most ? n[i] : most;
    }
    const uint8_t class = changes <= 2 ? brighter : 9;
    classes[x] = (uint8_t)(most - least) < CK_TEXTURE_CONTRAST ? 10 : class;
  }
}

CK_INLINE void texture_counts(const uint8_t *luma, size_t width, size_t height, uint8_t *classes,
                              uint32_t *counts) {
  // Four tables, so that increments of the same class do not wait for each other.
  uint32_t tables[4][CK_TEXTURE_CLASSES];
  memset(tables, 0, sizeof tables);
  for (size_t y = 1; y + 1 < height; y++) {
    const uint8_t *row = luma + y * width;
    classify(row - width, row, row + width, width - 2, classes);
    for (size_t x = 0; x + 2 < width; x++) tables[x & 3][classes[x]]++;
  }
  for (int c = 0; c < CK_TEXTURE_CLASSES; c++) {
    counts[c] = tables[0][c] + tables[1][c] + tables[2][c] + tables[3][c];
  }
}

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL(void, texture_counts, (luma, width, height, classes, counts),
          const uint8_t *luma, size_t width, size_t height, uint8_t *classes, uint32_t *counts)
