import { countText } from '../../../format/numbers.ts'
import { t, tn } from '../../../locales/translate.ts'
import type { RemovalPreview } from '../../../../cache/removals/model.ts'

/** Listed by name; the rest are counted. */
const listedMax = 6

/** Depots that other games use too: they stay, listed with the games that use them. */
export function SharedDepots({ depots }: { depots: RemovalPreview['sharedDepots'] }) {
  return (
    <div className="mt-3 text-[13px]">
      <p className="font-medium">{tn('removal.shared', depots.length)}</p>
      <ul className="mt-1 space-y-0.5 text-dim">
        {depots.slice(0, listedMax).map(({ depotId, usedBy, usedByCount }) => (
          <li key={depotId}>
            {t('game.depot', { id: depotId })}
            {': '}
            {usedBy.map(({ gameName }) => gameName).join(', ')}
            {usedByCount > usedBy.length &&
              ` ${t('removal.more', { count: countText(usedByCount - usedBy.length) })}`}
          </li>
        ))}
        {depots.length > listedMax && (
          <li>{t('removal.more', { count: countText(depots.length - listedMax) })}</li>
        )}
      </ul>
    </div>
  )
}
