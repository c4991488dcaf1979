import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Visitor } from '../../src/demo/visitor.ts'
import { processesNaming } from './processes.ts'
import { eventually } from '../support/eventually.ts'

const demo = Bun.spawn([process.execPath, join(import.meta.dir, '../../src/demo/main.ts')], {
  env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0', HOST: '127.0.0.1' },
  stdin: 'ignore',
  stdout: 'pipe',
  stderr: 'pipe',
})
let output = ''
let root = ''

const printed = (name: string): string =>
  new RegExp(`^\\s*${name}\\s+(\\S+)$`, 'm').exec(output)?.[1] ?? ''

async function collect(stream: ReadableStream<Uint8Array>): Promise<void> {
  for await (const block of stream) output += new TextDecoder().decode(block)
}

beforeAll(async () => {
  void collect(demo.stdout)
  void collect(demo.stderr)
  await eventually(() => {
    if (demo.exitCode !== null) throw new Error(`the demo ended:\n${output}`)
    return output.includes('Ctrl+C')
  }, 'the demo says where it is')
  root = /data in (\S+)/.exec(output)?.[1] ?? ''
})

afterAll(async () => {
  demo.kill('SIGKILL')
  await demo.exited
})

describe('the demo', () => {
  test('accepts the printed credentials, and shows a month', async () => {
    const visitor = new Visitor(printed('address'))
    const account = { username: printed('account'), password: printed('password') }
    await visitor.signIn(printed('key'), account)
    const served = async () => {
      const response = await visitor.request('GET', '/api/stats/dashboard')
      if (response.status !== 200) return 0
      // Form given by the contract.
      return ((await response.json()) as { totalServed: number }).totalServed
    }
    // About 290 GB; less means that the import is still running.
    await eventually(async () => (await served()) > 250e9, 'the history is imported')
    const isBusy = async () =>
      (await visitor.read<{ totalBytesPerSecond: number }>('/api/Speeds/current'))
        .totalBytesPerSecond > 0
    await eventually(isBusy, 'something is downloading')
  })

  test('leaves nothing behind', async () => {
    expect(existsSync(root)).toBe(true)
    demo.kill('SIGINT')
    expect(await demo.exited).toBe(0)
    expect(existsSync(root)).toBe(false)
    expect(processesNaming(root)).toEqual([])
  })
})
