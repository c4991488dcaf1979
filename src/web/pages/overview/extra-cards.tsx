import { useState } from 'react'
import { serviceRow } from '../../app/game-shares.ts'
import { GrowthCard } from '../../components/growth/growth-card.tsx'
import type { GrowthSpan } from '../../components/growth/growth-spans.ts'
import { useOverview } from './use-overview.ts'
import { Ranking } from '../../components/ranking.tsx'
import { t } from '../../locales/translate.ts'

const shownMax = 4

/** Cards for which only a third column has room. */
export function ExtraCard({ id }: { id: 'growth' | 'services' }) {
  const { batch, age } = useOverview()
  const [days, setDays] = useState<GrowthSpan>(30)
  return id === 'growth' ? (
    <GrowthCard days={days} onDays={setDays} className={age('services')} />
  ) : (
    <Ranking
      title={t('services.title')}
      note={t('games.note')}
      rows={batch?.services?.slice(0, shownMax).map(serviceRow)}
      empty={t('games.none')}
      className={age('services')}
    />
  )
}
