import { api, unwrap } from '../../api/eden.ts'
import { keys } from '../../api/keys.ts'
import { t, type Key } from '../../locales/translate.ts'
import { useSave } from '../use-save.ts'
import { standingsOf, withStanding, type Standing } from './standing.ts'

const doneLabels: Record<Standing, Key> = {
  counted: 'standing.nowCounted',
  exclude: 'standing.nowExcluded',
  hide: 'standing.nowHidden',
}

const stale = [keys.exclusions, keys.downloads, keys.before, ...keys.reports]

async function write(ip: string, standing: Standing): Promise<void> {
  // Reread: the whole set is replaced, and another rule may have changed meanwhile.
  const { rules } = await unwrap(api.stats.exclusions.get())
  await unwrap(api.stats.exclusions.put({ rules: withStanding(rules, ip, standing) }))
}

/** Changes whether a client is counted; undo restores its previous standing. */
export function useStanding() {
  const { save, isBusy } = useSave({ stale })
  const change = (ip: string, standing: Standing, name: string, after?: () => void) => {
    let before: Standing = 'counted'
    save({
      run: async () => {
        const { rules } = await unwrap(api.stats.exclusions.get())
        before = standingsOf(rules).get(ip) ?? 'counted'
        await write(ip, standing)
      },
      done: t(doneLabels[standing], { name }),
      undo: () => write(ip, before),
      ...(after === undefined ? {} : { after }),
    })
  }
  return { change, isBusy }
}
