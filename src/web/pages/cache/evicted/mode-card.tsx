import { useState } from 'react'
import type { EvictionSettings } from '../../../api/cache-queries.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Card } from '../../../components/card.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Setting } from '../../../components/setting.tsx'
import { t, type Key } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import { TypedConfirm } from '../../../components/typed-confirm.tsx'

type Mode = EvictionSettings['evictedDataMode']

const modes: readonly { mode: Mode; label: Key; note: Key }[] = [
  { mode: 'show', label: 'evicted.show', note: 'evicted.showNote' },
  { mode: 'showClean', label: 'evicted.showClean', note: 'evicted.showCleanNote' },
  { mode: 'hide', label: 'evicted.hide', note: 'evicted.hideNote' },
  { mode: 'remove', label: 'evicted.remove', note: 'evicted.removeNote' },
]

interface ModeCardProps {
  settings: EvictionSettings | undefined
  error: Error | null
  isBarred: boolean
  className: string
}

/** Display mode of evicted downloads, with an explanation of each choice. */
export function ModeCard({ settings, error, isBarred, className }: ModeCardProps) {
  const [isAsking, setIsAsking] = useState(false)
  /** The choice, until the server has stored it. */
  const [wanted, setWanted] = useState<Mode | null>(null)
  const { save, isBusy } = useSave({
    stale: [[...keys.cache], keys.operations, keys.downloads, ...keys.reports],
  })
  const put = (evictedDataMode: Mode) => unwrap(api.stats.eviction.put({ evictedDataMode }))
  const choose = (mode: Mode) => {
    const before = settings?.evictedDataMode
    if (before === undefined || before === mode || isBusy) return
    setWanted(mode)
    if (mode === 'remove') {
      setIsAsking(true)
      return
    }
    const undo = before === 'remove' ? {} : { undo: () => put(before) }
    save({ run: () => put(mode), done: t('evicted.modeSaved'), ...undo })
  }
  const shown = isBusy && wanted !== null ? wanted : settings?.evictedDataMode
  return (
    <Card title={t('nav.settings')} className={className}>
      {settings === undefined && <Pending error={error} rows={7} />}
      {settings !== undefined && (
        <Setting
          id="evicted.mode"
          value={t(modes.find(({ mode }) => mode === shown)?.label ?? 'evicted.show')}
          state={
            <fieldset className="-mx-2 mt-2">
              <legend className="sr-only">{t('evicted.mode')}</legend>
              {modes.map(({ mode, label, note }) => (
                <label
                  key={mode}
                  className="flex cursor-pointer items-start gap-3 rounded-control px-2 py-2 hover:bg-raise has-checked:bg-raise"
                >
                  <input
                    type="radio"
                    name="evicted-mode"
                    value={mode}
                    checked={shown === mode}
                    disabled={mode === 'remove' && isBarred}
                    onChange={() => choose(mode)}
                    className="mt-[3px] size-4 flex-none accent-(--cache)"
                  />
                  <span className="min-w-0">
                    <span className="block font-medium text-text">{t(label)}</span>
                    <span className="block text-small text-dim">{t(note)}</span>
                  </span>
                </label>
              ))}
            </fieldset>
          }
        />
      )}
      {isAsking && (
        <TypedConfirm
          title={t('evicted.remove')}
          consequence={t('evicted.removeConsequence')}
          word={t('evicted.removeWord')}
          action={t('evicted.removeAction')}
          isBusy={isBusy}
          onClose={() => setIsAsking(false)}
          onConfirm={() =>
            save({
              run: () => put('remove'),
              done: t('evicted.modeSaved'),
              after: () => setIsAsking(false),
            })
          }
        />
      )}
    </Card>
  )
}
