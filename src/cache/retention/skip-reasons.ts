import { phraseBook } from '../../core/lib/phrases.ts'

/** Why a rule currently removes nothing. */
export const skipReason = phraseBook({
  clockDoubted: 'the clock went far ahead; rules wait for up to a day',
  freeUnknown: '{disk}: the free space is unknown',
  historyAway: 'the database is unavailable',
  treeEmpty: '{datasource}: the cache folder is empty',
  treeFailed: '{datasource}: {problem}',
  treeNotRead: '{datasource}: not scanned yet',
  treeUnreadable: '{datasource}: the scan failed',
})
