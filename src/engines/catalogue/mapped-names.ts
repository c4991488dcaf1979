import type { Database } from 'bun:sqlite'
import { openReader } from '../../../db/stores.ts'
import { pathsFrom } from '../titles/beta/title.ts'
import type { TitleDescription } from '../titles/titles.ts'

interface Row {
  id: string
  name: string
}

const betaQuery = `SELECT beta_pattern.app_id AS id, name FROM beta_pattern
  JOIN beta_game USING (app_id) WHERE path = ?`
const epsilonQuery = `SELECT epsilon_fragment.product_id AS id, title AS name FROM epsilon_fragment
  JOIN epsilon_game USING (product_id) WHERE fragment = ?`

const byHandQuery = 'SELECT game_name AS name FROM title_name WHERE title_key = ?'

const valueOf = (titleKey: string) => titleKey.slice(titleKey.indexOf(':') + 1)

/** Names given by hand, and those from accounts of other platforms. Short queries of one thread. */
export class MappedNames {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Null: no name is known. Throws when the file cannot be read. */
  of(known: TitleDescription, titleKey: string): TitleDescription | null {
    if (known.platform === 'beta') {
      for (const path of pathsFrom(valueOf(titleKey))) {
        const row = this.#database.query<Row, [string]>(betaQuery).get(path)
        if (row !== null) return { ...known, betaAppId: row.id, gameName: row.name }
      }
    }
    if (known.platform !== 'epsilon') return null
    const row = this.#database.query<Row, [string]>(epsilonQuery).get(valueOf(titleKey))
    return row === null ? null : { ...known, epsilonProductId: row.id, gameName: row.name }
  }

  /** The name given by hand; null: there is none. Throws when the file cannot be read. */
  byHand(titleKey: string): string | null {
    return this.#database.query<{ name: string }, [string]>(byHandQuery).get(titleKey)?.name ?? null
  }

  close(): void {
    this.#database.close()
  }
}

/** Null until the main thread has created the file. */
export function openMappedNames(dataPath: string): MappedNames | null {
  const database = openReader(dataPath, 'state')
  return database === null ? null : new MappedNames(database)
}
