#include "found_codes.h"

#include <stdlib.h>
#include <string.h>

// A code begins with these four numbers; its places follow, and its bytes up to a multiple of four.
enum { NUMBERS = 4, CODE_LIMIT = 1024 };

static size_t padded(size_t count) { return (count + 3) / 4 * 4; }

size_t cr_found_write(cr_codes *codes, uint8_t *bytes, size_t capacity) {
  size_t written = 0;
  while (cr_codes_next(codes)) {
    size_t byte_count = 0;
    const uint8_t *const value = cr_codes_bytes(codes, &byte_count);
    const uint32_t places = cr_codes_place_count(codes);
    const size_t place_bytes = (size_t)places * 2 * sizeof(int32_t);
    const size_t size = NUMBERS * sizeof(uint32_t) + place_bytes + padded(byte_count);
    if (value == NULL || byte_count > capacity || size > capacity - written) continue;
    const int32_t numbers[NUMBERS] = {cr_codes_kind(codes), cr_codes_quality(codes),
                                      (int32_t)places, (int32_t)byte_count};
    memcpy(bytes + written, numbers, sizeof numbers);
    uint8_t *place = bytes + written + sizeof numbers;
    for (uint32_t i = 0; i < places; i++, place += 2 * sizeof(int32_t)) {
      int32_t xy[2];
      cr_codes_place(codes, i, &xy[0], &xy[1]);
      memcpy(place, xy, sizeof xy);
    }
    memcpy(place, value, byte_count);
    written += size;
  }
  return written;
}

// Reads the code at a place, and returns the place behind it, or 0 if it makes no sense.
static size_t read_code(const uint8_t *bytes, size_t count, size_t place, cr_found_code *code) {
  uint32_t numbers[NUMBERS];
  if (count - place < sizeof numbers) return 0;
  memcpy(numbers, bytes + place, sizeof numbers);
  place += sizeof numbers;
  const size_t rest = count - place;
  if (numbers[2] > rest / (2 * sizeof(int32_t))) return 0;
  const size_t place_bytes = (size_t)numbers[2] * 2 * sizeof(int32_t);
  if (padded(numbers[3]) > rest - place_bytes) return 0;
  *code = (cr_found_code){.kind = (int32_t)numbers[0],
                          .quality = (int32_t)numbers[1],
                          .place_count = numbers[2],
                          .byte_count = numbers[3],
                          // Every part has a multiple of four bytes, so numbers are aligned.
                          .places = (const int32_t *)(const void *)(bytes + place),
                          .bytes = bytes + place + place_bytes};
  return place + place_bytes + padded(numbers[3]);
}

bool cr_found_read(cr_found *found, const uint8_t *bytes, size_t count) {
  found->memory = malloc(count + 1);
  found->codes = calloc(CODE_LIMIT, sizeof *found->codes);
  if (found->memory == NULL || found->codes == NULL) return false;
  // Copied before it is read, since the worker may still change it.
  memcpy(found->memory, bytes, count);
  size_t place = 0;
  while (place < count && found->count < CODE_LIMIT) {
    place = read_code(found->memory, count, place, &found->codes[found->count]);
    if (place == 0) {
      found->count = 0;
      return false;
    }
    found->count++;
  }
  return true;
}

void cr_found_free(cr_found *found) {
  free(found->codes);
  free(found->memory);
}
