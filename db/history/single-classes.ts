// The classes of `single_counts`, in the numbers of the functions that made them (migration
// 0008_single_counts): a change here needs a migration that counts anew.

/** Blocks of starts and of ends. */
export const blockSeconds = 8 * 86_400
/** Blocks of ends are numbered from 0 to this; what is earlier or later belongs to these two. */
export const endedBucketMax = 65_535
/** Classes of the share from the cache between nothing (0) and all (one more than these). */
export const efficiencyClasses = 32
/** Numbers of a class of the share; those of nothing and of all are blocks of ends. */
export const efficiencyStep = endedBucketMax + 1

/** Lower bounds of the classes of size but the first, bytes. */
export const sizeFloors: readonly number[] = Array.from({ length: 33 }, (_, index) => [
  2 ** (12 + index),
  1.5 * 2 ** (12 + index),
]).flat()
