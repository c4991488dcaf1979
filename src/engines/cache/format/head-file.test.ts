import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { piecePath, sliceKey, writePiece } from '../../../demo/cache-generator.ts'
import { readHeadFile, readHeadFileLater } from './head-file.ts'
import { digestOf } from './key.ts'

test('looking at a file leaves its time of access alone', async () => {
  const root = mkdtempSync(join(tmpdir(), 'larder-heads-'))
  try {
    const key = sliceKey('steam', '/depot/731/chunk/a', 0)
    writePiece(root, { key, body: new Uint8Array(9), storedAt: 5 })
    const path = join(root, piecePath(key))
    utimesSync(path, 1000, 2000)
    expect(readHeadFile(path, digestOf(key))).toMatchObject({ kind: 'read', head: { issues: [] } })
    expect(await readHeadFileLater(path, digestOf(key))).toMatchObject({ kind: 'read' })
    expect(statSync(path).atimeMs).toBe(1_000_000)
  } finally {
    rmSync(root, { recursive: true })
  }
})

test('files of somebody else are read all the same, many at once too', () => {
  const here = JSON.stringify(new URL('./head-file.ts', import.meta.url).href)
  // As an ordinary user, who may read this file of the system but does not own it.
  const script = `
    if (process.getuid() === 0) process.setuid(65534)
    const { readHeadFile, readHeadFileLater } = await import(${here})
    const several = Array.from({ length: 4 }, () => readHeadFileLater('/etc/passwd', 'passwd'))
    const outcomes = [...(await Promise.all(several)), readHeadFile('/etc/passwd', 'passwd')]
    console.log(outcomes.map(({ kind }) => kind).join(' '))`
  const { stdout } = Bun.spawnSync([process.execPath, '-e', script])
  expect(stdout.toString().trim()).toBe('read read read read read')
})
