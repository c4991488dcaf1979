import { useState } from 'react'
import { useAway } from '../../../api/cache-queries.ts'
import { choices, Segments } from '../../../components/form-controls.tsx'
import { t, type Key } from '../../../locales/translate.ts'

/** To refuse is to cancel. */
type Choice = 'skip' | 'later'

const notes = {
  skip: 'away.skipNote',
  later: 'away.laterNote',
} as const satisfies Record<Choice, Key>

/**
 * What a removal does with the part of cache servers that are away. Without any there is nothing to
 * choose, and `query` is empty. `laterNote`: what is done later, where it is not as usual.
 */
export function useAwayChoice(laterNote: Key = notes.later) {
  const away = useAway()
  const [choice, setChoice] = useState<Choice>('later')
  if (away.length === 0) return { query: {}, control: null }
  const nodes = away.map(({ node }) => node).join(', ')
  const control = (
    <div className="mt-3 border-t border-line pt-3 text-[13px]">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <p>{t('away.choice', { nodes })}</p>
        <Segments
          label={t('away.choice', { nodes })}
          value={choice}
          options={choices({ later: 'away.later', skip: 'away.skip' })}
          onChange={setChoice}
        />
      </div>
      <p className="text-small text-dim">{t({ ...notes, later: laterNote }[choice])}</p>
    </div>
  )
  return { query: { whenAway: choice }, control }
}
