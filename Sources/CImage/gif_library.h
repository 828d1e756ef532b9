// giflib, loaded when first needed. These few declarations are those of gif_lib.h of giflib 5.1 and 5.2,
// whose library is libgif.so.7.
#ifndef GIF_LIBRARY_H
#define GIF_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint8_t red, green, blue;
} gif_color;

typedef struct {
  int color_count, bits_per_pixel;
  bool is_sorted;
  gif_color *colors;
} gif_color_map;

typedef struct {
  int left, top, width, height;
  bool is_interlaced;
  gif_color_map *color_map;
} gif_image;

typedef struct {
  int screen_width, screen_height, color_resolution, background;
  uint8_t aspect;
  gif_color_map *color_map;
  int image_count;
  gif_image image;
  void *saved_images;
  int extension_count;
  void *extensions;
  int error;
  void *user_data;
  void *private_data;
} gif_file;

// The functions of the library, after ci_gif_load returned true.
extern struct ci_gif_functions {
  gif_file *(*DGifOpen)(void *, int (*)(gif_file *, uint8_t *, int), int *);
  int (*DGifCloseFile)(gif_file *, int *);
  int (*DGifGetRecordType)(gif_file *, int *);
  int (*DGifGetImageDesc)(gif_file *);
  int (*DGifGetLine)(gif_file *, uint8_t *, int);
  int (*DGifGetExtension)(gif_file *, int *, uint8_t **);
  int (*DGifGetExtensionNext)(gif_file *, uint8_t **);
} ci_gif;

// Loads the library unless that was done before, and returns whether it can be used.
bool ci_gif_load(void);

#endif
