import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { t } from '../../locales/translate.ts'
import { CacheFrame } from '../cache/cache-page.tsx'
import { GateNote } from '../cache/gate-note.tsx'
import { useGates } from '../cache/use-gates.ts'
import { useStaleAfter } from '../corruption/use-stale-after.ts'
import { AskCard } from './ask-card.tsx'
import { ObjectView } from './object-view.tsx'
import type { DoctorSearch } from './search.ts'
import { SuspectsCard } from './suspects-card.tsx'
import { doctorKey } from './queries.ts'

const route = getRouteApi('/cache/doctor')
const stale = [[...doctorKey, 'object']]

/** Diagnoses a hanging download: finds the object, shows its slices and fetches it again. */
export function Page() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const gates = useGates()
  useStaleAfter(['corruptionRemoval'], stale)
  const change = (part: DoctorSearch) =>
    void navigate({ to: '/cache/doctor', search: { ...search, ...part } })
  const isObject = search.url !== undefined && search.source !== undefined
  return (
    <CacheFrame title={t('doctor.title')}>
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
    </CacheFrame>
  )
}
