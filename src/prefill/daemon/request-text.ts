import { readRequest, unknownId, unreadableId, type DaemonRequest } from '../protocol/envelopes.ts'
import { readId } from '../protocol/fields.ts'
import { parseWireJson } from '../protocol/wire-json.ts'
import { errorText } from '../../core/lib/error-text.ts'

/** A request, or the id and the error of the answer to one that cannot be read. */
type ReadOutcome = { request: DaemonRequest } | { request: null; id: string; error: string }

export function readRequestText(text: string): ReadOutcome {
  let value: unknown
  try {
    value = parseWireJson(text)
  } catch {
    return { request: null, id: unreadableId, error: 'The request is not JSON' }
  }
  if (value === null) return { request: null, id: unknownId, error: 'The request is null' }
  try {
    return { request: readRequest(value) }
  } catch (error) {
    const id = readId((value as { id?: unknown }).id) ?? unreadableId
    return { request: null, id, error: errorText(error) }
  }
}
