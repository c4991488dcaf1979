import { titleKeyOf } from '../../engines/titles/titles.ts'
import type { CatalogueParts } from '../parts.ts'
import { writeNames, type CatalogueName } from '../titles/write-names.ts'
import type { EpsilonStore } from './store.ts'

type Stored = ReturnType<EpsilonStore['fragments']>[number]

/** Xbox packages come from hosts of two services of the cache: updates of Windows, and Xbox. */
const serviceOf = (host: string) => (host.endsWith('xboxlive.com') ? 'xboxlive' : 'wsus')

function nameOf({ fragment, host, productId, title, imageUrl }: Stored): CatalogueName {
  const service = serviceOf(host)
  return {
    titleKey: titleKeyOf(service, fragment, ''),
    service,
    platform: 'epsilon',
    gameName: title,
    betaAppId: null,
    epsilonProductId: productId,
    imageUrl,
  }
}

/**
 * Gives downloads of stored fragments their names. Returns how many titles changed. Rejects with
 * HistoryUnavailable, or with the signal's reason.
 */
export function applyEpsilon(
  parts: Pick<CatalogueParts, 'history' | 'state'>,
  store: EpsilonStore,
  signal?: AbortSignal,
): Promise<number> {
  const names = store.fragments().map(nameOf)
  return writeNames(
    parts,
    names.filter(({ titleKey }) => titleKey !== ''),
    signal,
  )
}
