// JPEG and PNG: bytes in, rows of pixels out.
#ifndef CIMAGE_CODECS_H
#define CIMAGE_CODECS_H
#endif
