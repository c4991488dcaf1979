import { phraseBook } from '../../core/lib/phrases.ts'

/** Why a rule currently abstains. */
export const abstention = phraseBook({
  freeUnknown: '{disk}: its free space is not known',
  historyAway: 'the history is away',
  treeEmpty: '{datasource}: it is empty',
  treeFailed: '{datasource}: {problem}',
  treeNotRead: '{datasource}: it was not looked through yet',
  treeUnreadable: '{datasource}: it could not be looked at',
})
