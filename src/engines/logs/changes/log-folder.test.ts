import { beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { rotate } from '../log-retention/log-retention-files.ts'
import { unlinkLog } from './log-folder.ts'
import { removeLeftovers } from './removal.ts'
import { RewriteRefused } from './rewrite-refused.ts'
import { TemporaryFile, temporarySuffix } from './rewrite.ts'

const name = 'access.log'
let root = ''
let logs = ''
let foreign = ''
let log = ''

beforeEach(() => {
  root = tempFolder('log-folder')
  logs = join(root, 'logs')
  foreign = join(root, 'foreign')
  log = join(logs, name)
  for (const path of [logs, foreign]) mkdirSync(path)
  writeFileSync(log, 'ours')
  writeFileSync(join(foreign, name), 'theirs')
})

const identity = (path: string) => {
  const { dev, ino } = statSync(path)
  return { device: String(dev), inode: String(ino) }
}
function swap(): void {
  renameSync(logs, join(root, 'aside'))
  symlinkSync(foreign, logs)
}
const isForeignWhole = () =>
  readdirSync(foreign).join() === name && readFileSync(join(foreign, name), 'utf8') === 'theirs'

test('deletes a log only from the folder in which it was found', () => {
  const found = identity(log)
  swap()
  expect(() => unlinkLog(log, found)).toThrow(RewriteRefused)
  expect(isForeignWhole()).toBe(true)
  rmSync(logs)
  renameSync(join(root, 'aside'), logs)
  unlinkLog(log, found)
  expect(existsSync(log)).toBe(false)
})

test('writes no new version into a folder that was swapped before', () => {
  const found = identity(log)
  swap()
  expect(() => new TemporaryFile(log, found)).toThrow('it was changed')
  expect(isForeignWhole()).toBe(true)
})

test('a folder that is swapped meanwhile does not redirect the new version', () => {
  const temporary = new TemporaryFile(log, identity(log))
  temporary.add(Buffer.from('new'))
  swap()
  temporary.sync()
  renameSync(temporary.path, temporary.original)
  temporary.close()
  expect(isForeignWhole()).toBe(true)
  expect(readFileSync(join(root, 'aside', name), 'utf8')).toBe('new')
})

test('nor the removal of an abandoned new version', () => {
  const temporary = new TemporaryFile(log, identity(log))
  swap()
  writeFileSync(join(foreign, `${name}${temporarySuffix}`), 'theirs')
  temporary.discard()
  expect(existsSync(join(foreign, `${name}${temporarySuffix}`))).toBe(true)
  expect(readdirSync(join(root, 'aside'))).toEqual([name])
})

test('removes only regular files as leftovers of a crash', () => {
  const own = join(logs, `${name}${temporarySuffix}`)
  const link = join(logs, `link${temporarySuffix}`)
  writeFileSync(own, 'x')
  symlinkSync(join(foreign, name), link)
  removeLeftovers([logs], { info() {}, warn() {} })
  expect(readdirSync(logs).sort()).toEqual([name, `link${temporarySuffix}`])
  expect(isForeignWhole()).toBe(true)
})

test('renumbers files within the folder', () => {
  writeFileSync(`${log}.1`, 'older')
  rotate(log, name)
  expect(readdirSync(logs).sort()).toEqual([`${name}.1`, `${name}.2`])
  expect(readFileSync(`${log}.2`, 'utf8')).toBe('older')
})
