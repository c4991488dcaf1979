import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Visitor } from '../../src/demo/visitor.ts'
import { atEnd } from './cleanup.ts'
import { eventually } from './eventually.ts'

/** It writes a month of log first, which takes long beside other tests. */
const startLimitMs = 240_000
const stopLimitMs = 60_000

export interface Demo {
  process: Bun.Subprocess
  url: string
  /** The folder of its data. */
  root: string
  /** Signs in as the owner, whose credentials it prints, from a new address: each may five times a minute. */
  owner(): Promise<Visitor>
}

let addresses = 0

/** Resolves when the demo has printed where it is. It is stopped after the file's last test. */
export async function startDemo(): Promise<Demo> {
  // The dashboard of these sources.
  const prepare = join(import.meta.dir, '../../tools/prepare.ts')
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, prepare, '--web'])
  if (exitCode !== 0) throw new Error(stderr.toString())
  const child = Bun.spawn([process.execPath, join(import.meta.dir, '../../src/demo/main.ts')], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      // In memory: a disk can take half a minute to remove its files.
      TMPDIR: tmpdir(),
      PORT: '0',
      HOST: '127.0.0.1',
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  atEnd(async () => {
    // Killed hard, it would leave its database and daemons running beside the next tests.
    child.kill('SIGTERM')
    const hard = setTimeout(() => child.kill('SIGKILL'), stopLimitMs)
    await child.exited
    clearTimeout(hard)
  })
  let output = ''
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const block of stream) output += new TextDecoder().decode(block)
  }
  void collect(child.stdout)
  void collect(child.stderr)
  await eventually(
    () => {
      if (child.exitCode !== null) throw new Error(`the demo ended:\n${output}`)
      return output.includes('Ctrl+C')
    },
    'the demo says where it is',
    startLimitMs,
  )
  const printed = (name: string): string =>
    new RegExp(`^\\s*${name}\\s+(\\S+)$`, 'm').exec(output)?.[1] ?? ''
  const url = printed('address')
  return {
    process: child,
    url,
    root: /data in (\S+)/.exec(output)?.[1] ?? '',
    async owner() {
      const visitor = new Visitor(url, `127.0.2.${++addresses}`)
      const account = { username: printed('account'), password: printed('password') }
      await visitor.signIn(printed('key'), account)
      return visitor
    },
  }
}
