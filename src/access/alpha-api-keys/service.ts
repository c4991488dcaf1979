import type { AccessParts } from '../parts.ts'
import { AppError, unavailable } from '../../core/http/errors.ts'
import { isWebApiKey, type Probe } from '../../catalogue/contract.ts'
import type { AlphaKeyBody, AlphaKeyStatus, AlphaKeyTest } from './model.ts'
import { alphaKeyStatus } from './status.ts'

type Parts = Pick<AccessParts, 'alpha' | 'credentials' | 'log'>

const texts: Record<Probe, string> = {
  works: 'Steam accepts this key',
  refused: 'Steam does not accept this key',
  missing: 'Steam’s Web API no longer offers the list of its store',
  busy: 'Steam is busy at the moment; try again later',
  timeout: 'Steam did not answer in time; try again later',
  unreachable: 'Steam cannot be reached; check the connection to the internet',
  unexpected: 'The answer was not from Steam; check the connection to the internet',
}
const badForm = 'A Steam Web API key has 32 characters, digits and the letters A to F'

function typedKey({ apiKey }: AlphaKeyBody): string {
  const key = (apiKey ?? '').trim()
  if (key !== '') return key
  const message = 'The key is missing'
  const errors = [{ field: 'ApiKey', message }]
  throw new AppError('invalid', 'Validation failed', { extra: { message, errors } })
}

/** The installation's Steam web key: a single one, shared by every reader of Steam's lists. */
export function alphaKeyService({ alpha, credentials, log }: Parts) {
  const { lists } = alpha

  async function tried(key: string): Promise<AlphaKeyTest & { isBad: boolean }> {
    if (!isWebApiKey(key)) return { valid: false, isBad: true, message: badForm }
    const probe = await alpha.webApi.probeStoreList(key)
    return { valid: probe === 'works', isBad: probe === 'refused', message: texts[probe] }
  }

  return {
    status: async (isFresh: boolean): Promise<AlphaKeyStatus> =>
      alphaKeyStatus(await (isFresh ? lists.refresh() : lists.read()), { credentials }),

    async test(body: AlphaKeyBody): Promise<AlphaKeyTest> {
      const { valid, message } = await tried(typedKey(body))
      return { valid, message }
    },

    /** Stores the key if Steam accepts it: 400 if it does not, 503 if Steam gives no answer. */
    async save(body: AlphaKeyBody) {
      const key = typedKey(body)
      const { valid, isBad, message } = await tried(key)
      const extra = { message }
      if (isBad) throw new AppError('invalid', message, { extra })
      if (!valid) throw unavailable(message, 60)
      credentials.keep('alpha.webApiKey', key)
      lists.forget()
      log.info('a Steam Web API key was stored')
      return { message: 'The key was stored', encrypted: true }
    },

    remove() {
      const wasThere = credentials.forget('alpha.webApiKey')
      lists.forget()
      if (wasThere) log.info('the Steam Web API key was removed')
      const message = wasThere ? 'The key was removed' : 'There was no key'
      return { success: true, message }
    },
  }
}

export type AlphaKeyService = ReturnType<typeof alphaKeyService>
