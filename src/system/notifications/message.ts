/** What a notification is about; `test` is sent by the test button alone. */
export const noticeKinds = [
  'jobFailed',
  'jobFinished',
  'dataCap',
  'diskForecast',
  'corruptionFound',
  'signInLost',
  'serviceTrouble',
  'dnsBroken',
  'gamesReady',
  'newBuild',
  'test',
] as const
export type NoticeKind = (typeof noticeKinds)[number]

export interface Message {
  kind: NoticeKind
  /** False for what only informs, such as a finished job. */
  isProblem: boolean
  title: string
  text: string
  raisedAt: Date
}

/**
 * Longest texts that are sent. Discord takes 2000 characters together; ntfy turns texts of more than
 * 4096 bytes into files, and a character has up to three bytes.
 */
const titleCharsMax = 200
const textCharsMax = 1300

/** Never ends with half of a character that UTF-16 stores as two. */
const cut = (text: string, charsMax: number): string =>
  text
    .toWellFormed()
    .slice(0, charsMax)
    .replace(/[\uD800-\uDBFF]$/, '')

/** Names of games and errors come from outside, so both texts are bounded and without controls. */
export const boundedMessage = (message: Message): Message => ({
  ...message,
  title: cut(message.title.replaceAll(/\p{Cc}+/gu, ' '), titleCharsMax),
  text: cut(message.text.replaceAll(/[^\P{Cc}\n]+/gu, ' '), textCharsMax),
})
