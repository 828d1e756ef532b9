// The loops that compare one query with every stored code, one function per instruction set behind each.
#ifndef CIMAGE_KERNELS_H
#define CIMAGE_KERNELS_H
#endif
