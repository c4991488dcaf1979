import { t } from '../../../locales/translate.ts'
import { GateNote } from '../gate-note.tsx'
import { useGates } from '../use-gates.ts'
import { useStaleAfter } from '../../../app/use-stale-after.ts'
import { AskCard } from './ask-card.tsx'
import { ObjectView } from './object-view.tsx'
import type { DoctorSearch } from './search.ts'
import { SuspectsCard } from './suspects-card.tsx'
import { doctorKey } from './queries.ts'

const stale = [[...doctorKey, 'object']]

interface ObjectCheckProps {
  search: DoctorSearch
  onChange: (part: DoctorSearch) => void
}

/** Diagnoses a hanging download: finds the object, shows its slices and fetches it again. */
export function ObjectCheck({ search, onChange: change }: ObjectCheckProps) {
  const gates = useGates()
  useStaleAfter(['corruptionRemoval'], stale)
  const isObject = search.url !== undefined && search.source !== undefined
  return (
    <>
      <GateNote gates={gates.keys} consequence={t('corruption.gateSearch')} />
      {isObject ? (
        <ObjectView
          key={`${search.source} ${search.url}`}
          search={search}
          canRemove={gates.write.every(({ datasource }) => datasource !== search.source)}
          onLeave={() => change({ url: undefined, source: undefined, tag: undefined })}
        />
      ) : (
        <>
          <AskCard search={search} onChange={change} />
          {search.minutes !== undefined && <SuspectsCard search={search} onChange={change} />}
        </>
      )}
    </>
  )
}
