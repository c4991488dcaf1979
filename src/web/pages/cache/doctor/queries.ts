import type { Static } from '@sinclair/typebox'
import { keepPreviousData } from '@tanstack/react-query'
import type { ObjectAnswer, Refetched, Suspects } from '../../../../cache/doctor/model.ts'
import { api } from '../../../api/client.ts'
import { useAccountRead, useIsAccount, useRead } from '../../../api/queries.ts'
import type { IntegritySearch } from '../integrity/search.ts'

export type Suspect = Static<typeof Suspects>['suspects'][number]
export type ObjectInfo = Static<typeof ObjectAnswer>
export type StoredObject = Static<typeof Refetched>['before']
export type CacheFile = ObjectInfo['files'][number]
export type Refetch = Static<typeof Refetched>

/** Separate from the cache's root: its events must not cause the logs to be reread. */
export const doctorKey = ['doctor'] as const

/** Reads the ends of the logs, which is slow: only on request. */
export const useSuspects = ({ client, minutes }: IntegritySearch) =>
  useRead(
    [...doctorKey, 'suspects', client, minutes],
    (asking) => {
      const query = {
        ...(client === undefined ? {} : { client }),
        ...(minutes === undefined ? {} : { minutes }),
      }
      return api.ext.doctor.suspects.get({ query, ...asking })
    },
    {
      enabled: useIsAccount() && minutes !== undefined,
      placeholderData: keepPreviousData,
      refetchOnWindowFocus: false,
      retry: false,
    },
  )

/** The current cache files of one object. */
export const useObject = ({ source = '', url = '', tag }: IntegritySearch) =>
  useAccountRead(
    [...doctorKey, 'object', source, url, tag],
    (asking) => {
      const query = { datasource: source, url, ...(tag === undefined ? {} : { tag }) }
      return api.ext.doctor.object.get({ query, ...asking })
    },
    { retry: false },
  )
