import type { NumberName } from '../../api/downloads/explain/catalogue.ts'
import type { Range } from '../app/range.ts'

/** A figure that can be looked behind. */
export interface Explained {
  number: NumberName
  /** What the page calls it. */
  name: string
  /** Left out for what is about this moment or about all time. */
  range?: Range
  client?: string
}
