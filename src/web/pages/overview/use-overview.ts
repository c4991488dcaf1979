import { createContext, use } from 'react'
import type { SectionName } from '../../api/batch.ts'
import type { Batch } from '../../api/queries.ts'
import type { Range } from '../../app/range.ts'

interface Overview {
  range: Range
  onRange: (range: Range) => void
  batch: Batch | undefined
  isFailed: boolean
  /** The class of what shows a section's figures from before a failure. */
  age: (section: SectionName) => string
}

/** What the cards of the page show. */
export const OverviewContext = createContext<Overview>({
  range: { span: 'all' },
  onRange: () => {},
  batch: undefined,
  isFailed: false,
  age: () => '',
})

export const useOverview = () => use(OverviewContext)
