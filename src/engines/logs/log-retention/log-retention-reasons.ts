/** Why a file is not safe to delete. */
export const logRetentionReasons = {
  copyOrTooShort: 'a copy of another file, or too short to identify',
  notToItsEnd: 'not counted to its end yet, or still being written',
  notShipped: 'some of its rows have not reached the history',
  skippedRanges: 'has ranges that were skipped and never counted',
  unfinishedLine: 'ends with an unfinished line',
  unknownForm: 'begins with a line in an unknown format',
  unreadable: 'cannot be read to its end',
} as const
export type LogRetentionReason = keyof typeof logRetentionReasons
