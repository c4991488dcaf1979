import { api, unwrap, keys } from '../../api/client.ts'
import { t } from '../../locales/translate.ts'
import { useSave } from '../use-save.ts'
import { countingsOf, withCounting, type Counting } from './counting.ts'

const stale = [keys.exclusions, keys.downloads, keys.before, ...keys.reports]

async function write(ip: string, counting: Counting): Promise<void> {
  // Reread: the whole set is replaced, and another rule may have changed meanwhile.
  const { rules } = await unwrap(api.stats.exclusions.get())
  await unwrap(api.stats.exclusions.put({ rules: withCounting(rules, ip, counting) }))
}

/** Changes whether a client is counted; undo restores its previous counting. */
export function useCounting() {
  const { save, isBusy } = useSave({ stale })
  const change = (ip: string, counting: Counting, name: string, after?: () => void) => {
    let before: Counting = 'counted'
    save({
      run: async () => {
        const { rules } = await unwrap(api.stats.exclusions.get())
        before = countingsOf(rules).get(ip) ?? 'counted'
        await write(ip, counting)
      },
      done: t(`counting.now.${counting}`, { name }),
      undo: () => write(ip, before),
      ...(after === undefined ? {} : { after }),
    })
  }
  return { change, isBusy }
}
