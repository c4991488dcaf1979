import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { packBase } from './base-image.ts'
import { docker, run, tryCommand } from './docker.ts'
import { packPrograms, programs } from './program-image.ts'

const project = join(import.meta.dir, '../..')
const pullTimeoutMs = 60_000
const startMs = 30_000
const buildTimeoutMs = 600_000

/** The image that a Dockerfile builds on unless another value is given. */
export const baseOf = (dockerfile: string) => /^ARG BASE=(\S+)$/m.exec(dockerfile)?.[1]

const isRunning = async () => (await tryCommand(['docker', 'info'])).exitCode === 0

/**
 * Whether tests can use the machine's engine or start one of their own, and else why not: starting
 * one needs root's rights to make mounts and control groups.
 */
export async function findEngine(): Promise<'running' | 'startable' | { problem: string }> {
  for (const program of ['docker', 'dockerd']) {
    if (Bun.which(program) === null) return { problem: `${program} is not installed` }
    if (program === 'docker' && (await isRunning())) return 'running'
  }
  if (process.getuid?.() !== 0) return { problem: 'no engine runs, and only root can start one' }
  const engine = new Engine()
  const probe = 'larder-engine-probe'
  try {
    await engine.open()
    await packPrograms({ tag: probe, programs: programs('true') })
    await docker('run', '--rm', '--network=host', probe, 'true')
    return 'startable'
  } catch (error) {
    const [line = ''] = String(error).split('\n').slice(-1)
    return { problem: `no container can be run here: ${line}` }
  } finally {
    await engine.close()
  }
}

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
    const root = tempFolder('engine')
    this.#root = root
    const address = `unix://${join(root, 'docker.sock')}`
    const files = ['--host', address, '--pidfile', join(root, 'pid')]
    const folders = ['--data-root', join(root, 'data'), '--exec-root', join(root, 'exec')]
    // Containers use the machine's own network: nothing of its firewall is touched.
    const network = ['--bridge=none', '--iptables=false', '--ip6tables=false', '--ip-forward=false']
    const daemon = Bun.spawn(['dockerd', ...files, ...folders, ...network], {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: Bun.file(join(root, 'log')),
    })
    this.#daemon = daemon
    process.env['DOCKER_HOST'] = address
    const isUp = async () => {
      if (daemon.exitCode === null) return isRunning()
      const lines = readFileSync(join(root, 'log'), 'utf8').trim().split('\n')
      throw new Error(lines.at(-1) ?? 'dockerd ended')
    }
    await eventually(isUp, 'the container engine answers', startMs)
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
    await packBase(base)
    this.#images.push(base)
  }
}
