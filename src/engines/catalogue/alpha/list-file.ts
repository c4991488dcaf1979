import type { Watch } from '../../engine.ts'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { JsonMembers } from '../../../core/lib/json-members.ts'
import { OutsideError, type Outside } from '../../../core/lib/outside.ts'
import type { ImportOutcome, ImportProgress, ListFile } from '../contract.ts'
import type { CatalogueStore, MappingRow, StoredMapping } from '../store.ts'
import { depotText, listedDepot, noteFact, type ListFacts } from './list-format.ts'
import { errorText } from '../../../core/lib/error-text.ts'

/** A list of all of Steam has about 100 MB. */
const listBytesMax = 1024 ** 3
const downloadMs = 5 * 60_000
/** Bytes between two turns of other jobs and of timers, one of which sees a cancellation. */
const turnBytes = 1024 * 1024
/** Mappings per transaction. */
const stagedMax = 2000
/** Readers of the file may expect an update after a day. */
const dueMs = 24 * 3_600_000

/** Path of the list below the data folder. */
export const listPath = (dataPath: string): string =>
  join(dataPath, 'catalogue', 'pics_depot_mappings.json')

export interface ListParts {
  dataPath: string
  store: CatalogueStore
  outside: Outside
}

export type ListRun = Watch<ImportProgress>

/** What is known about the list on disk without reading it. */
export function listFile({ dataPath, store }: Pick<ListParts, 'dataPath' | 'store'>): ListFile {
  const path = listPath(dataPath)
  const exists = existsSync(path)
  return {
    exists,
    path,
    lastUpdated: exists ? store.get('list.lastUpdated') : null,
    totalMappings: exists ? Number(store.get('list.mappings') ?? 0) : 0,
    nextUpdateDue: exists ? store.get('list.nextUpdateDue') : null,
  }
}

/** Reads a list into the staging table, then replaces the mappings. Throws when it is unusable. */
async function takeIn({ store }: ListParts, path: string, run: ListRun): Promise<number> {
  const totalBytes = Bun.file(path).size
  const facts: ListFacts = { lastUpdated: null, nextUpdateDue: null, lastChangeNumber: 0 }
  const appNames = new Map<number, string>()
  const depotNames = new Map<number, string>()
  let rows: MappingRow[] = []
  let mappings = 0
  const flush = () => {
    store.stage(rows)
    store.addNames(appNames, depotNames)
    mappings += rows.length
    rows = []
    appNames.clear()
    depotNames.clear()
  }
  const nowMs = Date.now()
  const members = new JsonMembers(2, ([section = '', key = ''], value) => {
    if (section.toLowerCase() === 'metadata') noteFact(facts, key, value)
    if (section.toLowerCase() !== 'depotmappings') return
    const depot = listedDepot(key, value, nowMs)
    if (depot === null) return
    rows.push(...depot.rows)
    for (const [appId, name] of depot.appNames) appNames.set(appId, name)
    const [first] = depot.rows
    if (first !== undefined && depot.depotName !== null) {
      depotNames.set(first.depotId, depot.depotName)
    }
    if (rows.length >= stagedMax) flush()
  })
  store.beginImport()
  const decoder = new TextDecoder()
  let bytes = 0
  for await (const chunk of Bun.file(path).stream()) {
    run.signal.throwIfAborted()
    members.write(decoder.decode(chunk, { stream: true }))
    bytes += chunk.length
    if (Math.floor(bytes / turnBytes) > Math.floor((bytes - chunk.length) / turnBytes)) {
      await Bun.sleep(0)
    }
    run.progress({ phase: 'importing', bytes, totalBytes, mappings: mappings + rows.length })
  }
  members.end()
  flush()
  if (mappings === 0) throw new Error('it holds no mappings')
  store.finishImport()
  if (facts.lastChangeNumber > 0) store.set('changeNumber', String(facts.lastChangeNumber))
  const updatedAt = facts.lastUpdated ?? new Date(nowMs).toISOString()
  noteList(store, { mappings, updatedAt, due: facts.nextUpdateDue })
  return mappings
}

function noteList(
  store: CatalogueStore,
  list: { mappings: number; updatedAt: string; due: string | null },
): void {
  store.set('list.mappings', String(list.mappings))
  store.set('list.lastUpdated', list.updatedAt)
  store.set('list.nextUpdateDue', list.due)
}

/** Fetches the list beside the one on disk, unless it is still the same. */
async function download(parts: ListParts, url: string, run: ListRun) {
  const { store, outside, dataPath } = parts
  const path = `${listPath(dataPath)}.part`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const isKnown = store.get('list.url') === url && existsSync(listPath(dataPath))
  const etag = isKnown && store.mappings() > 0 ? store.get('list.etag') : null
  const headers: Record<string, string> = etag === null ? {} : { 'if-none-match': etag }
  const request = {
    url,
    headers,
    signal: run.signal,
    timeoutMs: downloadMs,
    bytesMax: listBytesMax,
  }
  return outside.get(request, async (response) => {
    if (response.status === 304) return { kind: 'unchanged' as const }
    const totalBytes = Number(response.headers.get('content-length') ?? 0)
    const writer = Bun.file(path).writer()
    let bytes = 0
    try {
      for await (const chunk of response.body ?? []) {
        bytes += chunk.length
        await writer.write(chunk)
        run.progress({ phase: 'downloading', bytes, totalBytes, mappings: 0 })
      }
    } finally {
      await writer.end()
    }
    return { kind: 'fetched' as const, path, etag: response.headers.get('etag') }
  })
}

/** Imports the list of a URL, or the one on disk (`url` null). Failures are outcomes. */
export async function importList(
  parts: ListParts,
  url: string | null,
  run: ListRun,
): Promise<ImportOutcome> {
  const { store, dataPath } = parts
  const path = listPath(dataPath)
  const partPath = `${path}.part`
  try {
    if (url === null) {
      if (!existsSync(path)) return { kind: 'missing' }
      return { kind: 'done', mappings: await takeIn(parts, path, run) }
    }
    const fetched = await download(parts, url, run)
    if (fetched.kind === 'unchanged') return { kind: 'unchanged', mappings: store.mappings() }
    const mappings = await takeIn(parts, partPath, run)
    renameSync(partPath, path)
    store.set('list.url', url)
    store.set('list.etag', fetched.etag)
    return { kind: 'done', mappings }
  } catch (error) {
    rmSync(partPath, { force: true })
    if (run.signal.aborted) return { kind: 'cancelled' }
    const text = errorText(error)
    const isAway = error instanceof OutsideError
    return { kind: 'failed', reason: isAway ? text : `The list cannot be used: ${text}` }
  }
}

/** Neighbouring mappings of the same depot together. */
function* byDepot(rows: Iterable<StoredMapping>): Generator<StoredMapping[]> {
  let depot: StoredMapping[] = []
  for (const row of rows) {
    if (depot[0] !== undefined && depot[0].depotId !== row.depotId) {
      yield depot
      depot = []
    }
    depot.push(row)
  }
  if (depot.length > 0) yield depot
}

/** Writes all mappings to the list on disk, for other installations and for a lost store. */
export async function writeList({ store, dataPath }: Pick<ListParts, 'dataPath' | 'store'>) {
  const path = listPath(dataPath)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const writer = Bun.file(`${path}.part`).writer()
  const now = Date.now()
  const [updatedAt, due] = [new Date(now).toISOString(), new Date(now + dueMs).toISOString()]
  const mappings = store.mappings()
  const metadata = {
    lastUpdated: updatedAt,
    totalMappings: mappings,
    version: '1.0',
    nextUpdateDue: due,
    lastChangeNumber: Number(store.get('changeNumber') ?? 0),
  }
  await writer.write(`{"metadata":${JSON.stringify(metadata)},"depotMappings":{`)
  let separator = ''
  for (const depot of byDepot(store.all())) {
    await writer.write(`${separator}${depotText(depot)}`)
    separator = ',\n'
  }
  await writer.write('}}\n')
  await writer.end()
  renameSync(`${path}.part`, path)
  store.set('list.etag', null)
  noteList(store, { mappings, updatedAt, due })
}
