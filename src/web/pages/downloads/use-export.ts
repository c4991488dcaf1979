import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { readDownloads } from '../../api/queries.ts'
import { readRange } from '../../app/range.ts'
import { downloadsQuery, type DownloadsSearch } from '../../app/search-state.ts'
import { csvHead, csvLines } from './csv.ts'

/** Largest page of the endpoint. */
const exportPageSize = 200
/** More than this belongs into a database, not into a browser tab. */
export const exportRowsMax = 20_000

const byteOrderMark = '\uFEFF'

function save(text: string): void {
  const url = URL.createObjectURL(new Blob([byteOrderMark, text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `downloads-${new Date().toISOString().slice(0, 10)}.csv`
  link.click()
  URL.revokeObjectURL(url)
}

/** Reads the whole filtered list page by page and saves it; `done` counts the rows meanwhile. */
export function useExport(search: DownloadsSearch) {
  const [done, setDone] = useState(0)
  const mutation = useMutation({
    mutationFn: async () => {
      const range = readRange(search)
      const parts = [csvHead()]
      let rows = 0
      let total = 0
      for (let page = 1; page <= exportRowsMax / exportPageSize; page++) {
        const query = { ...downloadsQuery(search), Page: page, PageSize: exportPageSize }
        const answer = await readDownloads(query, range)
        parts.push(csvLines(answer.items))
        rows += answer.items.length
        total = answer.totalItems
        setDone(rows)
        if (page >= answer.totalPages || answer.items.length === 0) break
      }
      save(parts.join(''))
      return { rows, isCut: total > rows }
    },
    onMutate: () => setDone(0),
  })
  return { ...mutation, done }
}
