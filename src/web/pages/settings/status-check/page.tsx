import { Pending } from '../../../components/notice.tsx'
import { t } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { ContentCard } from './content-card.tsx'
import { useStatusCheck } from './queries.ts'
import { ServicesCard } from './services-card.tsx'
import { SingleCard } from './single-card.tsx'
import { SourceCard } from './source-card.tsx'
import { VerdictCard } from './verdict-card.tsx'

/** Whether the network's DNS leads clients to the cache. */
export function Page() {
  const { data, error } = useStatusCheck()
  return (
    <SettingsPage title={t('settings.statusCheck')}>
      {data === undefined && <Pending error={error} rows={6} />}
      {data !== undefined && (
        <>
          <VerdictCard state={data} />
          {data.lastResult !== null && <ServicesCard result={data.lastResult} />}
          {data.lastResult !== null && <ContentCard result={data.lastResult} />}
          <SingleCard />
          <SourceCard state={data} />
        </>
      )}
    </SettingsPage>
  )
}
