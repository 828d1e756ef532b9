#include "reader.h"

#include <stdio.h>

uint32_t ci_reader_width(const ci_reader *reader) { return reader->width; }

uint32_t ci_reader_height(const ci_reader *reader) { return reader->height; }

const char *ci_reader_message(const ci_reader *reader) { return reader->message; }

bool ci_reader_is_damaged(const ci_reader *reader) { return reader->is_damaged; }

int32_t ci_reader_finish_opening(ci_reader *reader) {
  return reader->finish_opening == NULL ? CI_OK : reader->finish_opening(reader);
}

int32_t ci_reader_prepare(ci_reader *reader) { return reader->prepare(reader); }

int32_t ci_reader_read_rows(ci_reader *reader, uint8_t *rows, size_t capacity, uint32_t max_rows,
                            uint32_t *rows_read) {
  *rows_read = 0;
  const size_t row_bytes = (size_t)reader->width * 4;
  const size_t room = row_bytes == 0 ? 0 : capacity / row_bytes;
  const uint32_t rows_asked = room < max_rows ? (uint32_t)room : max_rows;
  return reader->read_rows(reader, rows, rows_asked, rows_read);
}

void ci_reader_close(ci_reader *reader) {
  if (reader != NULL) {
    reader->close(reader);
  }
}

int32_t ci_fail(ci_reader *reader, int32_t status, const char *message) {
  snprintf(reader->message, CI_MESSAGE_BYTES, "%s", message);
  return status;
}

void ci_flatten(const ci_reader *reader, uint8_t *rgba) {
  const uint32_t white = reader->white;
  for (uint32_t x = 0; x < reader->width; x++, rgba += 4) {
    const uint32_t alpha = rgba[3];
    if (alpha == 255) continue;
    for (int c = 0; c < 3; c++) {
      rgba[c] = (uint8_t)((rgba[c] * alpha + white * (255 - alpha) + 127) / 255);
    }
    rgba[3] = 255;
  }
}
