/* Shoal: one person's record in, the bytes of one noisy report out. */

#ifndef SHOAL_DEVICE_H
#define SHOAL_DEVICE_H

/* Made by cbindgen from the sources of shoal-device-c; a test compares them. */

#include <stddef.h>
#include <stdint.h>

// A device under one design, with the person's limits and their ledger.
typedef struct ShoalDevice ShoalDevice;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Where the answer or the error of this thread's last call is. Valid until the next call.
const uint8_t *shoal_result(void);

// How many bytes the answer or the error has.
size_t shoal_result_length(void);

// Opens a device: a published design (JSON), the person's limits (JSON, or a length of 0), the stored ledger (JSON, or a
// length of 0 before the first report). Limits: `any_two_records`, `unit_of_distance` and `total`, each an ε in a text;
// `digest`, a text; `exact_noise`, true or false.
//
// # Safety
// Each pointer is valid for its length, or the length is 0. `device` points to where the new device is written; free that with
// `shoal_device_free`.
int32_t shoal_device_open(const uint8_t *design,
                          size_t design_length,
                          const uint8_t *limits,
                          size_t limits_length,
                          const uint8_t *ledger,
                          size_t ledger_length,
                          struct ShoalDevice **device);

// Frees a device. Nothing happens to a null pointer.
//
// # Safety
// The device came from `shoal_device_open` and is not used any more.
void shoal_device_free(struct ShoalDevice *device);

// What the design asks for and guarantees, and what was sent before: a JSON object.
//
// # Safety
// The device came from `shoal_device_open`, and no other thread uses it.
int32_t shoal_device_about(struct ShoalDevice *device);

// The guarantees of one report in plain words.
//
// # Safety
// The device came from `shoal_device_open`, and no other thread uses it.
int32_t shoal_device_promise(struct ShoalDevice *device);

// A report of one record, in the user's units and the order of the design's columns: the bytes to send, of media type
// `application/vnd.shoal.reports`. `day` is counted from 1 January 1970. `repeat` is 0 to answer a collection once, 1 to get
// the same report again, 2 for fresh reports, at most `most` of them. Store the ledger before sending.
//
// # Safety
// The device came from `shoal_device_open`, and no other thread uses it; `values` is valid for `count` numbers.
int32_t shoal_device_report(struct ShoalDevice *device,
                            const double *values,
                            size_t count,
                            uint32_t day,
                            uint32_t repeat,
                            uint32_t most);

// So many reports that could be sent of this record, in the user's units: doubles in the machine's own byte order, one record
// after the other. For the person's eyes only: the ledger does not count them.
//
// # Safety
// The device came from `shoal_device_open`, and no other thread uses it; `values` is valid for `count` numbers.
int32_t shoal_device_simulate(struct ShoalDevice *device,
                              const double *values,
                              size_t count,
                              size_t reports);

// The ledger to store: JSON.
//
// # Safety
// The device came from `shoal_device_open`, and no other thread uses it.
int32_t shoal_device_ledger(struct ShoalDevice *device);

#if defined(SHOAL_TAPE)
// A report whose noise and identifier are read from a tape, even for a mechanism that guarantees nothing: the bytes to send.
// For tests.
//
// # Safety
// Each pointer is valid for its length, or the length is 0.
int32_t shoal_tape_report(const uint8_t *design,
                          size_t design_length,
                          const double *values,
                          size_t count,
                          uint32_t day,
                          const uint8_t *tape,
                          size_t tape_length);
#endif

#if defined(SHOAL_TAPE)
// How many bytes of the tape the last report of this thread has read; the largest number when it was too short.
size_t shoal_tape_used(void);
#endif

// Fills memory with random bytes; 0 when it did.
extern int32_t random(uint8_t *start, size_t length);

// Room for so many bytes, aligned for doubles. Null when there is none.
uint8_t *shoal_allocate(size_t length);

// Gives room back.
//
// # Safety
// It came from [`shoal_allocate`] with this length.
void shoal_release(uint8_t *start, size_t length);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SHOAL_DEVICE_H */
