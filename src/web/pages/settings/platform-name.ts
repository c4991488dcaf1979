import { serviceName } from '../../format/services.ts'

/** Log names of the platforms. */
const services = {
  alpha: 'steam',
  beta: 'epicgames',
  gamma: 'blizzard',
  delta: 'riot',
  epsilon: 'xbox',
} as const

export const platformName = (platform: keyof typeof services): string =>
  serviceName(services[platform])
