import type { NumberName } from '../../api/downloads/explain/catalogue.ts'
import type { Range } from '../app/range.ts'

/** A figure with a link to its definition. */
export interface Explained {
  number: NumberName
  /** What the page calls it. */
  name: string
  /** Left out for what is about this moment or about all time. */
  range?: Range
  /** Which thing it is about, for figures of one thing. */
  client?: string
  service?: string
  /** As its page is addressed, together with the service. */
  game?: string
  download?: number
}

/** Scope shared by figures side by side. */
export type ExplainedOver = Omit<Explained, 'number' | 'name'>
