// A worker's side of an image: decodes it as the program itself would.

#include <stdio.h>

#include "remote.h"

static ci_reader *open_image(const cw_request *request, const uint8_t *input, int32_t *status) {
  const uint32_t *const numbers = request->numbers;
  const ci_limits limits = {.memory_limit = request->memory_limit,
                            .keeps_damaged = numbers[5] != 0,
                            .white = (uint8_t)numbers[6]};
  const size_t count = request->input_count;
  switch (request->library) {
    case CW_WEBP:
      return ci_webp_open(input, count, numbers[0], numbers[1], numbers[2], limits, status);
    case CW_GIF: return ci_gif_open(input, count, numbers[0], numbers[1], limits, status);
    default:
      return ci_heif_open(input, count, numbers[0], numbers[1], numbers[3], numbers[4], limits,
                          status);
  }
}

static void say(cw_turn *turn, cw_answer answer, const ci_reader *reader) {
  if (reader != NULL) {
    (void)snprintf(answer.message, sizeof answer.message, "%s", ci_reader_message(reader));
  }
  cw_say(turn, &answer);
}

static void work(cw_turn *turn, const cw_request *request, const uint8_t *input, uint8_t *output) {
  int32_t status = CI_OK;
  ci_reader *const reader = open_image(request, input, &status);
  if (reader == NULL || status != CI_OK) {
    say(turn, (cw_answer){.status = status, .is_last = 1}, reader);
    ci_reader_close(reader);
    return;
  }
  const uint32_t width = ci_reader_width(reader), height = ci_reader_height(reader);
  say(turn, (cw_answer){.numbers = {width, height}}, reader);
  // libheif decodes on a thread that cannot be stopped, so its worker is killed.
  const bool is_stoppable = request->library == CW_WEBP || request->library == CW_GIF;
  do {
    status = ci_reader_prepare(reader);
  } while (status == CI_MORE && !(is_stoppable && cw_is_cancelled(turn)));
  uint32_t rows = 0;
  if (status == CI_OK || (status == CI_TRUNCATED && is_stoppable)) {
    (void)ci_reader_read_rows(reader, output, request->output_capacity, height, &rows);
  }
  // A job that was given up has no outcome.
  if (status == CI_MORE) status = CI_NO_MEMORY;
  say(turn,
      (cw_answer){.status = status,
                  .is_last = 1,
                  .numbers = {rows, ci_reader_is_damaged(reader)},
                  .output_count = (uint64_t)4 * width * rows},
      reader);
  ci_reader_close(reader);
}

static bool load(cw_library library) { return ci_library_load((ci_library)library); }

void ci_register_work(void) {
  for (cw_library library = CW_WEBP; library <= CW_GIF; library++) {
    cw_register(library, load, work);
  }
}
