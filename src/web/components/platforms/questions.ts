import type { Key } from '../../locales/translate.ts'

interface Question {
  /** Absent: nothing is typed. */
  label?: Key
  hint?: Key
  isSecret?: boolean
  /** A code that browsers may fill in. */
  isCode?: boolean
}

/** What is asked by the kinds of challenges, in the words of the protocol. */
export const questions: Readonly<Record<string, Question>> = {
  username: { label: 'prefill.username' },
  password: { label: 'prefill.password', hint: 'prefill.passwordHint', isSecret: true },
  '2fa': { label: 'prefill.appCode', hint: 'prefill.appCodeHint', isCode: true },
  steamguard: { label: 'prefill.emailCode', hint: 'prefill.emailCodeHint', isCode: true },
  alphaguard: { label: 'prefill.emailCode', hint: 'prefill.emailCodeHint', isCode: true },
  'authorization-url': { label: 'prefill.authCode', hint: 'prefill.authCodeHint' },
  'device-confirmation': {},
  'device-code': {},
}

/** The code in what was pasted: itself, or the whole page that shows it. */
export function authorizationCode(text: string): string {
  const found = /"authorizationCode"\s*:\s*"([^"]+)"/.exec(text)?.[1]
  return found ?? text.trim().replaceAll(/^"|"$/g, '')
}
