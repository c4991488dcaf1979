import type { CacheParts } from '../parts.ts'
import type { SavedScan } from '../../engines/cache/corruption/corruption-contract.ts'
import { AppError, staged, orNotFound } from '../../core/http/errors.ts'

const serviceName = /^[A-Za-z0-9._-]{1,100}$/
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const noUuid = '00000000-0000-0000-0000-000000000000'

/** Validates a path's service; throws `invalid`. */
export function checkService(service: string): string {
  if (serviceName.test(service)) return service.toLowerCase()
  throw new AppError(
    'invalid',
    'service can contain only letters, digits, dots, underscores and hyphens',
  )
}

/** Validates a query's scan id; throws `invalid`. */
export function checkScanId(scanId: string | undefined): string {
  if (scanId === undefined || scanId === '' || scanId === noUuid) {
    throw new AppError('invalid', 'scanId is missing')
  }
  if (!uuid.test(scanId)) throw new AppError('invalid', 'scanId must be a UUID')
  return scanId.toLowerCase()
}

/** The current scan with this id; throws `notFound`, or `conflict` when it has become history. */
export async function currentScan(
  deps: Pick<CacheParts, 'cache'>,
  scanId: string,
): Promise<SavedScan> {
  const known = (await deps.cache.corruption.scans()).find(({ id }) => id === scanId)
  const scan = orNotFound(known, 'Scan not found')
  if (scan.isCurrent) return scan
  const text = 'This scan is out of date; scan again'
  throw new AppError('conflict', text, staged('errors.corruption.outdated'))
}
