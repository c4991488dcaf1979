import { useState } from 'react'
import { Card, Notice } from '../../../components/card.tsx'
import { DataList, type Column } from '../../../components/data-list.tsx'
import { Dot, Facts } from '../../../components/figures.tsx'
import { Confirm } from '../../../components/setting-controls.tsx'
import { bytePair, byteText, countText } from '../../../format/numbers.ts'
import { fullMomentText } from '../../../format/times.ts'
import { t, tn } from '../../../locales/translate.ts'
import { SidePanel } from '../../../components/side-panel.tsx'
import type { ObjectInfo, CacheFile } from './queries.ts'
import { fileState } from './words.ts'

interface CacheFilesProps {
  object: ObjectInfo
  canRemove: boolean
  onPurge: (slice: number) => void
}

const nameOf = ({ slice }: CacheFile): string =>
  slice === null ? t('doctor.onePiece') : t('doctor.slice', { number: countText(slice) })

const columns = (): Column<CacheFile>[] => [
  {
    header: t('doctor.piece'),
    width: 'minmax(0,1fr)',
    cell: (file) => {
      const { tone, text } = fileState(file)
      return (
        <>
          <span className="figure block truncate font-medium">{nameOf(file)}</span>
          <span className="flex items-center gap-2 text-small text-dim">
            <Dot tone={tone} />
            <span className="truncate">{text}</span>
          </span>
        </>
      )
    },
  },
  {
    header: t('corruption.fact.etag'),
    width: '180px',
    from: 'lg',
    cell: ({ header }) => <span className="text-dim">{header.etag ?? '–'}</span>,
  },
  {
    header: t('doctor.payload'),
    width: '190px',
    align: 'end',
    from: 'sm',
    cell: ({ framing, fileBytes }) => (
      <span className="figure">
        {framing.actualPayloadBytes === null
          ? byteText(fileBytes)
          : framing.expectedPayloadBytes === null
            ? byteText(framing.actualPayloadBytes)
            : partText(framing.actualPayloadBytes, framing.expectedPayloadBytes)}
      </span>
    ),
  },
]

function partText(stored: number, expected: number): string {
  const [done, total] = bytePair(stored, expected)
  return t('corruption.of', { done, total })
}

const moment = (at: string | null) => (at === null ? null : fullMomentText(new Date(at)))
const bytes = (value: number | null) =>
  value === null ? null : t('corruption.byteCount', { count: countText(value) })

/** Every cache file with its framing; each can be removed individually. */
export function CacheFiles({ object, canRemove, onPurge }: CacheFilesProps) {
  const [open, setOpen] = useState<string | null>(null)
  const { files, isCut } = object
  const shown = files.find(({ digest }) => digest === open)
  return (
    <Card
      title={t('doctor.files')}
      note={isCut ? t('doctor.filesCut') : tn('doctor.fileCount', files.length)}
    >
      {files.length === 0 ? (
        <Notice title={t('doctor.verdict.absent')}>{t('doctor.verdictText.absent')}</Notice>
      ) : (
        <div className="-mx-[18px] -mb-[18px] border-t border-line">
          <DataList
            label={t('doctor.files')}
            columns={columns()}
            rows={files}
            rowKey={({ digest }) => digest}
            onOpen={({ digest }) => setOpen(digest)}
          />
        </div>
      )}
      <SidePanel
        title={shown === undefined ? t('doctor.piece') : nameOf(shown)}
        isOpen={shown !== undefined}
        onClose={() => setOpen(null)}
      >
        {shown !== undefined && (
          <CacheFileDetail
            file={shown}
            canRemove={canRemove}
            onPurge={(slice) => {
              setOpen(null)
              onPurge(slice)
            }}
          />
        )}
      </SidePanel>
    </Card>
  )
}

type DetailProps = Omit<CacheFilesProps, 'object'> & { file: CacheFile }

function CacheFileDetail({ file, canRemove, onPurge }: DetailProps) {
  const { header, framing, findings, slice } = file
  const state = fileState(file)
  return (
    <>
      <p className="mb-3 flex items-center gap-2 text-[13px]">
        <Dot tone={state.tone} />
        {state.text}
      </p>
      {findings.map((issue) => (
        <p key={issue} className="mb-3 text-[13px] text-dim">
          {t(`corruption.issueText.${issue}`)}
        </p>
      ))}
      <Facts
        facts={[
          [t('corruption.fileLength'), bytes(file.fileBytes)],
          [t('corruption.headerStart'), bytes(framing.headerStart)],
          [t('corruption.bodyStart'), bytes(framing.bodyStart)],
          [t('corruption.payloadIs'), bytes(framing.actualPayloadBytes)],
          [t('corruption.payloadShould'), bytes(framing.expectedPayloadBytes)],
          [t('corruption.status'), header.httpStatus === null ? null : String(header.httpStatus)],
          [
            'Content-Length',
            header.contentLength === null ? null : countText(header.contentLength),
          ],
          ['Content-Range', header.contentRange],
          [t('corruption.fact.etag'), header.etag],
          [t('corruption.fact.lastModified'), moment(header.lastModifiedUtc)],
          [t('doctor.storedAt'), moment(header.storedAtUtc)],
          [t('doctor.validUntil'), moment(header.validUntilUtc)],
          [t('corruption.key'), file.key],
        ]}
      />
      <p className="mb-5 font-mono text-[12px] break-all text-dim">{file.path}</p>
      {canRemove && slice !== null && (
        <Confirm
          label={t('doctor.purgePiece')}
          consequence={t('doctor.purgePieceText')}
          onConfirm={() => onPurge(slice)}
        />
      )}
    </>
  )
}
