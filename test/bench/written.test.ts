import { expect, test } from 'bun:test'
import { withSection } from './written.ts'

const document = '# Title\n\nText.\n\n## One\n\nold\n\n## One more\n\nkept\n'

test('a section replaces its earlier one and leaves the others', () => {
  expect(withSection(document, 'One', 'new')).toBe(document.replace('old', 'new'))
})

test('a new section comes last; writing it again changes nothing', () => {
  const written = withSection(document, 'Two', 'figures')
  expect(written).toBe(`${document}\n## Two\n\nfigures\n`)
  expect(withSection(written, 'Two', 'figures')).toBe(written)
})
