import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

const documents = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].concat([
  ...new Bun.Glob('docs/*.md').scanSync('.'),
])

/** Anchors that a hosting site gives to the headings of a document. */
const anchors = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

test.each(documents)('%s: links lead to files and headings that exist', async (path) => {
  const text = await Bun.file(path).text()
  const broken: string[] = []
  for (const [, link, source] of text.matchAll(/\]\(([^)\s]+)\)|src(?:set)?="([^"]+)"/g)) {
    const target = link ?? source ?? ''
    if (URL.canParse(target)) continue
    const [file = '', anchor] = target.split('#', 2)
    const linked = file === '' ? path : join(dirname(path), file)
    const isFound =
      existsSync(linked) &&
      (anchor === undefined || anchors(await Bun.file(linked).text()).includes(anchor))
    if (!isFound) broken.push(target)
  }
  expect(broken).toEqual([])
})

test.each([
  ['README.md', 130],
  ['docs/architecture.md', 250],
])('%s has at most %d lines', async (path, most) => {
  const lines = (await Bun.file(path).text()).split('\n').length - 1
  expect(lines).toBeLessThanOrEqual(most)
})
