import { useState } from 'react'
import { api, unwrap, keys } from '../../api/client.ts'
import { useStatus, type Mismatch } from '../../api/queries.ts'
import { t, type Key } from '../../locales/translate.ts'
import { useSave } from '../../app/use-save.ts'
import { TypedConfirm } from '../../components/typed-confirm.tsx'

type Choice = Mismatch['choices'][number]

const texts: Record<Choice, { action: Key; note: Key }> = {
  takePositions: { action: 'mismatch.takePositions', note: 'mismatch.takePositionsNote' },
  goOn: { action: 'mismatch.goOn', note: 'mismatch.goOnNote' },
  rebuild: { action: 'mismatch.rebuild', note: 'mismatch.rebuildNote' },
}

/** Choices when the log positions do not match the history. */
export function MismatchActions({ choices }: { choices: readonly Choice[] }) {
  const isAdmin = useStatus().data?.sessionType === 'admin'
  const { save, isBusy } = useSave({ stale: [[...keys.service]] })
  const [isAsked, setIsAsked] = useState(false)
  const choose = (choice: Choice) =>
    save({
      run: () => unwrap(api.ext['history-link'].post({ choice })),
      done: t('mismatch.done'),
      after: () => setIsAsked(false),
    })
  if (!isAdmin) return <p className="mt-1 text-dim">{t('mismatch.adminOnly')}</p>
  return (
    <ul className="mt-2 space-y-2">
      {choices.map((choice) => (
        <li key={choice} className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          <button
            type="button"
            className={choice === 'rebuild' ? 'control border-bad text-bad' : 'control'}
            disabled={isBusy}
            onClick={() => (choice === 'rebuild' ? setIsAsked(true) : choose(choice))}
          >
            {t(texts[choice].action)}
          </button>
          <span className="max-w-[62ch] text-dim">{t(texts[choice].note)}</span>
        </li>
      ))}
      {isAsked && (
        <TypedConfirm
          title={t('mismatch.rebuild')}
          consequence={t('mismatch.rebuildNote')}
          word={t('mismatch.word')}
          action={t('mismatch.rebuild')}
          isBusy={isBusy}
          onClose={() => setIsAsked(false)}
          onConfirm={() => choose('rebuild')}
        />
      )}
    </ul>
  )
}
