#include "CPeers.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

struct errors {
  struct jpeg_error_mgr manager;
  jmp_buf jump;
};

static void fail(j_common_ptr info) { longjmp(((struct errors *)info->err)->jump, 1); }

size_t peer_jpeg_eighth(const uint8_t *bytes, size_t count) {
  struct jpeg_decompress_struct info;
  struct errors errors;
  uint8_t *volatile pixels = NULL;
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = fail;
  if (setjmp(errors.jump)) {
    jpeg_destroy_decompress(&info);
    free(pixels);
    return 0;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, bytes, count);
  jpeg_read_header(&info, TRUE);
  info.scale_num = 1;
  info.scale_denom = 8;
  info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&info);
  const size_t stride = (size_t)info.output_width * 3;
  pixels = malloc(stride * info.output_height);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = pixels + stride * info.output_scanline;
    jpeg_read_scanlines(&info, &row, 1);
  }
  const size_t total = (size_t)info.output_width * info.output_height;
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  free(pixels);
  return total;
}
