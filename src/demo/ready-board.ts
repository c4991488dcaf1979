import { betaGames } from './account-games.ts'
import { signInToPrefill } from './sign-in-to-platforms.ts'
import type { Visitor } from './visitor.ts'

const persistent = '/api/system/prefill/persistent'
const ready = '/api/ext/prefill/ready'
const dueDays = 2
const dueHour = 18

/** The game that gets a new build while a visitor looks around. */
const renewed = { platform: 'delta', appId: 'valorant', name: 'Valorant' }
const current = { platform: 'gamma', appId: 'fenris', name: 'Diablo IV' }
/** Nobody has downloaded it yet. */
const missing = { platform: 'gamma', appId: 'hsb', name: 'Hearthstone' }
const { appName: appId, title: name } = betaGames.lantern
/** Clients have an older build than the one that prefill would fetch. */
const outdated = { platform: 'beta', appId, name }

/** Downloads one game with the platform's persistent session, and waits for it. */
async function prefill(visitor: Visitor, { platform: service, appId }: typeof current) {
  await visitor.write('POST', `${persistent}/start`, { service })
  await visitor.write('POST', `${persistent}/prefill`, { service, appIds: [appId] })
}

/** The evening in two days. */
function dueAt(): string {
  const day = new Date()
  day.setDate(day.getDate() + dueDays)
  day.setHours(dueHour, 0, 0, 0)
  return day.toISOString()
}

/** Puts games on the readiness board: current ones, an outdated one and one that is missing. */
export async function fillReadyBoard(visitor: Visitor): Promise<void> {
  await Promise.all([
    prefill(visitor, current),
    prefill(visitor, renewed),
    signInToPrefill(visitor),
  ])
  await visitor.write('POST', `${ready}/games`, { games: [current, renewed, outdated, missing] })
  await visitor.write('PUT', ready, { dueAtUtc: dueAt() })
  await visitor.write('POST', `${ready}/check`)
}

/** Publishes a new build of one of the games after some minutes, and has it noticed. */
export function renewLater(visitor: Visitor, renew: (product: string) => void, afterMs: number) {
  const timer = setTimeout(() => {
    renew(renewed.appId)
    visitor.write('POST', `${ready}/check`).catch(() => {
      // The hourly check notices it as well.
    })
  }, afterMs)
  return { stop: () => clearTimeout(timer) }
}
