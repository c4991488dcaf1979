import { platforms, type Platform } from '../../platforms/platforms.ts'
import { daemonFacts, type DaemonFacts } from '../../platforms/service-facts.ts'
import type { Engine } from './engine.ts'
import type { DaemonSettings } from './settings.ts'

/** A platform, or the practice engine of tests. */
export type DaemonPlatform = Platform | 'test'

type EngineMaker = (settings: DaemonSettings) => Promise<Engine>

/** Engines are loaded when they are needed: one process runs one of them. */
const makers: Readonly<Record<Platform, EngineMaker>> = {
  alpha: async (settings) => (await import('./alpha/engine.ts')).createAlphaEngine(settings),
  beta: async (settings) => (await import('./beta/engine.ts')).createBetaEngine(settings),
  gamma: async (settings) => (await import('./gamma/engine.ts')).createGammaEngine(settings),
  delta: async (settings) => (await import('./delta/engine.ts')).createDeltaEngine(settings),
  epsilon: async (settings) => (await import('./epsilon/engine.ts')).createEpsilonEngine(settings),
}

/** There is no engine for what was asked. The text says what to do instead. */
export class NoEngine extends Error {}

const practiceWire: DaemonFacts = {
  needsLogin: true,
  autoLogin: 'answered',
  hasNumericIds: false,
  credentialInfo: 'TestPrefill-Credential-Encryption',
}

/** The platform of a command line. Throws NoEngine. */
export function daemonPlatform(name: string | undefined): DaemonPlatform {
  const found = platforms.find((platform) => platform === name)
  if (found !== undefined) return found
  if (name === 'test') return name
  throw new NoEngine(`name a platform: ${platforms.join(', ')}`)
}

/** The engine of a daemon. Rejects with NoEngine. */
export async function createEngine(
  platform: DaemonPlatform,
  settings: DaemonSettings,
): Promise<Engine> {
  if (settings.practiceOrigin !== null) {
    const wire = platform === 'test' ? practiceWire : daemonFacts(platform)
    const { createPracticeEngine } = await import('./practice/engine.ts')
    return createPracticeEngine(settings.practiceOrigin, wire)
  }
  if (platform === 'test') throw new NoEngine('PREFILL_PRACTICE_ORIGIN: is missing')
  return makers[platform](settings)
}
