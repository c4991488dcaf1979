export const platforms = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'] as const
export type Platform = (typeof platforms)[number]

/** Platforms with a thread limit for guest prefills. */
export type ThreadedPlatform = 'alpha' | 'beta' | 'epsilon'

export const isPlatform = (text: string): text is Platform =>
  platforms.some((platform) => platform === text)
