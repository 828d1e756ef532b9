// libjpeg as a pull reader. Every function that calls the library sets the jump target itself, so
// that an error returns to a frame in this file.

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include <jerror.h>

#include "reader.h"

typedef struct {
  ci_reader base;
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  jmp_buf jump;
  const uint8_t *bytes;
  size_t count;
  size_t given;  // the number of bytes that libjpeg got
  ci_limits limits;
  uint8_t *cmyk_row;
  int32_t failure;  // the status of the error that jumped or of the first warning
  uint32_t components_seen;  // a bit for each component that a scan had
  bool has_ended;            // whether libjpeg asked for more bytes than there are
  bool has_ended_twice;
  bool is_created;
  bool is_started;
  bool is_ready;
  bool is_inverted;
} jpeg_reader;

static jpeg_reader *reader_of(j_common_ptr info) { return info->client_data; }

static int32_t status_of(int code) {
  switch (code) {
  case JERR_OUT_OF_MEMORY:
    return CI_NO_MEMORY;
  case JERR_NO_BACKING_STORE:
  case JERR_IMAGE_TOO_BIG:
  case JERR_WIDTH_OVERFLOW:
    return CI_TOO_LARGE;
  case JERR_INPUT_EMPTY:
  case JERR_INPUT_EOF:
    return CI_TRUNCATED;
  case JERR_SOF_UNSUPPORTED:
  case JERR_BAD_PRECISION:
  case JERR_ARITH_NOTIMPL:
  case JERR_NOT_COMPILED:
  case JERR_CONVERSION_NOTIMPL:
    return CI_UNSUPPORTED;
  default:
    return CI_CORRUPT;
  }
}

static int32_t fail_truncated(jpeg_reader *reader) {
  return reader->failure =
             ci_fail(&reader->base, CI_TRUNCATED, "the bytes end before the image does");
}

// The bytes that libjpeg reads after the last one: the end marker, which is all that some files lack. Whether
// pixels are missing, too, shows when they are decoded: a Huffman decoder then warns that it met a
// marker. An arithmetic decoder does not, and takes as many zeros as it needs; it gets them
// here, to be counted.
enum { ZERO_COUNT = 62 };
static const uint8_t bytes_after_end[ZERO_COUNT + 2] = {
    [ZERO_COUNT] = 0xFF, [ZERO_COUNT + 1] = JPEG_EOI};

// The number of bytes that an arithmetic decoder may read ahead: those of its register, and the zeros that
// encoders leave out at the end of a scan (ITU-T T.81, D.1.8). Of 132 files of cjpeg without their end marker, 130
// take at most four, most of them two; with 20 bytes less, all take at least eight.
enum { ARITHMETIC_AHEAD = 4 };

static boolean read_after_end(j_decompress_ptr info) {
  jpeg_reader *reader = reader_of((j_common_ptr)info);
  if (reader->has_ended) reader->has_ended_twice = true;
  reader->has_ended = true;
  const size_t skipped = info->arith_code ? 0 : ZERO_COUNT;
  info->src->next_input_byte = bytes_after_end + skipped;
  info->src->bytes_in_buffer = sizeof bytes_after_end - skipped;
  return TRUE;
}

// Gives libjpeg the next bytes of the file.
static boolean read_piece(j_decompress_ptr info) {
  jpeg_reader *reader = reader_of((j_common_ptr)info);
  const size_t left = reader->count - reader->given;
  if (left == 0) return read_after_end(info);
  if (reader->given > 0 && reader->limits.should_stop(reader->limits.asker)) {
    reader->failure = CI_STOPPED;
    longjmp(reader->jump, 1);
  }
  info->src->next_input_byte = reader->bytes + reader->given;
  info->src->bytes_in_buffer = left < CI_BYTES_A_QUESTION ? left : CI_BYTES_A_QUESTION;
  reader->given += info->src->bytes_in_buffer;
  return TRUE;
}

// Drops the last byte of the file if it was not read.
static void drop_last_byte(jpeg_reader *reader) {
  struct jpeg_source_mgr *source = reader->info.src;
  if (reader->given < reader->count) {
    reader->count--;
  } else if (source->bytes_in_buffer > 0) {
    source->bytes_in_buffer--;
  }
}

// Notices whether an arithmetic decoder needed bytes that are missing. Only while entropy-coded data is read.
static void check_zeros(jpeg_reader *reader) {
  const struct jpeg_decompress_struct *info = &reader->info;
  if (!info->arith_code || !reader->has_ended || reader->failure != CI_OK) return;
  const size_t taken = sizeof bytes_after_end - info->src->bytes_in_buffer;
  if (reader->has_ended_twice || taken > ARITHMETIC_AHEAD) fail_truncated(reader);
}

static void note_scan(jpeg_reader *reader) {
  const struct jpeg_decompress_struct *info = &reader->info;
  for (int i = 0; i < info->comps_in_scan; i++) {
    reader->components_seen |= 1u << info->cur_comp_info[i]->component_index;
  }
}

// Returns whether the scans so far have every bit of every coefficient.
static bool has_all_scans(const jpeg_reader *reader) {
  const struct jpeg_decompress_struct *info = &reader->info;
  for (int component = 0; component < info->num_components; component++) {
    if ((reader->components_seen >> component & 1) == 0) return false;
    for (int i = 0; info->coef_bits != NULL && i < DCTSIZE2; i++) {
      if (info->coef_bits[component][i] != 0) return false;
    }
  }
  return true;
}

static void keep_message(j_common_ptr info) {
  char text[JMSG_LENGTH_MAX];
  info->err->format_message(info, text);
  snprintf(reader_of(info)->base.message, CI_MESSAGE_BYTES, "%s", text);
}

static void on_error(j_common_ptr info) {
  jpeg_reader *reader = reader_of(info);
  // A preceding warning names the cause; the following error is only its consequence.
  if (reader->failure == CI_OK) {
    reader->failure = status_of(info->err->msg_code);
    keep_message(info);
    // The bytes that follow are not from the file.
    if (reader->has_ended && reader->failure == CI_CORRUPT) fail_truncated(reader);
  }
  longjmp(reader->jump, 1);
}

static void on_message(j_common_ptr info, int level) {
  if (level >= 0) return;
  info->err->num_warnings++;
  jpeg_reader *reader = reader_of(info);
  switch (info->err->msg_code) {
  case JWRN_EXTRANEOUS_DATA:  // bytes between segments: some cameras write them; nothing is lost
  case JWRN_ADOBE_XFORM:
  case JWRN_JFIF_MAJOR:
  case JWRN_BOGUS_PROGRESSION:  // an odd order of scans, which still decodes
    return;
  default:
    break;
  }
  if (reader->failure != CI_OK) return;
  if (reader->has_ended) {
    fail_truncated(reader);
    return;
  }
  const int32_t status = status_of(info->err->msg_code);
  if (status == CI_CORRUPT && reader->limits.keeps_damaged) {
    if (reader->base.is_damaged) return;
    reader->base.is_damaged = true;
  } else {
    reader->failure = status;
  }
  keep_message(info);
}

static void output_nothing(j_common_ptr info) { (void)info; }

static void close_reader(ci_reader *base) {
  jpeg_reader *reader = (jpeg_reader *)base;
  // Cannot raise errors: it only frees memory.
  if (reader->is_created) jpeg_destroy_decompress(&reader->info);
  free(reader->cmyk_row);
  free(reader);
}

// Does one step of entropy decoding: a row of blocks of one scan.
static int32_t prepare(ci_reader *base) {
  jpeg_reader *reader = (jpeg_reader *)base;
  struct jpeg_decompress_struct *info = &reader->info;
  if (reader->is_ready) return CI_OK;
  if (setjmp(reader->jump)) return reader->failure;
  if (!reader->is_started) {
    jpeg_start_decompress(info);
    reader->is_started = true;
    if (!info->buffered_image) {
      reader->is_ready = true;
      return CI_OK;
    }
  }
  const int step = jpeg_consume_input(info);
  if (info->input_scan_number > 0 && (uint32_t)info->input_scan_number > reader->limits.scan_limit) {
    snprintf(base->message, CI_MESSAGE_BYTES, "more than %u scans", reader->limits.scan_limit);
    return reader->failure = CI_TOO_LARGE;
  }
  if (step == JPEG_REACHED_SOS) note_scan(reader);
  if (step == JPEG_ROW_COMPLETED || step == JPEG_SCAN_COMPLETED) check_zeros(reader);
  if (step != JPEG_REACHED_EOI) return CI_MORE;
  if (reader->has_ended && reader->failure == CI_OK && !has_all_scans(reader)) {
    fail_truncated(reader);
  }
  jpeg_start_output(info, info->input_scan_number);
  reader->is_ready = true;
  return reader->failure;
}

// An Adobe file stores inverted inks.
static void copy_inks(const uint8_t *cmyk, uint8_t *inks, uint32_t width, bool is_inverted) {
  const uint8_t mask = is_inverted ? 0xFF : 0;
  for (size_t i = 0; i < (size_t)4 * width; i++) inks[i] = cmyk[i] ^ mask;
}

// If the inks are inverted, each byte already is the share of light that passes the ink.
static void rgba_from_cmyk(const uint8_t *cmyk, uint8_t *rgba, uint32_t width, bool is_inverted) {
  for (uint32_t x = 0; x < width; x++, cmyk += 4, rgba += 4) {
    const uint32_t black = is_inverted ? cmyk[3] : 255u - cmyk[3];
    for (int c = 0; c < 3; c++) {
      const uint32_t ink = is_inverted ? cmyk[c] : 255u - cmyk[c];
      rgba[c] = (uint8_t)((ink * black + 127) / 255);
    }
    rgba[3] = 255;
  }
}

static int32_t read_rows(ci_reader *base, uint8_t *rows, uint32_t max_rows, uint32_t *rows_read) {
  jpeg_reader *reader = (jpeg_reader *)base;
  struct jpeg_decompress_struct *info = &reader->info;
  if (!reader->is_ready) return CI_CORRUPT;
  if (setjmp(reader->jump)) return reader->failure;
  while (*rows_read < max_rows && info->output_scanline < info->output_height) {
    uint8_t *row = rows + (size_t)*rows_read * 4 * base->width;
    JSAMPROW target = reader->cmyk_row != NULL ? reader->cmyk_row : row;
    if (jpeg_read_scanlines(info, &target, 1) != 1) return CI_CORRUPT;
    // After the first warning, libjpeg makes up pixels.
    if (!info->buffered_image) check_zeros(reader);
    if (reader->failure != CI_OK && !info->buffered_image) return reader->failure;
    if (reader->cmyk_row != NULL && reader->limits.keeps_inks) {
      copy_inks(reader->cmyk_row, row, base->width, reader->is_inverted);
    } else if (reader->cmyk_row != NULL) {
      rgba_from_cmyk(reader->cmyk_row, row, base->width, reader->is_inverted);
    }
#ifndef JCS_ALPHA_EXTENSIONS
    // Expands three bytes per pixel to four in place, beginning at the right end, so that no pixel
    // is overwritten before it is read.
    else {
      for (uint32_t x = base->width; x-- > 0;) {
        row[4 * x + 3] = 255;
        for (int c = 3; c-- > 0;) row[4 * x + c] = row[3 * x + c];
      }
    }
#endif
    ++*rows_read;
  }
  return CI_OK;
}

ci_reader *ci_jpeg_open(const uint8_t *bytes, size_t count, uint32_t denominator, ci_limits limits,
                        int32_t *status) {
  jpeg_reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) {
    *status = CI_NO_MEMORY;
    return NULL;
  }
  reader->base.prepare = prepare;
  reader->base.read_rows = read_rows;
  reader->base.close = close_reader;
  reader->base.white = limits.white;
  reader->limits = limits;
  reader->bytes = bytes;
  reader->count = count;
  struct jpeg_decompress_struct *info = &reader->info;
  info->err = jpeg_std_error(&reader->errors);
  reader->errors.error_exit = on_error;
  reader->errors.emit_message = on_message;
  reader->errors.output_message = output_nothing;
  info->client_data = reader;
  if (setjmp(reader->jump)) {
    *status = reader->failure;
    return &reader->base;
  }
  jpeg_create_decompress(info);
  reader->is_created = true;
  // Unlimited by default. The limit bounds the coefficients of a progressive image.
  info->mem->max_memory_to_use =
      limits.memory_limit > INT32_MAX ? INT32_MAX : (long)limits.memory_limit;
  jpeg_mem_src(info, bytes, (unsigned long)count);
  info->src->fill_input_buffer = read_piece;
  // Instead of all bytes at once, the first of them.
  read_piece(info);
  jpeg_read_header(info, TRUE);
  note_scan(reader);
  // If the data ends with 0xFF, the first half of an end marker, drops that byte: the decoder
  // reads zeros after the end, and 0xFF 0x00 would be data.
  if (info->arith_code && bytes[count - 1] == 0xFF) drop_last_byte(reader);
  info->scale_num = 1;
  info->scale_denom = denominator;
  info->dct_method = JDCT_ISLOW;  // the same bits on every processor
  info->do_fancy_upsampling = TRUE;
  info->buffered_image = jpeg_has_multiple_scans(info);
  const bool is_cmyk =
      info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK;
#ifdef JCS_ALPHA_EXTENSIONS
  info->out_color_space = is_cmyk ? JCS_CMYK : JCS_EXT_RGBA;
#else
  info->out_color_space = is_cmyk ? JCS_CMYK : JCS_RGB;
#endif
  reader->is_inverted = info->saw_Adobe_marker;
  jpeg_calc_output_dimensions(info);
  reader->base.width = info->output_width;
  reader->base.height = info->output_height;
  if (is_cmyk) {
    reader->cmyk_row = calloc(info->output_width, 4);
    if (reader->cmyk_row == NULL) {
      *status = CI_NO_MEMORY;
      return &reader->base;
    }
  }
  *status = reader->failure;
  return &reader->base;
}
