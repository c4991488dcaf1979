import type { Hostnames } from '../../../../clients/host-names/model.ts'
import type { Key } from '../../../locales/translate.ts'

/** Why a name has no address. */
export const resolveLabels = {
  none: 'resolve.none',
  noRecords: 'resolve.noRecords',
  noResolver: 'resolve.noResolver',
  resolverTimeout: 'resolve.timeout',
} satisfies Record<string, Key>

/** Why clients have no names. */
export const namesLabels: Record<Hostnames['reason'], Key> = {
  none: 'names.all',
  noClients: 'names.noClients',
  noResolver: 'names.noResolver',
  noRecords: 'names.noRecords',
  resolverTimeout: 'names.timeout',
  someUnnamed: 'names.someUnnamed',
  stillLooking: 'names.stillLooking',
  tooManyClients: 'names.tooMany',
}
