import { useDetection, useEvictionSettings } from '../../../api/cache-queries.ts'
import { t } from '../../../locales/translate.ts'
import { CacheFrame } from '../cache-page.tsx'
import { GateNote } from '../gate-note.tsx'
import { useGates } from '../use-gates.ts'
import { JobsCard } from '../../../components/jobs-card.tsx'
import { Settled } from '../../../components/settled.tsx'
import { EvictedList } from './evicted-list.tsx'
import { ModeCard } from './mode-card.tsx'
import { ScanCard } from './scan-card.tsx'

/** Downloads whose files were evicted: the display mode and the list. */
export function Page() {
  const { data: settings, error: settingsError } = useEvictionSettings()
  const { data: detection, error } = useDetection()
  const { keys } = useGates()
  return (
    <CacheFrame title={t('cache.tabEvicted')}>
      <p className="mb-3.5 max-w-[90ch] text-[13px] text-dim">{t('evicted.lead')}</p>
      <GateNote gates={keys} consequence={t('evicted.gated')} />
      <Settled page="/cache/evicted">
        <JobsCard types={['evictionScan', 'evictionRemoval']} />
        <div className="mb-3.5 grid gap-3.5 lg:grid-cols-12">
          <ModeCard
            settings={settings}
            error={settingsError}
            isBarred={keys.length > 0}
            className="lg:col-span-7"
          />
          <ScanCard settings={settings} isBarred={keys.length > 0} className="lg:col-span-5" />
        </div>
        <EvictedList
          detection={detection}
          error={error}
          mode={settings?.evictedDataMode}
          isBarred={keys.length > 0}
        />
      </Settled>
    </CacheFrame>
  )
}
