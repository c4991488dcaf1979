import type { Config } from '../../core/config.ts'
import { platforms, type Platform } from '../../platforms/platforms.ts'
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
  const of = (platform: Platform): Transport => {
    const choice = transports[platform]
    if (choice.kind === 'builtin') return new BuiltinTransport({ ...parts, basePath })
    return choice.kind === 'container' ? container : outsideTransport(parts, choice)
  }
  const entries = platforms.map((platform) => [platform, of(platform)] as const)
  // Every platform is in the list.
  return Object.fromEntries(entries) as Record<Platform, Transport>
}
