import { useState } from 'react'
import type { Batch } from '../../api/queries.ts'
import { serviceRow } from '../../app/game-shares.ts'
import { GrowthCard } from '../../components/growth/growth-card.tsx'
import type { GrowthSpan } from '../../components/growth/growth-spans.ts'
import { Ranking } from '../../components/ranking.tsx'
import { t } from '../../locales/translate.ts'

const shownMax = 4

interface ExtraCardProps {
  id: 'growth' | 'services'
  services: Batch['services']
  className: string
}

/** Cards for which only a third column has room. */
export function ExtraCard({ id, services, className }: ExtraCardProps) {
  const [days, setDays] = useState<GrowthSpan>(30)
  return id === 'growth' ? (
    <GrowthCard days={days} onDays={setDays} className={className} />
  ) : (
    <Ranking
      title={t('services.title')}
      note={t('games.note')}
      rows={services?.slice(0, shownMax).map(serviceRow)}
      empty={t('games.none')}
      className={className}
    />
  )
}
