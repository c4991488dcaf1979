import { beforeAll, expect, test } from 'bun:test'
import { skipReason } from '../../../../cache/retention/skip-reasons.ts'
import de from '../../../locales/de.corruption.json'
import { setTexts } from '../../../locales/translate.ts'
import { skipReasonText } from './sentence.ts'

beforeAll(() => setTexts(de))

const textOf = ({ text, key, values }: ReturnType<typeof skipReason>) =>
  skipReasonText({ abstains: text, abstainsKey: key, abstainsContext: values })

test("why a rule abstains is explained in the user's language", () => {
  expect(textOf(skipReason('treeEmpty', { datasource: 'nas' }))).toBe('nas ist leer.')
  expect(textOf(skipReason('historyAway'))).toBe(de['retention.abstains.historyAway'])
  expect(textOf(skipReason('treeFailed', { datasource: 'nas', problem: 'EIO' }))).toContain('(EIO)')
})

test("an unknown reason is shown in the server's words", () => {
  expect(skipReasonText({ abstains: 'why', abstainsKey: 'new', abstainsContext: null })).toBe('why')
})
