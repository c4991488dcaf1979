/** What a notification is about; `test` is sent by the test button alone. */
export const noticeKinds = [
  'jobFailed',
  'jobFinished',
  'diskForecast',
  'corruptionFound',
  'signInLost',
  'serviceTrouble',
  'dnsBroken',
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

/** Longest texts that are sent; the shortest limit of all targets is 2000 characters together. */
const titleCharsMax = 200
const textCharsMax = 1500

/** Names of games and errors come from outside, so both texts are bounded and without controls. */
export const boundedMessage = (message: Message): Message => ({
  ...message,
  title: message.title.replaceAll(/\p{Cc}+/gu, ' ').slice(0, titleCharsMax),
  text: message.text.replaceAll(/[^\P{Cc}\n]+/gu, ' ').slice(0, textCharsMax),
})
