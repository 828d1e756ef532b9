// libwebp, loaded when first needed. These few declarations are those of its decode.h, ABI 2.9, whose major
// number the library itself compares.
#ifndef WEBP_LIBRARY_H
#define WEBP_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  STATUS_OK = 0,
  STATUS_OUT_OF_MEMORY = 1,
  STATUS_UNSUPPORTED = 4,
  STATUS_SUSPENDED = 5,
  STATUS_NOT_ENOUGH_DATA = 7,
} webp_status;

typedef struct {
  int width, height, has_alpha, has_animation, format;
  uint32_t pad[5];
} webp_features;

typedef struct {
  int colorspace;
  int width, height;
  int is_external_memory;
  union {
    struct {
      uint8_t *rgba;
      int stride;
      size_t size;
    } rgba;
    struct {
      uint8_t *y, *u, *v, *a;
      int y_stride, u_stride, v_stride, a_stride;
      size_t y_size, u_size, v_size, a_size;
    } yuva;
  } u;
  uint32_t pad[4];
  uint8_t *private_memory;
} webp_buffer;

typedef struct {
  int bypass_filtering, no_fancy_upsampling;
  int use_cropping, crop_left, crop_top, crop_width, crop_height;
  int use_scaling, scaled_width, scaled_height;
  int use_threads, dithering_strength, flip, alpha_dithering_strength;
  uint32_t pad[5];
} webp_options;

typedef struct {
  webp_features input;
  webp_buffer output;
  webp_options options;
} webp_config;

// The functions of the library, after ci_webp_load returned true.
extern struct ci_webp_functions {
  int (*WebPInitDecoderConfigInternal)(webp_config *, int);
  webp_status (*WebPGetFeaturesInternal)(const uint8_t *, size_t, webp_features *, int);
  void *(*WebPIDecode)(const uint8_t *, size_t, webp_config *);
  webp_status (*WebPIUpdate)(void *, const uint8_t *, size_t);
  void (*WebPIDelete)(void *);
} ci_webp;

// Loads the library unless that was done before, and returns whether it can be used.
bool ci_webp_load(void);

#endif
