// The loops that look for places of codes in an image.

#include <math.h>
#include <string.h>

#include "CReading.h"

// Rounded alike on every processor.
#pragma STDC FP_CONTRACT OFF

void cr_gray(const uint8_t *rgba, size_t count, uint8_t *gray) {
  for (size_t i = 0; i < count; i++) {
    gray[i] = (uint8_t)((77u * rgba[4 * i] + 150u * rgba[4 * i + 1] + 29u * rgba[4 * i + 2]) >> 8);
  }
}

void cr_edges(const uint8_t *gray, size_t stride, size_t columns, size_t rows, cr_edge_sums *sums) {
  cr_edge_sums all = {0};
  for (size_t y = 0; y < rows; y++) {
    const uint8_t *const upper = gray + y * stride;
    const uint8_t *const lower = upper + stride;
    for (size_t x = 0; x < columns; x++) {
      // Both differences are taken diagonally around the same corner of four pixels. Differences
      // around two centers would favor one diagonal.
      const int16_t falling = (int16_t)(lower[x + 1] - upper[x]);
      const int16_t rising = (int16_t)(upper[x + 1] - lower[x]);
      const int16_t dx = (int16_t)(falling + rising), dy = (int16_t)(falling - rising);
      all.xx += dx * dx;
      all.yy += dy * dy;
      all.xy += dx * dy;
      all.sum_x += dx;
      all.sum_y += dy;
      all.size_x += dx < 0 ? -dx : dx;
      all.size_y += dy < 0 ? -dy : dy;
    }
  }
  *sums = all;
}

void cr_half(const uint8_t *gray, size_t width, size_t height, uint8_t *half) {
  for (size_t y = 0; y < height / 2; y++) {
    const uint8_t *const upper = gray + 2 * y * width;
    const uint8_t *const lower = upper + width;
    for (size_t x = 0; x < width / 2; x++) {
      *half++ = (uint8_t)((upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1] + 2) / 4);
    }
  }
}

void cr_dark(const uint8_t *gray, size_t count, int32_t mean, uint8_t *is_dark) {
  for (size_t x = 0; x < count; x++) is_dark[x] = gray[x] + 8 < mean;
}

static bool is_near(int32_t length, float modules, float module) {
  const float slack = modules * module * 0.5f;
  return fabsf((float)length - modules * module) < (slack > 1 ? slack : 1);
}

static bool is_finder(const int32_t lengths[5]) {
  // Most runs end here, before the divisions: an outer part that is longer than the middle one is too long below, too.
  if (lengths[2] < lengths[1] || lengths[2] < lengths[3] || lengths[2] < lengths[0] ||
      lengths[2] < lengths[4]) {
    return false;
  }
  const int32_t sum = lengths[0] + lengths[1] + lengths[2] + lengths[3] + lengths[4];
  if (sum < 7 || lengths[0] <= 0) return false;
  const float module = (float)sum / 7;
  return is_near(lengths[0], 1, module) && is_near(lengths[1], 1, module) &&
         is_near(lengths[2], 3, module) && is_near(lengths[3], 1, module) &&
         is_near(lengths[4], 1, module);
}

// Returns the first place from `place` on at which a line has another value than `value`, at most `count`.
static size_t run_end(const uint8_t *line, size_t step, size_t place, size_t count, uint8_t value) {
  if (step == 1) {
    const uint64_t all = value * UINT64_C(0x0101010101010101);
    for (uint64_t eight; place + 8 <= count; place += 8) {
      memcpy(&eight, line + place, 8);
      const uint64_t others = eight ^ all;
      if (others == 0) continue;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
      return place + (size_t)__builtin_ctzll(others) / 8;
#else
      return place + (size_t)__builtin_clzll(others) / 8;
#endif
    }
  }
  while (place < count && line[place * step] == value) place++;
  return place;
}

size_t cr_finder_runs(const uint8_t *line, size_t step, size_t count, cr_finder_run *runs,
                      size_t limit) {
  size_t found = 0;
  int32_t lengths[5] = {0};
  for (size_t place = 0; place < count;) {
    const uint8_t value = line[place * step];
    const size_t end = run_end(line, step, place + 1, count, value);
    for (size_t i = 0; i < 4; i++) lengths[i] = lengths[i + 1];
    lengths[4] = (int32_t)(end - place);
    if (value != 0 && found < limit && is_finder(lengths)) {
      const float tail = (float)(lengths[4] + lengths[3]) + (float)lengths[2] / 2;
      const int32_t sum = lengths[0] + lengths[1] + lengths[2] + lengths[3] + lengths[4];
      runs[found++] = (cr_finder_run){.center = (float)end - tail, .length = (float)sum};
    }
    place = end;
  }
  return found;
}

size_t cr_edge_count(const uint8_t *line, size_t count, int32_t step) {
  size_t edges = 0;
  bool rises = true;
  for (size_t i = 0, last = 0; i < count; i++) {
    const int32_t ahead = rises ? line[i] - line[last] : line[last] - line[i];
    if (ahead >= 0) {
      last = i;
    } else if (-ahead >= step) {
      edges++;
      rises = !rises;
      last = i;
    }
  }
  return edges;
}

static float clamped(float value, float most) {
  const float least = value > 0 ? value : 0;
  return least < most ? least : most;
}

void cr_part(const cr_gray_image *image, const cr_part_frame *frame, uint32_t width,
             uint32_t height, uint8_t *part) {
  const float last_x = (float)(image->width - 1), last_y = (float)(image->height - 1);
  for (uint32_t y = 0; y < height; y++) {
    const float down = (float)y + 0.5f;
    for (uint32_t x = 0; x < width; x++) {
      const float across = (float)x + 0.5f;
      const float column = clamped(
          frame->x + across * frame->across_x + down * frame->down_x - 0.5f, last_x);
      const float row = clamped(
          frame->y + across * frame->across_y + down * frame->down_y - 0.5f, last_y);
      const size_t left = (size_t)column, top = (size_t)row;
      const size_t right = left + 1 < image->width ? left + 1 : left;
      const size_t bottom = top + 1 < image->height ? top + 1 : top;
      const float fx = column - (float)left, fy = row - (float)top;
      const uint8_t *const high = image->gray + top * image->width;
      const uint8_t *const low = image->gray + bottom * image->width;
      const float upper = (float)high[left] * (1 - fx) + (float)high[right] * fx;
      const float lower = (float)low[left] * (1 - fx) + (float)low[right] * fx;
      part[(size_t)y * width + x] = (uint8_t)(upper * (1 - fy) + lower * fy);
    }
  }
}
