import { beforeAll, expect, test } from 'bun:test'
import de from '../../locales/de.events.json'
import { setTexts } from '../../locales/translate.ts'
import { listedText } from './listed-text.ts'

beforeAll(() => setTexts({ ...de, 'count.downloads.other': '{count} Downloads' }))

test('a list that the service has cut is not called all downloads', () => {
  expect(listedText(999)).toBe('999 Downloads')
  expect(listedText(1000)).toContain('neuesten')
})
