/*
 * Whether there is a newer version. Nothing is asked before an administrator has given the address
 * of the releases and allowed the check; then it is asked once a day and on request. The answer is
 * JSON with `tag_name` or `version`, as hosts of repositories give for the latest release.
 */
import { AppError } from '../../core/http/errors.ts'
import { OutsideError } from '../../core/lib/outside.ts'
import { version as current } from '../../core/lib/version.ts'
import type { SystemParts } from '../parts.ts'
import type { UpdateResult, Updates, UpdatesBody } from './model.ts'

const everyHours = 24
/** A person waits for it. */
const timeoutMs = 10_000
const bytesMax = 256 * 1024
const textMax = 100
const versionPattern = /^v?(\d{1,6}\.\d{1,6}\.\d{1,6}(-[\w.]{1,40})?)$/

const isWebAddress = (text: unknown): text is string =>
  typeof text === 'string' && ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '')

/** Version and page of a release, as far as the answer names them. */
function releaseOf(answer: unknown): { version: string | null; url: string | null } {
  // Members of anything but an object are undefined.
  const { tag_name: tag, version, html_url: url } = Object(answer) as Record<string, unknown>
  const name = [tag, version].find((text) => typeof text === 'string')
  return {
    version: versionPattern.exec((name ?? '').slice(0, textMax))?.[1] ?? null,
    url: isWebAddress(url) ? url : null,
  }
}

type Parts = Pick<SystemParts, 'clock' | 'outside' | 'schedules' | 'settings'>

export function createUpdates({ clock, outside, schedules, settings }: Parts) {
  const view = (): Updates => {
    const last = settings.get('updates.last')
    const newest = last?.version ?? null
    return {
      address: settings.get('updates.address'),
      isAllowed: settings.get('updates.isAllowed'),
      current,
      isAvailable: newest !== null && Bun.semver.order(newest, current) > 0,
      last,
    }
  }

  async function ask(address: string): Promise<Omit<UpdateResult, 'checkedAtUtc'>> {
    const request = { url: address, timeoutMs, bytesMax, attempts: 1, isChosen: true }
    try {
      const found = releaseOf(await outside.get(request, (response) => response.json()))
      return { ...found, error: found.version === null ? 'The answer names no version' : null }
    } catch (error) {
      const text = error instanceof OutsideError ? error.message : 'The answer is not JSON'
      return { version: null, url: null, error: text }
    }
  }

  /** Throws `conflict` without consent. */
  async function check(): Promise<Updates> {
    const { address, isAllowed } = view()
    if (address === null || !isAllowed) {
      throw new AppError('conflict', 'Give the address of the releases and allow the check first')
    }
    const result = { checkedAtUtc: clock.now().toISOString(), ...(await ask(address)) }
    // Forbidden, or another address, meanwhile.
    const { address: now, isAllowed: isStillAllowed } = view()
    if (now === address && isStillAllowed) settings.set('updates.last', result)
    return view()
  }

  return {
    view,
    check,
    /** Throws `invalid`. */
    set({ address: text, isAllowed }: UpdatesBody): Updates {
      const address = text?.trim() ?? ''
      if (address !== '' && !isWebAddress(address)) {
        throw new AppError('invalid', 'address: give an http or https address')
      }
      if (isAllowed && address === '') {
        throw new AppError('invalid', 'address: needed before the check can be allowed')
      }
      if (address !== (settings.get('updates.address') ?? '')) settings.set('updates.last', null)
      settings.set('updates.address', address === '' ? null : address)
      settings.set('updates.isAllowed', isAllowed)
      schedules.changed()
      return view()
    },
    start() {
      schedules.register({
        serviceKey: 'updateCheck',
        intervalHours: everyHours,
        runOnStartup: false,
        card: {
          notificationMode: 'silent',
          operationType: null,
          isListed: () => settings.get('updates.isAllowed'),
        },
        run: async () => {
          if (view().isAllowed) await check()
        },
      })
    },
  }
}

export type UpdateCheck = ReturnType<typeof createUpdates>
