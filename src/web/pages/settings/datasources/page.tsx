import { useState, type ReactNode } from 'react'
import { useDatasources, useDeleteMode, type DatasourceFacts } from '../../../api/cache-queries.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useAccountRead } from '../../../api/queries.ts'
import {
  filesystemText,
  folderProblem,
  isNetwork,
  layoutText,
  limitSourceText,
  schemeText,
  sliceSourceText,
  sliceText,
} from '../../../app/datasource-words.ts'
import { useRemedies } from '../../../app/remedies.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button, Form, optionsOf } from '../../../components/form-controls.tsx'
import { Card, Notice, Pending, Row, StateLine } from '../../../components/card.tsx'
import { CopyBlock } from '../../../components/copy-field.tsx'
import { ChoiceSetting, Setting } from '../../../components/setting-controls.tsx'
import { byteText, percentText, share } from '../../../format/numbers.ts'
import { t, tn } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'

/** Detected facts about each cache and its logs, and the two editable settings. */
export function Page() {
  const { data, error } = useDatasources()
  const remedyText = useRemedies()
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
            {remedyText('datasource.noneText')}
          </Notice>
        </Card>
      )}
      {data?.items.map((facts) => (
        <DatasourceCard key={facts.name} facts={facts} />
      ))}
      {data !== undefined && data.items.length > 0 && <AddCard items={data.items} />}
      <DeleteModeCard />
    </SettingsPage>
  )
}

/** The environment with one more cache: all of them have to be listed. */
function AddCard({ items }: { items: readonly DatasourceFacts[] }) {
  const remedyText = useRemedies()
  const example = { name: 'second', logPath: '/logs2', cachePath: '/cache2' }
  const lines = [...items, example].flatMap(({ name, logPath, cachePath }, index) => {
    const prefix = `LanCache__DataSources__${index}__`
    return [
      `${prefix}Name=${name}`,
      `${prefix}LogPath=${logPath}`,
      `${prefix}CachePath=${cachePath}`,
    ]
  })
  return (
    <Card title={t('datasource.add')}>
      <p className="mb-2 text-dim">{remedyText('datasource.addText')}</p>
      <CopyBlock label={t('datasource.add')} value={lines.join('\n')} />
    </Card>
  )
}

const deleteModes = ['preserve', 'full', 'rsync'] as const

function DeleteModeCard() {
  const { data: mode, error } = useDeleteMode()
  const rsync = useRsync().data
  const offered = deleteModes.filter((name) => name !== 'rsync' || rsync?.available === true)
  return (
    <Card stale={[keys.cache, keys.config]} title={t('datasource.clearing')}>
      {mode === undefined && <Pending error={error} rows={1} />}
      {mode !== undefined && (
        <>
          <ChoiceSetting
            id="datasource.deleteMode"
            isFlat
            state={t(`datasource.deletionText.${mode}`)}
            value={mode}
            options={optionsOf(offered, (value) => t(`datasource.deletion.${value}`))}
            write={(deleteMode) => unwrap(api.system['cache-delete-mode'].patch({ deleteMode }))}
            saved={() => t('datasource.saved')}
          />
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

interface FolderProps {
  content: 'cache' | 'logs'
  path: string
  problem: string
  canWrite: boolean
  children?: ReactNode
}

function Folder({ content, path, problem, canWrite, children }: FolderProps) {
  const remedyText = useRemedies()
  const reason = folderProblem(problem)
  const [tone, text] =
    reason !== null
      ? (['bad', remedyText(reason, { path })] as const)
      : canWrite
        ? (['good', t('datasource.writable')] as const)
        : (['quiet', remedyText(`datasource.${content}ReadOnly`, { path })] as const)
  return (
    <Row
      title={t(`datasource.${content}`)}
      note={
        <>
          <span className="block break-all">{path}</span>
          <StateLine tone={tone}>{text}</StateLine>
        </>
      }
    >
      {children}
    </Row>
  )
}

/** A value at the end of its line. */
const Value = ({ children }: { children: ReactNode }) => (
  <span className="figure text-right">{children}</span>
)

/** One datasource: folders, keys, slices, disk, and the limit of its cache. */
function DatasourceCard({ facts }: { facts: DatasourceFacts }) {
  const remedyText = useRemedies()
  const { name, cachePath, logPath, disk, denial, keyRecipe, schemeOverride } = facts
  const diskProblem = disk.state === 'ok' ? null : folderProblem(disk.state)
  return (
    <Card title={name} note={layoutText(facts.layout)}>
      <Folder
        content="cache"
        path={cachePath}
        problem={facts.cacheProblem}
        canWrite={facts.canWriteCache}
      />
      <Folder
        content="logs"
        path={logPath}
        problem={facts.logProblem}
        canWrite={facts.canWriteLogs}
      >
        <Value>{tn('logs.files', facts.sourceCount)}</Value>
      </Folder>
      <Row
        title={t('datasource.keys')}
        note={
          <>
            <StateLine tone={denial === null ? 'good' : 'attention'}>
              {schemeText(facts.scheme)}
            </StateLine>
            {schemeOverride !== 'auto' && (
              <span className="block">{t('datasource.keyOverride')}</span>
            )}
            {keyRecipe !== null && (
              <span className="block font-mono text-[12px] break-all">{keyRecipe}</span>
            )}
          </>
        }
      />
      <Row title={t('datasource.slices')} note={sliceSourceText(facts.sliceSource)}>
        <Value>{facts.isSliced ? sliceText(facts.sliceBytes) : t('datasource.unsliced')}</Value>
      </Row>
      <Row
        title={t('datasource.disk')}
        note={
          diskProblem === null ? (
            <>
              {t('datasource.diskFacts', {
                kind: filesystemText(disk.filesystem),
                device: disk.device,
                mount: disk.mountPoint,
              })}
              {isNetwork(facts) && <span className="block">{t('datasource.networkDisk')}</span>}
            </>
          ) : (
            <StateLine tone="bad">{remedyText(diskProblem, { path: cachePath })}</StateLine>
          )
        }
      >
        {diskProblem === null && (
          <Value>
            {t('datasource.diskUse', {
              used: byteText(disk.usedBytes),
              capacity: byteText(disk.capacityBytes),
              percent: percentText(share(disk.usedBytes, disk.capacityBytes)),
            })}
          </Value>
        )}
      </Row>
      <LimitSetting facts={facts} />
    </Card>
  )
}

/** As accepted by the server: a number with a unit, such as `500g`. */
const sizePattern = /^\d+(?:[.,]\d+)?\s*[kmgtp]?(?:i?b)?$/i

/** The cache's limit with its origin, and a field to override it. */
function LimitSetting({ facts }: { facts: DatasourceFacts }) {
  const { name, limitBytes, limitSource } = facts
  const [text, setText] = useState<string | null>(null)
  const { save, isBusy } = useSave({ stale: [keys.cache, keys.config, keys.batch, keys.forecast] })
  const isManual = limitSource === 'manual'
  const put = (size: string | number | null) =>
    unwrap(api.system.datasources({ datasourceName: name })['cache-size'].put({ size }))
  const before = isManual ? limitBytes : null
  const set = (size: string | null) =>
    save({
      run: () => put(size),
      done: t('datasource.limitSaved'),
      undo: () => put(before),
      after: () => setText(null),
    })
  const isRight = text !== null && sizePattern.test(text.trim())
  const submit = () => {
    if (isRight) set(text.trim().replaceAll(' ', '').replace(',', '.'))
  }
  return (
    <Setting
      id="datasource.limit"
      {...(!isManual && { value: t('controls.proxyLimit') })}
      state={
        <StateLine tone={limitBytes > 0 ? 'good' : 'quiet'}>
          {limitBytes > 0 ? limitSourceText(limitSource) : t('datasource.limitUnknown')}
        </StateLine>
      }
    >
      {text === null ? (
        <>
          <span className="figure mr-1">{limitBytes > 0 ? byteText(limitBytes) : '–'}</span>
          <Button disabled={isBusy} onClick={() => setText('')}>
            {t('datasource.limitChange')}
          </Button>
          {isManual && (
            <Button disabled={isBusy} onClick={() => set(null)}>
              {t('datasource.limitReset')}
            </Button>
          )}
        </>
      ) : (
        <Form onSubmit={submit} className="flex flex-wrap items-center gap-2">
          <input
            aria-label={t('datasource.limit')}
            aria-invalid={text !== '' && !isRight}
            autoFocus
            className="input figure h-[34px] w-[120px]"
            placeholder="1.5t"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <Button type="submit" disabled={!isRight || isBusy}>
            {t('datasource.limitSave')}
          </Button>
          <Button disabled={isBusy} onClick={() => set('full')}>
            {t('datasource.limitWhole')}
          </Button>
          <Button onClick={() => setText(null)}>{t('action.cancel')}</Button>
        </Form>
      )}
    </Setting>
  )
}

/** Whether rsync is installed on the service's machine. */
const useRsync = () => useAccountRead([...keys.cache, 'rsync'], api.system.rsync.available.get)
