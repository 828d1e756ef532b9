// libheif, loaded when first needed. These few declarations are those of its heif.h, whose structures only
// grow at their ends.
#ifndef HEIF_LIBRARY_H
#define HEIF_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  int code, subcode;
  const char *message;
} heif_error;

// The beginning of the options; the library allocates the rest.
typedef struct {
  uint8_t version;
  uint8_t ignore_transformations;
  void *start_progress, *on_progress, *end_progress, *progress_data;
  uint8_t convert_hdr_to_8bit;  // since version 2
} heif_options;

// The beginning of the security limits, which the library allocates (since 1.19).
typedef struct {
  uint8_t version;
  uint64_t max_image_size_pixels;
} heif_limits;

// The functions of the library, after ci_heif_load returned true.
extern struct ci_heif_functions {
  int (*heif_have_decoder_for_format)(int);
  void *(*heif_context_alloc)(void);
  void (*heif_context_free)(void *);
  void (*heif_context_set_maximum_image_size_limit)(void *, int);
  heif_limits *(*heif_context_get_security_limits)(void *);
  void (*heif_context_set_max_decoding_threads)(void *, int);
  heif_error (*heif_context_read_from_memory_without_copy)(void *, const void *, size_t, const void *);
  heif_error (*heif_context_get_primary_image_handle)(void *, void **);
  void (*heif_image_handle_release)(const void *);
  int (*heif_image_handle_get_width)(const void *);
  int (*heif_image_handle_get_height)(const void *);
  heif_options *(*heif_decoding_options_alloc)(void);
  void (*heif_decoding_options_free)(heif_options *);
  heif_error (*heif_decode_image)(const void *, void **, int, int, const heif_options *);
  void (*heif_image_release)(const void *);
  int (*heif_image_get_width)(const void *, int);
  int (*heif_image_get_height)(const void *, int);
  const uint8_t *(*heif_image_get_plane_readonly)(const void *, int, int *);
  int (*heif_image_get_decoding_warnings)(void *, int, heif_error *, int);
} ci_heif;

// Loads the library unless that was done before, and returns whether it can decode HEIC, or AVIF.
bool ci_heif_load(bool is_hevc);

#endif
