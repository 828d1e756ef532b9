// The encoder of libjpeg, which writes into memory of the caller.

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include "CImage.h"

typedef struct {
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_destination_mgr target;
  jmp_buf jump;
  uint8_t *row;
  uint8_t *out;
  size_t capacity;
  bool is_full;
} jpeg_writer;

static void on_error(j_common_ptr info) { longjmp(((jpeg_writer *)info->client_data)->jump, 1); }

static void on_message(j_common_ptr info, int level) {
  (void)info;
  (void)level;
}

static void output_nothing(j_common_ptr info) { (void)info; }

static void begin(j_compress_ptr info) {
  jpeg_writer *writer = info->client_data;
  writer->target.next_output_byte = writer->out;
  writer->target.free_in_buffer = writer->capacity;
}

static boolean on_full(j_compress_ptr info) {
  jpeg_writer *writer = info->client_data;
  writer->is_full = true;
  longjmp(writer->jump, 1);
}

static void end(j_compress_ptr info) { (void)info; }

static void encode(jpeg_writer *writer, const uint8_t *rgba, uint32_t width, uint32_t height,
                   uint32_t quality) {
  struct jpeg_compress_struct *info = &writer->info;
  jpeg_create_compress(info);
  info->dest = &writer->target;
  info->image_width = width;
  info->image_height = height;
  info->input_components = 3;
  info->in_color_space = JCS_RGB;
  jpeg_set_defaults(info);
  jpeg_set_quality(info, (int)quality, TRUE);
  info->optimize_coding = TRUE;
  info->dct_method = JDCT_ISLOW;
  jpeg_start_compress(info, TRUE);
  while (info->next_scanline < height) {
    const uint8_t *pixel = rgba + (size_t)info->next_scanline * 4 * width;
    for (uint32_t x = 0; x < width; x++, pixel += 4) {
      for (int c = 0; c < 3; c++) writer->row[3 * x + c] = pixel[c];
    }
    jpeg_write_scanlines(info, &writer->row, 1);
  }
  jpeg_finish_compress(info);
}

int32_t ci_jpeg_encode(const uint8_t *rgba, uint32_t width, uint32_t height, uint32_t quality,
                       uint8_t *out, size_t capacity, size_t *count) {
  *count = 0;
  if (width == 0 || height == 0 || width > JPEG_MAX_DIMENSION || height > JPEG_MAX_DIMENSION) {
    return CI_UNSUPPORTED;
  }
  jpeg_writer *writer = calloc(1, sizeof *writer);
  if (writer == NULL) return CI_NO_MEMORY;
  writer->row = malloc((size_t)width * 3);
  int32_t status = CI_NO_MEMORY;
  if (writer->row != NULL) {
    writer->out = out;
    writer->capacity = capacity;
    writer->target = (struct jpeg_destination_mgr){
        .init_destination = begin, .empty_output_buffer = on_full, .term_destination = end};
    writer->info.err = jpeg_std_error(&writer->errors);
    writer->errors.error_exit = on_error;
    writer->errors.emit_message = on_message;
    writer->errors.output_message = output_nothing;
    writer->info.client_data = writer;
    if (setjmp(writer->jump)) {
      status = writer->is_full ? CI_TOO_LARGE : CI_NO_MEMORY;
    } else {
      encode(writer, rgba, width, height, quality);
      *count = capacity - writer->target.free_in_buffer;
      status = CI_OK;
    }
    jpeg_destroy_compress(&writer->info);
  }
  free(writer->row);
  free(writer);
  return status;
}
