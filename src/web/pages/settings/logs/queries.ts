import { useQuery } from '@tanstack/react-query'
import type { Static } from '@sinclair/typebox'
import type {
  CustodySettings,
  CustodyStatus,
} from '../../../../api/downloads/logs/custody-model.ts'
import type { SourcePositions } from '../../../../api/downloads/logs/model.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { useIsAccount } from '../../../api/queries.ts'

export type LogPositions = Static<typeof SourcePositions>
export type Custody = Static<typeof CustodySettings>
export type CustodySource = Static<typeof CustodyStatus>['datasources'][number]
export type CustodyFile = CustodySource['files'][number]

/** Everything that is asked about log files. */
export const logsKey = ['logs'] as const

/** Reading goes on all the time and says nothing about it. */
const followMs = 5000
const factsMs = 30_000

export const usePositions = () =>
  useQuery({
    queryKey: [...logsKey, 'positions'],
    queryFn: ({ signal }) => unwrap(api.logs.positions.get({ fetch: { signal } })),
    enabled: useIsAccount(),
    refetchInterval: followMs,
  })

/** Lines in the files by service and whether the folder can be written to. */
export const useLogCounts = () =>
  useQuery({
    queryKey: [...logsKey, 'counts'],
    queryFn: ({ signal }) =>
      unwrap(api.logs['service-counts']['by-datasource'].get({ fetch: { signal } })),
    enabled: useIsAccount(),
    refetchInterval: factsMs,
  })
export type LogCounts = NonNullable<ReturnType<typeof useLogCounts>['data']>[number]

/** Whether the proxy can be told to open its logs anew. */
export const useReopen = () =>
  useQuery({
    queryKey: [...logsKey, 'reopen'],
    queryFn: ({ signal }) => unwrap(api.ext.logs.reopen.get({ fetch: { signal } })),
    enabled: useIsAccount(),
    refetchInterval: factsMs,
  })

export const useCustody = () =>
  useQuery({
    queryKey: [...logsKey, 'custody', 'settings'],
    queryFn: ({ signal }): Promise<Custody> =>
      unwrap(api.ext.logs.custody.get({ fetch: { signal } })),
    enabled: useIsAccount(),
  })

/** What of each file was counted, and what the settings would do with it now. */
export const useCustodyStatus = () =>
  useQuery({
    queryKey: [...logsKey, 'custody', 'status'],
    queryFn: ({ signal }) => unwrap(api.ext.logs.custody.status.get({ fetch: { signal } })),
    enabled: useIsAccount(),
    refetchInterval: factsMs,
  })
