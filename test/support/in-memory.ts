/**
 * Moves the temporary files of tests into memory, where there is room: they write gigabytes and
 * wait for the disk at every commit. Import it before anything that makes one.
 */
import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'
/** Twice of what a whole run holds at a time. */
const neededBytes = 4 * 1024 ** 3

// Processes that are started later inherit both variables.
process.env['LARDER_TEST_DISK'] ??= tmpdir()
/** The machine's own folder for temporary files, for caches: file systems differ in times and inodes. */
export const diskFolder = process.env['LARDER_TEST_DISK']

const stats = existsSync(memory) ? statfsSync(memory) : null
const isLargeEnough = stats !== null && stats.bsize * stats.bavail > neededBytes
if (isLargeEnough && tmpdir() === diskFolder) process.env['TMPDIR'] = memory
