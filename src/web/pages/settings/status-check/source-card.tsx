import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useNow } from '../../../app/use-now.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Segments } from '../../../components/segments.tsx'
import { Row, Setting, StateLine } from '../../../components/setting.tsx'
import { sinceText } from '../../../format/since.ts'
import { t } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import type { State } from './queries.ts'
import { modeTexts } from './words.ts'

const modes = ['auto', 'bridge', 'host'] as const

/** Where the domains come from, and where their resolver is searched for. */
export function SourceCard({ state }: { state: State }) {
  const { save, change, isBusy } = useSave({ stale: [keys.statusCheck] })
  const { resolverMode, domainsSource } = state
  const setMode = (mode: State['resolverMode']) =>
    unwrap(api['status-check']['resolver-mode'].post({ mode }))
  const refresh = () => unwrap(api['status-check']['refresh-domains'].post())
  return (
    <Card title={t('statusCheck.basis')}>
      <Setting id="statusCheck.mode" state={t(modeTexts[resolverMode].note)}>
        <Segments
          value={resolverMode}
          options={modes.map((mode) => ({ value: mode, label: t(modeTexts[mode].label) }))}
          disabled={isBusy}
          onChange={(mode) => change(setMode, [mode, resolverMode])}
        />
      </Setting>
      <Row title={t('statusCheck.list')} note={<Source source={domainsSource} />}>
        {!domainsSource.noFetch && (
          <Button disabled={isBusy} onClick={() => save({ run: refresh })}>
            {t('statusCheck.refresh')}
          </Button>
        )}
      </Row>
    </Card>
  )
}

function Source({ source }: { source: State['domainsSource'] }) {
  const now = useNow(30_000)
  const { repoUrl, branch, fetchedAtUtc, noFetch, error } = source
  const age =
    fetchedAtUtc === null
      ? t('statusCheck.shipped')
      : t('statusCheck.fetched', { time: sinceText(new Date(fetchedAtUtc), now) })
  return (
    <>
      <p className="wrap-anywhere">
        {repoUrl} ({branch}) · {age}
        {noFetch && ` · ${t('statusCheck.noFetch')}`}
      </p>
      {error !== null && (
        <StateLine tone="attention">{t('statusCheck.listError', { reason: error })}</StateLine>
      )}
    </>
  )
}
