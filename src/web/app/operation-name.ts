import type { Operation } from '../api/queries.ts'
import { serviceName } from '../format/services.ts'
import { known, t } from '../locales/translate.ts'

/** Name of a job in the reader's language; unknown jobs keep their English name. */
export function operationName({
  name,
  nameKey,
  nameContext,
}: Pick<Operation, 'name' | 'nameKey' | 'nameContext'>): string {
  const key = known(`job.${nameKey}`)
  if (key === null) return name
  const values = { ...nameContext }
  if (typeof values['service'] === 'string') values['service'] = serviceName(values['service'])
  if (values['kind'] === 'service') values['key'] = serviceName(String(values['key']))
  return t(key, values)
}
