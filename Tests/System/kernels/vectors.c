// Runs every kernel on drawn inputs and prints a hash of each result: vectors [LEVEL]. The lines are the same
// on every processor and for every instruction set, or a kernel rounds or counts differently somewhere.
//
// Inputs are drawn in integers, so that they do not depend on the processor either.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CKernels.h"

enum { CASES = 12 };

static uint32_t level;
static uint64_t state;

// SplitMix64 (https://prng.di.unimi.it/splitmix64.c).
static uint64_t draw(void) {
  uint64_t z = state += 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

static size_t below(size_t limit) { return draw() % limit; }

static void *room(size_t bytes) {
  void *memory = calloc(bytes + 64, 1);
  if (memory == NULL) abort();
  return memory;
}

static void *drawn(size_t bytes) {
  uint8_t *memory = room(bytes);
  for (size_t i = 0; i < bytes; i++) memory[i] = (uint8_t)draw();
  return memory;
}

// A picture with edges, flat parts and noise, `channels` bytes a pixel.
static uint8_t *picture(size_t width, size_t height, size_t channels) {
  uint8_t *pixels = room(width * height * channels);
  for (size_t i = 0; i < width * height * channels; i++) pixels[i] = (uint8_t)(120 + below(9));
  for (int box = 0; box < 40; box++) {
    const size_t left = below(width), top = below(height), wide = below(width) / 3 + 1, high = below(height) / 3 + 1;
    uint8_t color[4];
    for (int c = 0; c < 4; c++) color[c] = (uint8_t)draw();
    for (size_t y = top; y < height && y < top + high; y++) {
      for (size_t x = left; x < width && x < left + wide; x++) {
        for (size_t c = 0; c < channels; c++) pixels[(y * width + x) * channels + c] = (uint8_t)(color[c] - below(5));
      }
    }
  }
  return pixels;
}

// A fraction of 0 to 1 with 16 bits.
static float share(void) { return (float)below(65537) / 65536.0f; }

static float *shares(size_t count) {
  float *values = room(count * sizeof(float));
  for (size_t i = 0; i < count; i++) values[i] = share();
  return values;
}

// Prints the 64-bit FNV-1a hash of a result.
static void tell(const char *name, int number, const void *bytes, size_t count) {
  uint64_t hash = 0xCBF29CE484222325;
  for (size_t i = 0; i < count; i++) hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001B3;
  printf("%s %d %zu %016" PRIx64 "\n", name, number, count, hash);
}

static void codes(int n) {
  const size_t blocks = 1 + below(40), queries = 1 + below(8);
  uint64_t *stored = drawn(blocks * CK_WORDS_PER_BLOCK * 8), *asked = drawn(queries * 32);
  uint32_t *hits = room(blocks * 32), *distances = room(blocks * 32);
  const size_t count = ck_hamming_scan(stored, blocks, asked, queries, (uint32_t)(100 + below(60)), hits, distances, level);
  tell("hamming hits", n, hits, count * 4);
  tell("hamming distances", n, distances, count * 4);
  const size_t held = 8 * blocks - below(8);
  uint32_t *keypoints = drawn(blocks * CK_KEYPOINT_BLOCK_WORDS * 4), *best = room(64 * 4);
  uint32_t *hashes = drawn(64 * CK_KEYPOINT_WORDS * 4);
  ck_nearest_codes(hashes, 64, keypoints, blocks, held, best, level);
  tell("nearest", n, best, 64 * 4);
  uint8_t *rows = drawn(blocks * CK_L1_ROW_BYTES), *bins = drawn(2 * CK_L1_ROW_BYTES);
  for (size_t i = 0; i < 2 * CK_L1_ROW_BYTES; i++) bins[i] = (uint8_t)(bins[i] % 254);
  uint32_t *near = room(blocks * 4), *sums = room(blocks * 4);
  for (size_t i = 0; i < blocks; i++) near[i] = (uint32_t)below(blocks);
  const size_t found = ck_l1_filter(rows, bins, (uint32_t)(20000 + below(8000)), near, blocks, sums, level);
  tell("bins hits", n, near, found * 4);
  tell("bins distances", n, sums, found * 4);
  const size_t bounded = ck_sum_scan(rows, blocks, bins, (uint32_t)(2000 + below(1500)), near, level);
  tell("sums hits", n, near, bounded * 4);
  const size_t components = 8 * (1 + below(64)), width = CK_EMBEDDING_HEAD_BYTES + components;
  uint8_t *embeddings = drawn(blocks * width), *wanted = drawn(width);
  for (size_t i = 0; i < blocks; i++) {
    // Most rows are of the query's model, and one over their length is about right.
    const float length = 1 / (float)(64 + i);
    if (below(8)) memcpy(embeddings + i * width, wanted, CK_EMBEDDING_HEAD_BYTES);
    memcpy(embeddings + i * width + 8, &length, sizeof length);
  }
  const float own = 1 / 1024.0f;
  memcpy(wanted + 8, &own, sizeof own);
  const size_t close = ck_cosine_scan(embeddings, blocks, width, wanted, width, 1u << 21, near, sums, level);
  tell("cosine hits", n, near, close * 4);
  tell("cosine distances", n, sums, close * 4);
  free(embeddings), free(wanted);
  free(stored), free(asked), free(hits), free(distances), free(keypoints), free(best), free(hashes);
  free(rows), free(bins), free(near), free(sums);
}

static void votes(int n) {
  const uint32_t bits = (uint32_t)(6 + below(5)), rows = (uint32_t)(1 + below(1u << bits));
  const size_t words = (size_t)1 << bits, held = words * (2 + below(6)), asked = 1 + below(200);
  uint32_t *starts = room((words + 1) * 4);
  for (size_t i = 0; i < held; i++) starts[1 + below(words)]++;
  for (size_t w = 0; w < words; w++) starts[w + 1] += starts[w];
  uint64_t *hashes = drawn(asked * 8), *postings = drawn(held * 8);
  uint8_t *angles = drawn(asked), *doubts = room(asked * CK_KNOWN_DOUBTS);
  for (size_t k = 0; k < asked; k++) {
    hashes[k] >>= 64 - CK_POSTING_HASH_BITS;
    for (uint8_t d = 0; d < CK_KNOWN_DOUBTS; d++) doubts[k * CK_KNOWN_DOUBTS + d] = (uint8_t)((d * 5 + k) % CK_WORD_BIT_LIMIT);
  }
  // Half of the postings are near a keypoint, else hardly any hit would be.
  for (size_t p = 0; p < held; p += 2) {
    const uint64_t hash = hashes[below(asked)] ^ (uint64_t)1 << below(CK_POSTING_HASH_BITS);
    postings[p] = (hash >> bits) << (bits + 8) | (uint64_t)below(256) << bits | below(rows);
  }
  // Every second index names its words, as one whose lists come from elsewhere.
  uint32_t *names = room(words * 4);
  for (size_t w = 0; w < words; w++) names[w] = (uint32_t)w;
  const ck_word_index index = {n % 2 ? names : NULL, words, starts, postings, held, bits, rows, 32, n % 3 ? CK_DOUBTS : 1};
  const ck_vote_source source = {hashes, angles, doubts, asked, (uint32_t)below(2)};
  uint64_t *hits = room(((asked + 15) / 16 * CK_VOTE_BATCH << CK_DOUBTS) * 32 * 8), *scratch = room(asked * 32 * 32 * 8);
  size_t count = 0;
  for (size_t first = 0; first < asked; first += CK_VOTE_BATCH) count += ck_collect_votes(&index, &source, first, hits + count, level);
  tell("votes hits", n, hits, count * 8);
  uint64_t *dead = drawn(rows / 8 + 8);
  ck_vote *best = room(64 * sizeof(ck_vote));
  const size_t kept = ck_rank_votes(hits, scratch, count, n % 2 ? dead : NULL, best, 64);
  tell("votes", n, best, kept * sizeof(ck_vote));
  free(names), free(starts), free(hashes), free(postings), free(angles), free(doubts), free(hits), free(scratch), free(dead), free(best);
}

static void alignment(int n) {
  const size_t count = 4 + below(200), padded = (count + 7) / 8 * 8;
  double *columns[8];
  for (int c = 0; c < 8; c++) columns[c] = room((padded + 8) * sizeof(double));
  uint8_t *turns = drawn(padded + 8);
  ck_pairs pairs = {columns[0], columns[1], columns[2], columns[3], columns[4], columns[5], columns[6], turns, count};
  double *cosines = room(padded * 8), *sines = room(padded * 8);
  for (size_t i = 0; i < padded; i++) {
    const double x = (double)below(8192) / 16, y = (double)below(8192) / 16;
    const int follows = below(3) == 0;
    columns[0][i] = x, columns[1][i] = y;
    columns[2][i] = i >= count ? 1e9 : follows ? 0.75 * x - 0.25 * y + 40 + share() : (double)below(512);
    columns[3][i] = i >= count ? 1e9 : follows ? 0.25 * x + 0.75 * y + 10 + share() : (double)below(512);
    columns[4][i] = i >= count ? 0 : follows ? 0.8 : 0.25 + share();
    columns[5][i] = 9 + (double)below(200);
    columns[6][i] = 3 + share() * 12;
    if (follows) turns[i] = (uint8_t)(13 + below(5));
    cosines[i] = 0.5 + share() / 2;
    sines[i] = share() / 2;
  }
  ck_similarity best = {0};
  const double score = ck_best_similarity(&pairs, cosines, sines, count < 40 ? count : 40, 12, &best, level);
  tell("similarity score", n, &score, sizeof score);
  tell("similarity", n, &best, sizeof best);
  ck_plane_map map = {.matrix = {0.75, -0.25, 40.5, 0.25, 0.75, 10.5, 1e-5 * share(), -1e-5 * share(), 1}, .scale = 0.8, .turn = 15};
  uint8_t *agreeing = room(padded / 8);
  ck_agreeing_pairs(&pairs, &map, n % 2 ? 1 : 2.5, agreeing, level);
  tell("agreeing", n, agreeing, padded / 8);
  free(agreeing);
  for (int c = 0; c < 8; c++) free(columns[c]);
  free(turns), free(cosines), free(sines);
}

static void blur(int n) {
  const size_t width = 16 + below(300), window = 1 + below(width < 12 ? width : 12), count = 1 + below(width);
  uint8_t *rgba = picture(width, CK_PDQ_LANES, 4);
  float *rows = room(CK_PDQ_LANES * width * 4), *scratch = room(2 * CK_PDQ_LANES * width * 4), *out = room(CK_PDQ_LANES * width * 4);
  ck_pdq_luma(rgba, CK_PDQ_LANES * width, rows, level);
  tell("pdq luma", n, rows, CK_PDQ_LANES * width * 4);
  uint32_t *columns = room(count * 4);
  for (size_t i = 0; i < count; i++) columns[i] = (uint32_t)below(width);
  ck_pdq_box_rows_at(rows, width, window, columns, count, scratch, out, level);
  tell("pdq rows at", n, out, CK_PDQ_LANES * count * 4);
  ck_pdq_box_rows(rows, width, window, scratch, level);
  tell("pdq rows", n, rows, CK_PDQ_LANES * width * 4);
  float *oldest = shares(width), *sums = shares(width);
  ck_pdq_box_columns(rows, width, (float)window, oldest, sums, out, level);
  tell("pdq columns", n, out, width * 4);
  tell("pdq sums", n, sums, width * 4);
  float *plane = shares(64 * 64);
  for (int i = 0; i < 64 * 64; i++) plane[i] *= 255;
  float *cosines = shares(CK_PDQ_TERMS * 64), *terms = room(CK_PDQ_TERMS * CK_PDQ_TERMS * 4);
  ck_pdq_terms(plane, cosines, terms, level);
  tell("pdq terms", n, terms, CK_PDQ_TERMS * CK_PDQ_TERMS * 4);
  free(cosines), free(terms);
  const uint32_t steps = ck_pdq_steps(plane, level);
  tell("pdq steps", n, &steps, sizeof steps);
  free(rgba), free(rows), free(scratch), free(out), free(columns), free(oldest), free(sums), free(plane);
}

static void areas(int n) {
  const size_t source = 60 + below(300), width = 1 + below(50);
  uint8_t *row = picture(source, 1, 4), *out = room(4 * width);
  uint32_t *sums = room(4 * (source + 1) * 4);
  uint32_t shares = 0;
  for (int i = 0; i < 3; i++) {
    const uint32_t share = (uint32_t)(1 + below(900));
    ck_area_add_row(row, 4 * source, share, sums, level);
    shares += share;
  }
  tell("area sums", n, sums, 4 * source * 4);
  ck_area_cut *cuts = room(width * sizeof(ck_area_cut));
  size_t rest = 0;
  for (size_t i = 0; i < width; i++) {
    cuts[i].whole = (uint32_t)((source - rest - 1) / width);
    cuts[i].share = (uint32_t)(source - rest - cuts[i].whole * width);
    rest = width - cuts[i].share;
  }
  ck_area_finish_row(sums, cuts, width, shares * source, out, level);
  tell("area", n, out, 4 * width);
  free(row), free(out), free(sums), free(cuts);
}

static void colors(int n) {
  const size_t width = 8 + below(60), height = 8 + below(60), count = width * height;
  uint8_t *rgba = picture(width, height, 4);
  float *linear = room(256 * 4), *pixels = room(count * 16), *weights = shares(count);
  for (int i = 0; i < 256; i++) linear[i] = (float)(i * i) / 65025.0f;
  ck_oklab(rgba, count, linear, pixels, level);
  tell("oklab", n, pixels, count * 16);
  float bins[CK_COLOR_BINS] = {0}, steps[CK_STEP_BINS] = {0};
  const float weight = ck_color_bins(pixels, weights, count, bins, level);
  tell("color bins", n, bins, sizeof bins);
  tell("color weight", n, &weight, sizeof weight);
  const float total = ck_step_bins(pixels, weights, width, height, 1 + below(4), steps, level);
  tell("step bins", n, steps, sizeof steps);
  tell("step weight", n, &total, sizeof total);
  float *across = shares(width), *down = shares(height);
  ck_color_weights(pixels, width, height, across, down, n % 2 ? pixels : NULL, weights, level);
  tell("weights", n, weights, count * 4);
  const uint64_t checksum = ck_checksum(rgba, 4 * count - below(9), (uint64_t)n);
  tell("checksum", n, &checksum, sizeof checksum);
  const uint64_t seal = ck_seal(rgba, 4 * count - below(9), (uint64_t)n);
  tell("seal", n, &seal, sizeof seal);
  free(across), free(down);
  free(rgba), free(linear), free(pixels), free(weights);
}

static void corners(int n) {
  const size_t width = 40 + below(200), height = 40 + below(200), count = width * height;
  uint8_t *rgba = picture(width, height, 4), *luma = room(count), *out = room(count);
  ck_luma(rgba, count, luma, level);
  tell("luma", n, luma, count);
  ck_reduce_by_2(luma, width, height, out, level);
  tell("half", n, out, (width / 2) * (height / 2));
  ck_reduce_by_3_2(luma, width, height, out, level);
  tell("two thirds", n, out, 2 * (width / 3) * 2 * (height / 3));
  uint16_t *columns = room((width + 4) * 2), *sums = room(count * 2);
  ck_box_sums(luma, width, height, columns, sums, level);
  tell("box sums", n, sums, count * 2);
  uint32_t *places = room(count * 4);
  float *responses = room(count * 4);
  int32_t *scratch = room(CK_CORNER_SCRATCH * (width + CK_CORNER_PADDING) * 4);
  const size_t found = ck_corners(luma, width, height, 2000, scratch, places, responses, count, level);
  tell("corners", n, places, found * 4);
  tell("responses", n, responses, found * 4);
  for (int i = 0; i < 20; i++) {
    const int32_t x = (int32_t)below(width), y = (int32_t)below(height), w = (int32_t)width, h = (int32_t)height;
    const uint32_t angle = ck_patch_angle(sums, w, h, x, y, level);
    tell("angle", n, &angle, sizeof angle);
    int16_t samples[CK_PATCH_SIDE * CK_PATCH_SIDE];
    const int32_t cosine = (int32_t)below(32769) - 16384, sine = (int32_t)below(32769) - 16384;
    ck_turned_patch(sums, w, h, x, y, cosine, sine, samples, level);
    tell("samples", n, samples, sizeof samples);
    uint32_t words[CK_KEYPOINT_WORDS], alone[CK_KEYPOINT_WORDS];
    uint8_t order[CK_KNOWN_DOUBTS];
    ck_patch_hash(samples, words, order, level);
    tell("patch", n, words, sizeof words);
    tell("doubts", n, order, sizeof order);
    for (size_t k = 0; k < CK_PATCH_SIDE * CK_PATCH_SIDE; k++) samples[k] = (int16_t)below(25 * 255 + 1);
    ck_patch_hash(samples, alone, NULL, level);
    tell("noise", n, alone, sizeof alone);
  }
  uint32_t classes[CK_TEXTURE_CLASSES] = {0};
  ck_texture_counts(luma, width, height, out, classes, level);
  tell("texture", n, classes, sizeof classes);
  free(rgba), free(luma), free(out), free(columns), free(sums), free(places), free(responses), free(scratch);
}

static void enlargements(int n) {
  const size_t source = 4 + below(60), width = source + below(60), rows = 4 + below(9);
  uint8_t *image = picture(source, rows, 4), *out = room(4 * width), *row = room(4 * source);
  ck_cubic_place *places = room(width * sizeof(ck_cubic_place));
  for (size_t i = 0; i < width; i++) {
    int32_t rest = CK_CUBIC_ONE;
    for (size_t tap = 0; tap < 4; tap++) {
      places[i].sources[tap] = (uint32_t)below(source);
      places[i].weights[tap] = tap == 3 ? rest : (int32_t)below(20000) - 4000;
      rest -= places[i].weights[tap];
    }
  }
  ck_cubic_row(image, places, width, out, level);
  tell("cubic row", n, out, 4 * width);
  for (size_t tap = 0; tap < 4; tap++) places[0].sources[tap] %= (uint32_t)rows;
  ck_cubic_rows(image, 4 * source, places, row, level);
  tell("cubic rows", n, row, 4 * source);
  free(image), free(out), free(row), free(places);
}

int main(int count, char **words) {
  level = count > 1 ? (uint32_t)atoi(words[1]) : CK_LEVEL_BASE;
  // The levels of this processor, for whoever wants to run them all.
  if (count > 1 && strcmp(words[1], "most") == 0) {
    printf("%u\n", ck_kernel_level());
    return 0;
  }
  if (level > ck_kernel_level()) {
    fprintf(stderr, "this processor has no level %u\n", level);
    return 2;
  }
  void (*const kernels[])(int) = {codes, votes, alignment, blur, areas, colors, corners, enlargements};
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    for (int n = 0; n < CASES; n++) {
      state = 1000 * k + (size_t)n;
      kernels[k](n);
    }
  }
  return 0;
}
