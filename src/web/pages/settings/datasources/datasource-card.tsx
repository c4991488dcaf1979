import type { ReactNode } from 'react'
import type { DatasourceFacts } from '../../../api/cache-queries.ts'
import { Card } from '../../../components/card.tsx'
import { Row, StateLine } from '../../../components/setting.tsx'
import { byteText, percentText, share } from '../../../format/numbers.ts'
import { t, tn } from '../../../locales/translate.ts'
import { LimitSetting } from './limit-setting.tsx'
import {
  filesystemText,
  folderProblem,
  isNetwork,
  layoutText,
  schemeText,
  sliceSourceText,
  sliceText,
} from '../../../app/datasource-words.ts'

interface FolderProps {
  path: string
  problem: string
  canWrite: boolean
  /** Consequence of a read-only folder. */
  readOnly: string
}

function Folder({ path, problem, canWrite, readOnly }: FolderProps) {
  const reason = folderProblem(problem, path)
  return (
    <>
      <span className="block break-all">{path}</span>
      {reason !== null ? (
        <StateLine tone="bad">{reason}</StateLine>
      ) : canWrite ? (
        <StateLine tone="good">{t('datasource.writable')}</StateLine>
      ) : (
        <StateLine tone="attention">{readOnly}</StateLine>
      )}
    </>
  )
}

/** A value at the end of its line. */
const Value = ({ children }: { children: ReactNode }) => (
  <span className="figure text-right">{children}</span>
)

/** One datasource: folders, keys, slices, disk, and the limit of its cache. */
export function DatasourceCard({ facts }: { facts: DatasourceFacts }) {
  const { name, cachePath, logPath, disk, denial, keyRecipe, schemeOverride } = facts
  const diskProblem = disk.state === 'ok' ? null : folderProblem(disk.state, cachePath)
  return (
    <Card title={name} note={layoutText(facts.layout)}>
      <Row
        title={t('datasource.cache')}
        note={
          <Folder
            path={cachePath}
            problem={facts.cacheProblem}
            canWrite={facts.canWriteCache}
            readOnly={t('datasource.cacheReadOnly', { path: cachePath })}
          />
        }
      />
      <Row
        title={t('datasource.logs')}
        note={
          <Folder
            path={logPath}
            problem={facts.logProblem}
            canWrite={facts.canWriteLogs}
            readOnly={t('datasource.logsReadOnly', { path: logPath })}
          />
        }
      >
        <Value>{tn('logs.files', facts.sourceCount)}</Value>
      </Row>
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
            <StateLine tone="bad">{diskProblem}</StateLine>
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
