import { Link } from '@tanstack/react-router'
import type { CacheInfo } from '../../../cache/info/model.ts'
import { useCacheInfo, useDetection, type CachedDetection } from '../../api/cache-queries.ts'
import { Card, Notice, Pending } from '../../components/card.tsx'
import { Figure } from '../../components/figures.tsx'
import { Mark } from '../../components/artwork.tsx'
import { StartButton } from '../../components/start-button.tsx'
import { byteAmount, percentText, share } from '../../format/numbers.ts'
import { serviceName } from '../../format/services.ts'
import { t } from '../../locales/translate.ts'
import { entriesOf } from './games/entries.ts'

const shownMax = 7

/** Bytes by service: from detected games, else from the last scan. */
function sizesOf(info: CacheInfo | undefined, detection: CachedDetection | undefined) {
  if (detection?.hasCachedResults !== true) return Object.entries(info?.serviceSizes ?? {})
  const sizes = new Map<string, number>()
  for (const { service, bytes } of entriesOf(detection)) {
    sizes.set(service, (sizes.get(service) ?? 0) + bytes)
  }
  return [...sizes]
}

/** Bytes by service. */
export function ServicesCard() {
  const { data: info, error } = useCacheInfo()
  const { data: detection } = useDetection()
  const sizes = sizesOf(info, detection)
    .filter(([, bytes]) => bytes > 0)
    .sort(([, a], [, b]) => b - a)
  const whole = sizes.reduce((sum, [, bytes]) => sum + bytes, 0)
  const most = sizes[0]?.[1] ?? 0
  return (
    <Card
      title={t('services.title')}
      note={t('cache.byRoom')}
      className="lg:col-span-4"
      action={
        <Link to="/cache/games" className="hover:text-text">
          {t('now.all')} ›
        </Link>
      }
    >
      {info === undefined && <Pending error={error} rows={4} />}
      {info !== undefined && sizes.length === 0 && (
        <Notice
          title={t('cache.noServices')}
          action={<StartButton job="cache-detect" label="palette.detect" />}
        >
          {t('cache.noServicesText')}
        </Notice>
      )}
      <ul className="divide-y divide-line">
        {sizes.slice(0, shownMax).map(([service, bytes]) => (
          <li key={service}>
            <Link
              to="/cache/games"
              search={{ service }}
              className="-mx-2 grid grid-cols-[34px_minmax(0,1fr)_auto] items-center gap-3 rounded-control px-2 py-[7px] hover:bg-raise"
            >
              <Mark name={serviceName(service)} service={service} />
              <span className="min-w-0">
                <span className="block truncate font-medium">{serviceName(service)}</span>
                <span
                  aria-hidden="true"
                  className="mt-1 block h-1.5 overflow-hidden rounded-bar bg-raise"
                >
                  <span
                    className="block h-full rounded-bar bg-cache"
                    style={{ width: `${share(bytes, most)}%` }}
                  />
                </span>
              </span>
              <span className="text-right">
                <Figure amount={byteAmount(bytes)} className="block" />
                <span className="figure block text-small text-dim">
                  {percentText(share(bytes, whole))}
                </span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}
