import type { Config, DatasourceConfig } from '../../core/config.ts'
import { AppError } from '../../core/http/errors.ts'

/** Finds a datasource by name, ignoring case; throws `notFound`. */
export const createFind =
  ({ datasources }: Pick<Config, 'datasources'>) =>
  (name: string): DatasourceConfig => {
    const wanted = name.toLowerCase()
    const found = datasources.find((source) => source.name.toLowerCase() === wanted)
    if (found === undefined) throw new AppError('notFound', 'Datasource not found')
    return found
  }
