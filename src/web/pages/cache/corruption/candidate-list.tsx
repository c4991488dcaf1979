import { useState } from 'react'
import { DataList, type Column } from '../../../components/data-list.tsx'
import { Notice, Pending } from '../../../components/card.tsx'
import { Tick } from '../../../components/form-controls.tsx'
import { byteText } from '../../../format/numbers.ts'
import { momentText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { SidePanel } from '../../../components/side-panel.tsx'
import { Named } from '../../../components/figures.tsx'
import { EvidencePanel } from './evidence-panel.tsx'
import { nameOf, type Candidate } from './candidate.ts'
import { useCandidates, type Scan } from './queries.ts'
import { RemoveBar } from './remove-bar.tsx'
import { selectedMax } from './use-removal.ts'
import { sliceText, reasonText } from './texts.ts'

interface CandidateListProps {
  scan: Scan
  service: string
  open: string | undefined
  canRemove: boolean
  onOpen: (id: string | undefined) => void
}

/** When it was found, or last missed. */
const momentOf = ({ evidence }: Candidate): string =>
  evidence.kind === 'structural' ? evidence.detectedAtUtc : evidence.lastSeen

const sizeText = ({ evidence }: Candidate): string =>
  evidence.kind === 'structural' ? byteText(evidence.fileLength) : sliceText(evidence.cacheSlice)

function columnsOf(
  selected: ReadonlySet<string>,
  toggle: ((id: string) => void) | null,
): Column<Candidate>[] {
  const columns: Column<Candidate>[] = [
    {
      header: t('corruption.piece'),
      width: 'minmax(0,1fr)',
      cell: (row) => <Named name={nameOf(row)} note={reasonText(row)} />,
    },
    {
      header: t('column.datasource'),
      width: '110px',
      from: 'lg',
      cell: ({ datasource }) => <span className="text-dim">{datasource}</span>,
    },
    {
      header: t('corruption.onDisk'),
      width: '160px',
      align: 'end',
      from: 'sm',
      cell: (row) => <span className="figure">{sizeText(row)}</span>,
    },
    {
      header: t('corruption.seenAt'),
      width: '116px',
      align: 'end',
      from: 'md',
      cell: (row) => (
        <span className="figure text-dim">{momentText(new Date(momentOf(row)), new Date())}</span>
      ),
    },
  ]
  if (toggle === null) return columns
  const tick: Column<Candidate> = {
    id: 'tick',
    header: '',
    width: '20px',
    cell: (row) => (
      <Tick
        label={t('corruption.select', { name: nameOf(row) })}
        state={selected.has(row.candidateId)}
        disabled={!selected.has(row.candidateId) && selected.size >= selectedMax}
        onToggle={() => toggle(row.candidateId)}
      />
    ),
  }
  return [tick, ...columns]
}

/** Corrupted files of one service with their reason; some or all can be removed. */
export function CandidateList(props: CandidateListProps) {
  const { scan, service, open, canRemove, onOpen } = props
  const { data, error, isPlaceholderData } = useCandidates(scan, service)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  if (data === undefined) return <Pending error={error} rows={4} />
  if (data.length === 0) return <Notice title={t('corruption.gone')} />
  // Files removed meanwhile are deselected.
  const selected = new Set(
    data.map(({ candidateId }) => candidateId).filter((id) => chosen.has(id)),
  )
  const toggle = (id: string) => {
    const next = new Set(selected)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  const first = data.slice(0, selectedMax).map(({ candidateId }) => candidateId)
  const isAll = first.every((id) => selected.has(id))
  const shown = data.find(({ candidateId }) => candidateId === open)
  return (
    <>
      {canRemove && (
        <div className="mb-2 flex flex-wrap items-center gap-3">
          <Tick
            label={t(isAll ? 'corruption.selectNone' : 'corruption.selectAll')}
            state={selected.size === 0 ? false : isAll ? true : 'mixed'}
            onToggle={() => setChosen(isAll ? new Set() : new Set(first))}
          />
          <RemoveBar
            scan={scan}
            service={service}
            candidates={data}
            selected={selected}
            onStarted={() => setChosen(new Set())}
          />
        </div>
      )}
      <div className="-mx-[18px] -mb-[18px] border-t border-line">
        <DataList
          label={t('corruption.list')}
          columns={columnsOf(selected, canRemove ? toggle : null)}
          rows={data}
          rowKey={({ candidateId }) => candidateId}
          isOld={isPlaceholderData}
          onOpen={({ candidateId }) => onOpen(candidateId)}
        />
      </div>
      <SidePanel
        isInAddress
        title={t('corruption.evidence')}
        isOpen={open !== undefined}
        onClose={() => onOpen(undefined)}
      >
        {shown === undefined ? (
          <Notice title={t('corruption.gone')}>{t('corruption.goneText')}</Notice>
        ) : (
          <EvidencePanel
            candidate={shown}
            scan={scan}
            canRemove={canRemove}
            onStarted={() => onOpen(undefined)}
          />
        )}
      </SidePanel>
    </>
  )
}
