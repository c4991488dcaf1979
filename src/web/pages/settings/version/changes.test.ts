import { expect, test } from 'bun:test'
import changelog from '../../../../../CHANGELOG.md' with { type: 'text' }
import { releasesOf } from './changes.ts'

const text: string = changelog

test("every word of the changelog's releases is shown, once and in order", () => {
  const words = (part: string) => part.split(/\s+/).filter((word) => !/^([#-]*|)$/.test(word))
  const shown = releasesOf(text).flatMap(({ title, sections }) => [
    title,
    ...sections.flatMap((section) => [section.title, ...section.entries]),
  ])
  const written = text.slice(text.indexOf('\n## '))
  expect(words(shown.join(' '))).toEqual(words(written.replaceAll(/^## \[(.*)\]/gm, '## $1')))
  expect(shown.length).toBeGreaterThan(20)
})

test('a release has its sections, and a wrapped entry is one', () => {
  const two =
    '# Changelog\n\n## [1.1.0] - 2026-11-25\n\n### Added\n\n- One\n  more.\n- Two.\n\n## 1.0.0\n'
  expect(releasesOf(two)).toEqual([
    {
      title: '1.1.0 - 2026-11-25',
      sections: [{ title: 'Added', entries: ['One more.', 'Two.'] }],
    },
    { title: '1.0.0', sections: [] },
  ])
})
