import { statSync } from 'node:fs'
import { join } from 'node:path'
import { openState } from '../../../db/state/open.ts'

/** Bytes of a file; what cannot be read is reported by the code that opens it. */
function sizeOf(path: string): number {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found?.isFile() === true ? found.size : 0
  } catch {
    return 0
  }
}

/**
 * `state.sqlite` is missing or empty beside the data of an installation. Beginning with a new one would
 * open the history to whoever sets the service up first, and hide that accounts and settings are lost.
 */
export class LostState extends Error {
  readonly advice =
    'Nothing was opened. If the file was lost, stop the service, put it back from a backup and start ' +
    'again; a snapshot holds it, too. If this is meant to begin anew with the history that is there, ' +
    'give the installation key (security/api_key.txt in the data folder): accounts, settings and names ' +
    'given by hand are then gone.'

  readonly #dataPath: string

  constructor(dataPath: string) {
    super(`${join(dataPath, 'state.sqlite')} is missing or empty, although there is a history`)
    this.#dataPath = dataPath
  }

  /** Begins with an empty file. */
  accept(): void {
    openState(this.#dataPath).close()
  }
}

/** Throws LostState. The first start writes `state.sqlite` before `hot.sqlite`. */
export function requireState(dataPath: string): void {
  const isLost = sizeOf(join(dataPath, 'state.sqlite')) === 0
  if (isLost && sizeOf(join(dataPath, 'hot.sqlite')) > 0) throw new LostState(dataPath)
}
