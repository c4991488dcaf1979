import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useIndexStates, useUnnamed, type UnnamedTitle } from '../../../api/cache-queries.ts'
import { Card, Notice, Pending } from '../../../components/card.tsx'
import { Figure } from '../../../components/figures.tsx'
import { Mark } from '../../../components/artwork.tsx'
import { StartButton } from '../../../components/start-button.tsx'
import { Button } from '../../../components/form-controls.tsx'
import { byteAmount, byteText, countText } from '../../../format/numbers.ts'
import { serviceName, titleText } from '../../../format/services.ts'
import { t, tn } from '../../../locales/translate.ts'
import { CacheFrame } from '../cache-page.tsx'
import { NameForm } from '../../../components/name-title.tsx'

const route = getRouteApi('/cache/unnamed')

/** Shown initially; more on request. */
const pageSize = 50

/**
 * Titles that no catalogue knows, with facts that help to recognise them, and names given by hand.
 */
export function Page() {
  const { data, error } = useUnnamed()
  const isScanned = useIndexStates().data?.items.every(({ walkedAt }) => walkedAt !== null) === true
  const [shown, setShown] = useState(pageSize)
  const { title: wanted } = route.useSearch()
  const bytes = (data ?? [])
    .filter(({ isNamedByHand }) => !isNamedByHand)
    .reduce((sum, title) => sum + title.servedBytes, 0)
  const open = (data ?? []).filter(({ isNamedByHand }) => !isNamedByHand).length
  return (
    <CacheFrame title={t('cache.tabUnnamed')}>
      <p className="mb-3 max-w-[90ch] text-[13px] text-dim">
        {data !== undefined && open > 0 && (
          <strong className="font-semibold text-text">
            {tn('unnamed.count', open)} · {t('unnamed.served', { bytes: byteText(bytes) })}.{' '}
          </strong>
        )}
        {t('unnamed.lead')}
      </p>
      {wanted !== undefined && (
        <Card title={titleText(wanted)} className="mb-3">
          <NameForm key={wanted} titleKey={wanted} name={null} isFocused />
        </Card>
      )}
      <div className="card">
        {data === undefined && <Pending isList error={error} rows={6} />}
        {data?.length === 0 && (
          <Notice
            {...(isScanned && { tone: 'good' })}
            title={t(isScanned ? 'unnamed.none' : 'unnamed.unscanned')}
            {...(!isScanned && {
              action: <StartButton job="cache-detect" label="palette.detect" />,
            })}
            className="py-16"
          >
            {t(isScanned ? 'unnamed.noneText' : 'unnamed.unscannedText')}
          </Notice>
        )}
        <ul aria-label={t('cache.tabUnnamed')} className="divide-y divide-line">
          {data?.slice(0, shown).map((title) => (
            <Title key={title.titleKey} title={title} />
          ))}
        </ul>
        {data !== undefined && data.length > shown && (
          <p className="border-t border-line p-3 text-center">
            <Button onClick={() => setShown(shown + pageSize)}>
              {t('unnamed.more', { count: countText(data.length - shown) })}
            </Button>
          </p>
        )}
      </div>
    </CacheFrame>
  )
}

function Title({ title }: { title: UnnamedTitle }) {
  const { titleKey, service, files, bytes, servedBytes, sampleUris } = title
  const { gameName, isNamedByHand } = title
  const name = titleText(titleKey)
  return (
    <li className="grid grid-cols-[34px_minmax(0,1fr)_auto] gap-x-3 gap-y-2.5 px-4 py-3.5 lg:grid-cols-[34px_minmax(0,1fr)_130px_minmax(0,380px)]">
      <Mark name={gameName ?? serviceName(service)} service={service} />
      <div className="min-w-0">
        <p className="truncate font-medium">{gameName ?? name}</p>
        <p className="truncate text-small text-dim">
          {serviceName(service)}
          {gameName !== null && ` · ${name}`}
          {isNamedByHand && ` · ${t('unnamed.byHand')}`}
        </p>
        {sampleUris.length > 0 && (
          <details className="mt-1 text-small">
            <summary className="w-fit cursor-pointer py-1 text-dim hover:text-text">
              {t('cache.samples')}
            </summary>
            <ul className="mt-1 space-y-0.5 font-mono text-tiny text-dim">
              {sampleUris.map((uri) => (
                <li key={uri} className="break-all">
                  {uri}
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
      <div className="text-right">
        <Figure amount={byteAmount(servedBytes)} className="block font-medium" />
        <span className="figure block text-small text-dim">
          {files === 0 ? t('unnamed.notInCache') : t('unnamed.inCache', { bytes: byteText(bytes) })}
        </span>
      </div>
      <div className="max-lg:col-span-3">
        <NameForm key={gameName} titleKey={titleKey} name={isNamedByHand ? gameName : null} />
      </div>
    </li>
  )
}
