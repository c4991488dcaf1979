import type { Config } from '../../core/config.ts'
import { perPlatform, type Platform } from '../../platforms/platforms.ts'
import { BuiltinTransport, type BuiltinParts } from './builtin.ts'
import type { Transport } from './contract.ts'
import { outsideTransport } from './outside.ts'

interface Parts extends Omit<BuiltinParts, 'basePath'> {
  config: Config
  container: Transport
}

export function createTransports(parts: Parts): Record<Platform, Transport> {
  const { config, container } = parts
  const { basePath, transports } = config.prefill
  return perPlatform((platform) => {
    const choice = transports[platform]
    if (choice.kind === 'builtin') return new BuiltinTransport({ ...parts, basePath })
    return choice.kind === 'container' ? container : outsideTransport(parts, choice)
  })
}
