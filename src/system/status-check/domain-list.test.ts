import { expect, test } from 'bun:test'
import { hostName, manifestName, readDomainList } from './domain-list.ts'

const files: Record<string, string> = {
  'a.txt': '# comment\nCDN.Example.com\n\n*.example.org # all\nnot a name\n#x.com\n',
  'b.txt': 'cdn.example.com\r\nother.example.com\r\n',
}
const read = (manifest: unknown) =>
  readDomainList((file) =>
    file === manifestName ? JSON.stringify(manifest) : (files[file] ?? null),
  )
const domains = ['cdn.example.com', '*.example.org', 'other.example.com']

test.each([
  [{ cache_domains: [{ name: 'one', description: 'One', domain_files: ['a.txt', 'b.txt'] }] }],
  [{ cache_domains: { one: { description: 'One', domain_files: ['a.txt', 'b.txt'] } } }],
  [{ one: { description: 'One', domain_files: ['a.txt', 'b.txt'] } }],
])('reads the manifest %j', (manifest) => {
  expect(read(manifest)).toEqual([{ name: 'one', description: 'One', domains }])
})

test('reads a table of files, and leaves out services without names', () => {
  expect(read({ one: ['a.txt', 'b.txt'], two: ['missing.txt'] })).toEqual([
    { name: 'one', description: '', domains },
  ])
})

test('other manifests have no names', () => {
  const others = [null, [], {}, 'text', { cache_domains: 5 }, { cache_domains: [{ name: 'x' }] }]
  for (const manifest of others) expect(read(manifest)).toEqual([])
})

test('only host names with at least two labels are names', () => {
  expect(hostName(' *.A.example. ')).toBe('*.a.example')
  for (const text of [
    '',
    'localhost',
    '*',
    '*.*.com',
    'a..b',
    'a b.com',
    `${'x'.repeat(64)}.com`,
  ]) {
    expect(hostName(text)).toBeNull()
  }
})
