import { serviceName } from '../../format/services.ts'

/** Log names by which the platforms are called elsewhere. */
const services = {
  alpha: 'steam',
  beta: 'epicgames',
  gamma: 'blizzard',
  delta: 'riot',
  epsilon: 'xbox',
} as const

export const platformName = (platform: keyof typeof services): string =>
  serviceName(services[platform])
