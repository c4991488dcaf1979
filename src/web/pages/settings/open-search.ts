/** The open panel of a list: the id of an entry, or `new`. */
export interface OpenSearch {
  open?: string | undefined
}

const idPattern = /^[\w-]{1,64}$/

export const openOf = (search: Record<string, unknown>): OpenSearch => {
  const open = search['open']
  return typeof open === 'string' && idPattern.test(open) ? { open } : {}
}
