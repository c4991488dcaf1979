import type { Key } from '../../locales/translate.ts'

export const platforms = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'] as const
export type Platform = (typeof platforms)[number]

export const isPlatform = (text: string): text is Platform =>
  platforms.some((platform) => platform === text)

export type Preset = 'All' | 'Recent' | 'Top'

interface PlatformFacts {
  needsLogin: boolean
  /** Path of its hub. */
  hub: string
  /** Prefix of its events. */
  prefix: string
  /** What can be prefilled besides chosen games. */
  presets: readonly Preset[]
  /** Games differ by operating system. */
  hasSystems: boolean
  /** How it signs in. */
  login: Key
}

export const facts: Readonly<Record<Platform, PlatformFacts>> = {
  alpha: {
    needsLogin: true,
    hub: '/hubs/alpha-daemon',
    prefix: '',
    presets: ['All', 'Recent', 'Top'],
    hasSystems: true,
    login: 'prefill.loginAlpha',
  },
  beta: {
    needsLogin: true,
    hub: '/hubs/beta-prefill-daemon',
    prefix: 'Beta',
    presets: ['All', 'Top'],
    hasSystems: false,
    login: 'prefill.loginBeta',
  },
  gamma: {
    needsLogin: false,
    hub: '/hubs/gamma-prefill-daemon',
    prefix: 'Gamma',
    presets: ['All'],
    hasSystems: false,
    login: 'prefill.loginNone',
  },
  delta: {
    needsLogin: false,
    hub: '/hubs/delta-prefill-daemon',
    prefix: 'Delta',
    presets: ['All'],
    hasSystems: false,
    login: 'prefill.loginNone',
  },
  epsilon: {
    needsLogin: true,
    hub: '/hubs/epsilon-prefill-daemon',
    prefix: 'Epsilon',
    presets: ['All', 'Recent', 'Top'],
    hasSystems: false,
    login: 'prefill.loginEpsilon',
  },
}
