import { beforeAll, expect, test } from 'bun:test'
import { abstention } from '../../../cache/retention/abstention.ts'
import de from '../../locales/de.corruption.json'
import { setTexts } from '../../locales/translate.ts'
import { abstentionText } from './sentence.ts'

beforeAll(() => setTexts(de))

const told = ({ text, key, values }: ReturnType<typeof abstention>) =>
  abstentionText({ abstains: text, abstainsKey: key, abstainsContext: values })

test("why a rule abstains is explained in the user's language", () => {
  expect(told(abstention('treeEmpty', { datasource: 'nas' }))).toBe('nas ist leer.')
  expect(told(abstention('historyAway'))).toBe(de['retention.abstainsHistory'])
  expect(told(abstention('treeFailed', { datasource: 'nas', problem: 'EIO' }))).toContain('(EIO)')
})

test("an unknown reason is shown in the server's words", () => {
  expect(abstentionText({ abstains: 'why', abstainsKey: 'new', abstainsContext: null })).toBe('why')
})
