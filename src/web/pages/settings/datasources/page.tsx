import { useDatasources, useDeleteMode, type DeleteMode } from '../../../api/cache-queries.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Card } from '../../../components/card.tsx'
import { Notice, Pending } from '../../../components/notice.tsx'
import { Segments } from '../../../components/segments.tsx'
import { Row, Setting, StateLine } from '../../../components/setting.tsx'
import { t } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { useSave } from '../../../app/use-save.ts'
import { deleteModeNames, deleteModes } from '../../../app/delete-modes.ts'
import { DatasourceCard } from './datasource-card.tsx'
import { useRsync } from './queries.ts'

/** Detected facts about each cache and its logs, and the two editable settings. */
export function Page() {
  const { data, error } = useDatasources()
  return (
    <SettingsPage title={t('settings.datasources')}>
      {data === undefined && (
        <Card title={t('settings.datasources')}>
          <Pending error={error} rows={5} />
        </Card>
      )}
      {data !== undefined && data.items.length === 0 && (
        <Card title={t('settings.datasources')}>
          <Notice tone="attention" title={t('datasource.none')}>
            {t('datasource.noneText')}
          </Notice>
        </Card>
      )}
      {data?.items.map((facts) => (
        <DatasourceCard key={facts.name} facts={facts} />
      ))}
      <DeleteModeCard />
    </SettingsPage>
  )
}

function DeleteModeCard() {
  const { data: mode, error } = useDeleteMode()
  const rsync = useRsync().data
  const { change, isBusy } = useSave({ stale: [keys.cache, keys.config] })
  const set = (deleteMode: DeleteMode) =>
    unwrap(api.system['cache-delete-mode'].patch({ deleteMode }))
  const offered = deleteModeNames.filter((name) => name !== 'rsync' || rsync?.available === true)
  return (
    <Card title={t('datasource.clearing')} note={t('datasource.clearingNote')}>
      {mode === undefined && <Pending error={error} rows={1} />}
      {mode !== undefined && (
        <>
          <Setting id="datasource.deleteMode" state={t(deleteModes[mode].note)}>
            <Segments
              value={mode}
              options={offered.map((value) => ({ value, label: t(deleteModes[value].label) }))}
              disabled={isBusy}
              onChange={(next) => change(set, [next, mode], t('datasource.saved'))}
            />
          </Setting>
          <Row
            title="rsync"
            note={
              <StateLine tone={rsync?.available === true ? 'good' : 'quiet'}>
                {t(rsync?.available === true ? 'datasource.hasRsync' : 'datasource.noRsync')}
              </StateLine>
            }
          />
        </>
      )}
    </Card>
  )
}
