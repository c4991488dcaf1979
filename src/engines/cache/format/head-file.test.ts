import { expect, test } from 'bun:test'
import { statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { cacheFilePath, sliceKey, writeCacheFile } from '../../../demo/cache-generator.ts'
import { readHeadFile, readHeadFileLater } from './head-file.ts'
import { digestOf } from './key.ts'

test('reading a file keeps its access time', async () => {
  const root = tempFolder('heads')
  const key = sliceKey('steam', '/depot/731/chunk/a', 0)
  writeCacheFile(root, { key, body: new Uint8Array(9), storedAt: 5 })
  const path = join(root, cacheFilePath(key))
  utimesSync(path, 1000, 2000)
  expect(readHeadFile(path, digestOf(key))).toMatchObject({ kind: 'read', head: { issues: [] } })
  expect(await readHeadFileLater(path, digestOf(key))).toMatchObject({ kind: 'read' })
  expect(statSync(path).atimeMs).toBe(1_000_000)
})

test('reads files of another owner, many in parallel, too', () => {
  const here = JSON.stringify(new URL('./head-file.ts', import.meta.url).href)
  // Runs as an ordinary user, who may read this system file but does not own it.
  const script = `
    if (process.getuid() === 0) process.setuid(65534)
    const { readHeadFile, readHeadFileLater } = await import(${here})
    const several = Array.from({ length: 4 }, () => readHeadFileLater('/etc/passwd', 'passwd'))
    const outcomes = [...(await Promise.all(several)), readHeadFile('/etc/passwd', 'passwd')]
    console.log(outcomes.map(({ kind }) => kind).join(' '))`
  const { stdout } = Bun.spawnSync([process.execPath, '-e', script])
  expect(stdout.toString().trim()).toBe('read read read read read')
})
