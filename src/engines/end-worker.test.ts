import { beforeEach, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { endWorker, isBlocked } from './end-worker.ts'

let proc: string
beforeEach(() => void (proc = tempFolder('proc')))

function list(state: string, wchan: string): void {
  mkdirSync(join(proc, '7/task/9'), { recursive: true })
  writeFileSync(join(proc, '7/task/9/stat'), `9 (a) R b) ${state} 1 2 3`)
  writeFileSync(join(proc, '7/task/9/wchan'), wchan)
}

test.each([
  ['D', 'rpc_wait_bit_killable', true],
  ['D', '0', true],
  ['S', 'request_wait_answer', true],
  ['S', 'ep_poll', false],
  ['S', 'futex_do_wait', false],
  ['S', 'anon_pipe_read', false],
  ['R', '0', false],
])('a thread in state %s at %s: %p', (state, wchan, expected) => {
  list(state, wchan)
  expect(isBlocked('7/task/9', proc)).toBe(expected)
})

test('a thread that is not listed is not blocked', () => {
  expect(isBlocked('7/task/9', proc)).toBe(false)
})

test('an idle worker is terminated at once', () => {
  let terminated = 0
  expect(endWorker({ terminate: () => void terminated++ }, [])).toBeNull()
  expect(terminated).toBe(1)
})
