import type { Config, DatasourceConfig } from '../config.ts'
import { orNotFound } from './errors.ts'

/** Finds a datasource by its name, whatever its case and the blanks around it. Throws AppError `notFound`. */
export function datasourceNamed(
  { datasources }: Pick<Config, 'datasources'>,
  name: string,
): DatasourceConfig {
  const wanted = name.trim().toLowerCase()
  const found = datasources.find((one) => one.name.toLowerCase() === wanted)
  return orNotFound(found, 'Datasource not found')
}
