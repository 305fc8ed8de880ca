/* sim/base/snapshot.h -- an image and the files that belong to it, in one file that a later process can go on from.
 *
 * The file: a Header (snapshot.c), the command, the files, the pages that are not all zeros, and a SHA-256 of all of
 * it. Only the very program that wrote a snapshot can read it, for the same command: its memory is full of that
 * program's addresses.
 */
#ifndef SIM_BASE_SNAPSHOT_H
#define SIM_BASE_SNAPSHOT_H

#include "sim/base/arena.h"
#include "sim/base/image.h"

/* Writes the image and `root`, from which its reader finds the rest, and the files as they are on disk now,
 * file[n_files].  Appears whole or not at all. */
bool snapshot_save(const Image *image, const char *path, const char *command, const void *root,
                   const char *const file[], int n_files, Err *err);

/* The root of the image put back into this process.  NULL: err tells: not written for this command or by this program,
 * damaged, cut short. */
void *snapshot_load(const char *path, const char *command, Err *err);

/* Its files written again under their names, in folders made for them. */
bool snapshot_put_files(const char *path, const char *command, Err *err);

#endif
