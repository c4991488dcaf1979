import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { run, tryCommand } from './docker.ts'

const project = join(import.meta.dir, '../..')
const pullTimeoutMs = 60_000
const baseTimeoutMs = 300_000
const buildTimeoutMs = 600_000

/** The image that a Dockerfile builds on unless told otherwise. */
export const baseOf = (dockerfile: string) => /^ARG BASE=(\S+)$/m.exec(dockerfile)?.[1]

const isRunning = async () => (await tryCommand(['docker', 'info'])).exitCode === 0

/** The machine's container engine, or one of our own for the time of the test. */
export class Engine {
  /** Of our own engine: everything it keeps. */
  #root: string | null = null
  #daemon: Bun.Subprocess | null = null
  /** Removed at the end. */
  readonly #images: string[] = []

  /** Throws when there is no engine and none can be started. */
  async open(): Promise<void> {
    if (await isRunning()) return
    const root = mkdtempSync(join(tmpdir(), 'larder-engine-'))
    this.#root = root
    const address = `unix://${join(root, 'docker.sock')}`
    const files = ['--host', address, '--pidfile', join(root, 'pid')]
    const folders = ['--data-root', join(root, 'data'), '--exec-root', join(root, 'exec')]
    // Containers use the machine's own network: nothing of its firewall is touched.
    const network = ['--bridge=none', '--iptables=false', '--ip6tables=false', '--ip-forward=false']
    this.#daemon = Bun.spawn(['dockerd', ...files, ...folders, ...network], {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: Bun.file(join(root, 'log')),
    })
    process.env['DOCKER_HOST'] = address
    await eventually(isRunning, 'the container engine answers')
  }

  /** Builds the image of this checkout; the base is pulled, or made here. */
  async build(tag: string): Promise<void> {
    const dockerfile = readFileSync(join(project, 'Dockerfile'), 'utf8')
    const base = baseOf(dockerfile)
    if (base === undefined) throw new Error('the Dockerfile names no base')
    await this.#provide(base)
    this.#images.push(tag)
    const build = ['docker', 'build', '--network=host', '--rm', '--force-rm', '--tag', tag, project]
    await run(build, buildTimeoutMs)
  }

  /** For images that were made elsewhere: they go when the engine is closed. */
  owns(...images: string[]): void {
    this.#images.push(...images)
  }

  async close(): Promise<void> {
    for (const image of this.#images) await tryCommand(['docker', 'image', 'rm', '--force', image])
    if (this.#daemon === null || this.#root === null) return
    this.#daemon.kill('SIGTERM')
    await this.#daemon.exited
    delete process.env['DOCKER_HOST']
    // The daemon leaves the mount of the machine's own network behind.
    for (const line of readFileSync('/proc/mounts', 'utf8').split('\n').toReversed()) {
      const point = line.split(' ')[1] ?? ''
      if (point.startsWith(`${this.#root}/`)) await tryCommand(['umount', point])
    }
    rmSync(this.#root, { recursive: true, force: true })
  }

  async #provide(base: string): Promise<void> {
    const known = await tryCommand(['docker', 'image', 'inspect', base])
    if (known.exitCode === 0) return
    const pulled = await tryCommand(['docker', 'pull', '--quiet', base], pullTimeoutMs)
    if (pulled.exitCode === 0) return
    const work = mkdtempSync(join(tmpdir(), 'larder-base-'))
    const make = [join(import.meta.dir, 'base.sh'), base, process.execPath, work]
    await run(make, baseTimeoutMs)
    this.#images.push(base)
  }
}
