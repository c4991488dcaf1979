import type { Static } from '@sinclair/typebox'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ObjectAnswer, Refetched, Suspects } from '../../../api/cache/doctor/model.ts'
import { api, unwrap } from '../../api/eden.ts'
import { useIsAccount } from '../../api/queries.ts'
import type { DoctorSearch } from './search.ts'

export type Suspect = Static<typeof Suspects>['suspects'][number]
export type LookedAt = Static<typeof ObjectAnswer>
export type StoredObject = Static<typeof Refetched>['before']
export type Piece = LookedAt['pieces'][number]
export type Refetch = Static<typeof Refetched>

/** Apart from the rest of the cache: its news must not make the logs be read again. */
export const doctorKey = ['doctor'] as const

/** Reads the ends of the logs, which takes its time; only when somebody asked for it. */
export const useSuspects = ({ client, minutes }: DoctorSearch) =>
  useQuery({
    queryKey: [...doctorKey, 'suspects', client, minutes],
    queryFn: ({ signal }) => {
      const query = {
        ...(client === undefined ? {} : { client }),
        ...(minutes === undefined ? {} : { minutes }),
      }
      return unwrap(api.ext.doctor.suspects.get({ query, fetch: { signal } }))
    },
    enabled: useIsAccount() && minutes !== undefined,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    retry: false,
  })

/** Every stored piece of one object as it is at this moment. */
export const useObject = ({ source = '', url = '', tag }: DoctorSearch) =>
  useQuery({
    queryKey: [...doctorKey, 'object', source, url, tag],
    queryFn: ({ signal }): Promise<LookedAt> => {
      const query = { datasource: source, url, ...(tag === undefined ? {} : { tag }) }
      return unwrap(api.ext.doctor.object.get({ query, fetch: { signal } }))
    },
    enabled: useIsAccount(),
    retry: false,
  })
