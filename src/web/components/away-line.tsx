import type { Away } from '../../engines/remote/wire.ts'
import { fullMomentText } from '../format/times.ts'
import { t } from '../locales/translate.ts'
import { StatusLine } from './figures.tsx'

/** Which cache servers the figures of a page lack; renders nothing while all are connected. */
export function AwayLine({ away = [], className }: { away?: readonly Away[]; className?: string }) {
  if (away.length === 0) return null
  const nodes = away.map(({ node, sinceUtc }) =>
    t('away.node', { node, since: fullMomentText(new Date(sinceUtc)) }),
  )
  return (
    <StatusLine tone="attention" className={className}>
      {t('away.line', { nodes: nodes.join(', ') })}
    </StatusLine>
  )
}
