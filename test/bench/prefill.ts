import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { daemonProcess } from '../support/daemon-process.ts'
import { peakOf } from './cache.ts'
import { serveLargeProduct } from './large-product.ts'

export interface PrefillTimed {
  seconds: number
  bytes: number
  peakBytes: number
}

/** A run of Battle.net's daemon on a product as large as World of Warcraft. */
export async function timePrefill(root: string): Promise<PrefillTimed> {
  const [folder, content] = [join(root, 'prefill'), join(root, 'prefill-content')]
  for (const path of [folder, content]) mkdirSync(path)
  const { port, url, stop } = await serveLargeProduct(content)
  const environment = { Gamma__VersionsBaseUrl: url, LANCACHE_IP: `127.0.0.1:${port}` }
  const daemon = daemonProcess({ platform: 'gamma', folder, environment })
  try {
    const client = await daemon.connect()
    const startMs = performance.now()
    await client.ask('prefill', { products: '["wow"]' })
    const { updatedApps, totalBytesTransferred: bytes } = await client.ended()
    const seconds = (performance.now() - startMs) / 1000
    if (updatedApps !== 1) throw new Error('the product could not be prefilled')
    return { seconds, bytes, peakBytes: peakOf(daemon.process.pid) }
  } finally {
    daemon.process.kill()
    await stop()
  }
}
