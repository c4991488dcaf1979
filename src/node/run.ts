/*
 * A node: the part of Larder that needs the disks of a cache. It runs the engines of logs, cache,
 * disk and log scans beside the cache, with a data folder of its own, and connects to a service that
 * drives them and has everything else. While the service cannot be reached, the node goes on
 * reading; rows wait in its `hot.sqlite` within the usual bound.
 */
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { withDiscovered } from '../cache/datasources/discover.ts'
import { createProxyControl } from '../cache/proxy/create.ts'
import { reopenUntilDone } from '../cache/proxy/reopen-until-done.ts'
import { updateStores } from '../../db/update-stores.ts'
import { readConfig, type Config } from '../core/config.ts'
import type { Channel } from '../core/lib/channel.ts'
import { systemClock } from '../core/lib/clock.ts'
import { errorText } from '../core/lib/error-text.ts'
import { createLogger, type Logger } from '../core/lib/log.ts'
import { readSecretFile, writeSecretFile } from '../core/lib/secret-file.ts'
import { SettingError, SettingsReader, type Environment } from '../core/lib/settings-reader.ts'
import { systemTimers } from '../core/lib/timers.ts'
import { lockDataFolder } from '../core/process/data-lock.ts'
import type { Ending } from '../core/process/ending.ts'
import { isRecord } from '../core/lib/record.ts'
import { downloadIdStep } from '../engines/shipper/contract.ts'
import { connectNode } from '../nodes/client.ts'
import type { NodeIdentity } from '../nodes/contract.ts'
import { NodeEngines, type NodePlace } from './engines.ts'

/** `security/place.json` of the node's data folder. */
const Place = Type.Object({
  id: Type.String(),
  slot: Type.Integer({ minimum: 1, maximum: downloadIdStep - 1 }),
  name: Type.String(),
})

/** `EX_CONFIG`: starting again changes nothing until an operator does something. */
const configurationExitCode = 78
const aliveMs = 3_600_000

const placePath = (dataPath: string) => join(dataPath, 'security', 'place.json')

function knownPlace(dataPath: string): NodePlace | null {
  const text = readSecretFile(placePath(dataPath))
  const stored: unknown = text === null ? null : JSON.parse(text)
  return Value.Check(Place, stored) ? stored : null
}

/** Names of datasources are unique over all nodes, so the only one of a node has the node's. */
function namedAfter(config: Config, node: string): Config {
  const [first, ...others] = config.datasources
  if (first?.name !== 'default' || others.length > 0) return config
  return { ...config, datasources: [{ ...first, name: node.replaceAll(/[^A-Za-z0-9._-]+/g, '-') }] }
}

/** The node's side of the connection, and its engines as soon as it has a place. */
class Node {
  readonly #config: Config
  readonly #log: Logger
  #engines: NodeEngines | null = null
  #channel: Channel | null = null

  constructor(config: Config, log: Logger) {
    this.#config = config
    this.#log = log
  }

  get isConnected(): boolean {
    return this.#channel !== null
  }

  /** Reading begins. */
  async begin(place: NodePlace): Promise<NodeEngines> {
    if (this.#engines !== null) return this.#engines
    const log = this.#log
    const config = namedAfter(this.#config, place.name)
    const proxy = createProxyControl({ config, clock: systemClock, log })
    const engines = new NodeEngines({
      config,
      log,
      place,
      proxy,
      onHistoryCall: (call) => this.#send({ kind: 'history', ...call }),
      onReopenWanted: reopenUntilDone({
        proxy,
        logs: { logsReopened: (mark) => engines.logs.run('reopened', { mark }) },
        log,
        isEnabled: config.logRotation.isEnabled,
        timers: systemTimers,
      }),
    })
    this.#engines = engines
    log.info({ datasources: config.datasources.map(({ name }) => name) }, 'the node reads')
    void engines.cache.start()
    await engines.logs.start()
    return engines
  }

  readonly connected = ({ id, name }: NodeIdentity, channel: Channel): void => {
    this.#channel = channel
    this.#log.info({ name }, 'connected to the service')
    this.#engines?.server.connected(channel)
    channel.onMessage = (message) => {
      if (this.#engines?.server.received(message) === true || !isRecord(message)) return
      const place = { id, name, slot: message['slot'] }
      if (message['kind'] === 'history') this.#engines?.answered(message['id'], message['answer'])
      if (message['kind'] !== 'welcome' || !Value.Check(Place, place)) return
      this.#welcomed(place, channel).catch((error: unknown) => channel.close(errorText(error)))
    }
    channel.onClose = (reason) => {
      if (this.#channel !== channel) return
      this.#channel = null
      this.#log.warn({ reason }, 'the connection to the service ended')
      this.#engines?.disconnected()
    }
  }

  async #welcomed(place: NodePlace, channel: Channel): Promise<void> {
    const { dataPath } = this.#config
    const known = knownPlace(dataPath)
    // A name that was given later changes nothing: rows have the first one.
    const kept = known?.id === place.id ? { ...place, name: known.name } : place
    writeSecretFile(placePath(dataPath), JSON.stringify(kept))
    const engines = await this.begin(kept)
    if (this.#channel !== channel) return
    engines.server.connected(channel)
    const { cacheAddress } = this.#config.node
    // Before any row: the service takes rows of datasources that it knows.
    this.#send({ kind: 'sources', sources: engines.datasources, cacheAddress })
    await engines.connected()
  }

  #send(message: unknown): void {
    try {
      this.#channel?.send(message)
    } catch (error) {
      this.#channel?.close(errorText(error))
    }
  }

  async stop(): Promise<void> {
    this.#channel?.close('the node stops')
    await this.#engines?.stop()
  }
}

/** Starts the node. Returns how to stop it. */
export async function startNode(
  configured: Config,
  log: Logger,
  /** Of `/health`; null: none. */
  port: number | null,
): Promise<() => Promise<void>> {
  const { serviceUrl, token } = configured.node
  if (serviceUrl === null) {
    throw new SettingError('Node__Service: is missing; the address of the dashboard')
  }
  const config = withDiscovered(configured)
  const { dataPath } = config
  const unlock = lockDataFolder(dataPath)
  // Threads and timers of the connection do not keep a process running.
  const alive = setInterval(() => {}, aliveMs)
  updateStores(dataPath)
  const node = new Node(config, log)
  const place = knownPlace(dataPath)
  if (place !== null) await node.begin(place)
  const connection = connectNode({ dataPath, serviceUrl, token, log, onConnect: node.connected })
  const health = serveHealth(port, () => ({
    status: 'ok',
    isConnected: node.isConnected,
    problem: connection.problem(),
  }))
  log.info({ service: serviceUrl }, 'the node is up')
  return async () => {
    log.info('stopping')
    connection.stop()
    await health?.stop(true)
    await node.stop()
    clearInterval(alive)
    unlock()
    log.info('stopped')
  }
}

/** For containers; there is no other API. */
function serveHealth(port: number | null, state: () => object) {
  if (port === null) return null
  return Bun.serve({
    port,
    fetch: (request) =>
      new URL(request.url).pathname === '/health'
        ? Response.json(state())
        : new Response(null, { status: 404 }),
  })
}

/** Starts a node as this process. */
export function run(ending: Ending, environment: Environment): void {
  const config = readConfig(environment)
  const log = createLogger(config.logLevel)
  ending.reportThrough((error, text) => log.fatal({ err: error }, text))
  const port = new SettingsReader(environment).optionalInteger('PORT', { min: 0, max: 65_535 })
  const started = startNode(config, log, port).catch((error: unknown) => {
    process.stderr.write(`Larder cannot start: ${errorText(error)}\n`)
    return process.exit(configurationExitCode)
  })
  ending.stopsAfter(started)
}
