import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sliceKey, writeCacheFile } from '../../src/demo/cache-generator.ts'
import { createProxyControl } from '../../src/cache/proxy/create.ts'
import { readConfig } from '../../src/core/config.ts'
import type { Channel } from '../../src/core/lib/channel.ts'
import { isRecord } from '../../src/core/lib/record.ts'
import { systemClock } from '../../src/core/lib/clock.ts'
import { NodeEngines } from '../../src/node/engines.ts'
import type { NodeIdentity, Nodes } from '../../src/nodes/contract.ts'
import { updateStores } from '../../db/update-stores.ts'
import type { TestApp } from './app.ts'
import { channelPair } from './channel-pair.ts'
import { cleanups } from './cleanup.ts'
import { eventually } from './eventually.ts'
import { quietLog } from './quiet-log.ts'
import { tempFolder } from './temp-folder.ts'

/** Nodes of an application, with real engines, in this process. They send no rows. */
export function nodesOf(app: TestApp) {
  let connect: (node: NodeIdentity, channel: Channel) => void = () => {}
  let remove: (id: string) => void = () => {}
  let rename: (node: NodeIdentity) => void = () => {}
  const nodes: Nodes = {
    list: () => [],
    onConnect: (listener) => void (connect = listener),
    onRemoved: (listener) => void (remove = listener),
    onRenamed: (listener) => void (rename = listener),
  }
  app.nodeHosts.attach(nodes, app.logs)

  return function createNode(name: string) {
    const root = tempFolder(`node-${name}`)
    for (const folder of ['data', 'cache', 'logs']) mkdirSync(join(root, folder))
    writeFileSync(join(root, 'logs', 'access.log'), '')
    const config = readConfig({
      DATA_PATH: join(root, 'data'),
      LanCache__DataSources__0__Name: name,
      LanCache__DataSources__0__LogPath: join(root, 'logs'),
      LanCache__DataSources__0__CachePath: join(root, 'cache'),
    })
    updateStores(config.dataPath)
    let engines: NodeEngines | null = null
    let open: Channel | null = null
    cleanups.push(async () => engines?.stop())

    async function welcomed(slot: number, channel: Channel): Promise<void> {
      engines ??= new NodeEngines({
        config,
        log: quietLog,
        place: { id: name, slot, name },
        onHistoryCall() {},
        onReopenWanted() {},
        proxy: createProxyControl({ config, clock: systemClock, log: quietLog }),
      })
      engines.server.connected(channel)
      await engines.cache.start()
      await engines.logs.start()
      channel.send({ kind: 'sources', sources: engines.datasources })
    }

    const host = () => app.nodeHosts.all().find((one) => one.datasources().includes(name))
    return {
      name,
      cachePath: config.datasources[0]?.cachePath ?? '',
      host,
      /** Stores one cache file; returns its path. */
      put: (tag: string, path: string, storedAt = 1_790_000_000) =>
        writeCacheFile(join(root, 'cache'), {
          key: sliceKey(tag, path, 0),
          body: Buffer.alloc(500, 1),
          storedAt,
        }),
      /** Resolves when the service has listed its datasources. */
      async join(): Promise<void> {
        const { service, node } = channelPair()
        open = node
        node.onMessage = (message) => {
          if (engines?.server.received(message) === true || !isRecord(message)) return
          if (message['kind'] === 'welcome') void welcomed(Number(message['slot']), node)
        }
        node.onClose = () => engines?.disconnected()
        connect({ id: name, name }, service)
        await eventually(() => host()?.awaySince() === null, `${name} is connected`)
      },
      async leave(): Promise<void> {
        open?.close('cut off')
        await eventually(() => host()?.awaySince() !== null, `${name} is away`)
      },
      rename: (to: string) => rename({ id: name, name: to }),
      remove: () => remove(name),
    }
  }
}
