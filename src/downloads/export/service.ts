import { failureKind } from '../../../db/history/failures.ts'
import type { DownloadsParts } from '../parts.ts'
import { hidesEvicted } from '../reports/evicted-mode.ts'
import { AppError, unavailable } from '../../core/http/errors.ts'
import { Shares, type Holder } from '../../core/lib/shares.ts'
import { systemTimers, type Timers } from '../../core/lib/timers.ts'
import type { RetroParameters } from '../downloads/model.ts'
import { retroQueryOf, type RetroQuery } from '../downloads/retro-query.ts'
import { findEvent } from '../events/store.ts'
import { excludedClients } from '../../clients/contract.ts'
import { activeSince } from '../reports/active.ts'
import { titlesOfGame } from '../reports/games.ts'
import type { Reports } from '../reports/reports.ts'
import { downloadColumns } from './columns.ts'
import { cursorOver } from './cursor.ts'
import { exportFormatOf, writerOf, written, type Column } from './formats.ts'
import { exportedDownload, exportRows, pageRows, type ExportRow } from './store.ts'
import { bodyOf, takingTurns } from './stream.ts'

/** Concurrent exports; each holds a connection to the history. */
const exportLimits = { total: 4, guests: 2, perSession: 1, perAddress: 1 }
const retryAfterSeconds = 10

export interface ExportQuestion {
  holder: Holder
  signal: AbortSignal
  format: string | undefined
  /** Prefix of the file name. */
  name: string
}

type ExportDeps = Pick<DownloadsParts, 'clock' | 'history' | 'state' | 'settings' | 'log'>

interface Source<Row> {
  columns: readonly Column<Row>[]
  pages: AsyncGenerator<readonly Row[]>
  abort: () => void
}

/**
 * Reads the first page up front, so that its failure is an error response rather than half a file.
 */
async function primed<Row>(pages: AsyncGenerator<Row>): Promise<AsyncGenerator<Row>> {
  const first = await pages.next()
  return (async function* () {
    if (first.done !== true) yield first.value
    yield* pages
  })()
}

/** Exports reports as files, streamed as they are read. */
export class Exports {
  readonly #deps: ExportDeps
  readonly #reports: Reports
  readonly #running = new Shares(exportLimits)
  readonly #inTurn: <Page>(pages: AsyncGenerator<Page>) => AsyncGenerator<Page>
  readonly #timers: Timers

  constructor(
    deps: ExportDeps,
    {
      reports,
      timers = systemTimers,
    }: {
      reports: Reports
      timers?: Timers
    },
  ) {
    this.#deps = deps
    this.#reports = reports
    this.#timers = timers
    this.#inTurn = takingTurns(reports.whenIdle)
  }

  /** Downloads matching the retro view's filters. */
  async downloads(question: ExportQuestion, parameters: RetroParameters): Promise<Response> {
    const asked = retroQueryOf(parameters)
    await this.#reports.checkEvent(asked.eventId)
    const titles = asked.game === null ? null : await titlesOfGame(this.#reports, asked.game)
    return this.#chosen(question, { ...asked, titles })
  }

  /** Selects an event's downloads: by its tag, or by its time range. */
  async ofEvent(id: number, isTagged: boolean): Promise<RetroParameters> {
    const event = await this.#reports.read((sql) => findEvent(sql, id))
    if (event === null) throw new AppError('notFound', 'Event not found')
    const seconds = (text: string) => Math.floor(Date.parse(text) / 1000)
    const [StartTime, EndTime] = [seconds(event.startTimeUtc), seconds(event.endTimeUtc)]
    return { Sort: 'latest', ...(isTagged ? { EventId: id } : { StartTime, EndTime }) }
  }

  /** A table that is already in memory. */
  table<Row extends { [Key in keyof Row]: string | number | boolean | null }>(
    question: ExportQuestion,
    { columns, rows }: { columns: readonly Column<Row>[]; rows: readonly Row[] },
  ): Promise<Response> {
    const pages = (async function* () {
      for (let at = 0; at < rows.length; at += pageRows) yield rows.slice(at, at + pageRows)
    })()
    return this.#answer(question, () => ({ columns, pages, abort: () => {} }))
  }

  #chosen(question: ExportQuestion, asked: RetroQuery): Promise<Response> {
    const { clock, history, state, settings } = this.#deps
    const shown = {
      without: excludedClients(state).hidden,
      hidesEvicted: hidesEvicted(settings),
    }
    const query = { ...asked, ...shown }
    const since = activeSince(clock.now()).getTime() / 1000
    return this.#answer(question, () => {
      const { pages, abort } = cursorOver<ExportRow>(
        history.connection(),
        (sql) => exportRows(sql, query, since),
        pageRows,
      )
      const rows = (async function* () {
        for await (const page of pages) yield page.map(exportedDownload)
      })()
      return { columns: downloadColumns, pages: rows, abort }
    })
  }

  async #answer<Row extends { [Key in keyof Row]: string | number | boolean | null }>(
    { holder, signal, format: word, name }: ExportQuestion,
    open: () => Source<Row>,
  ): Promise<Response> {
    const format = exportFormatOf(word)
    // Throws the history's own error when it is away.
    await this.#reports.read((sql) => sql`SELECT 1`)
    const release = this.#running.take(holder)
    if (release === null) {
      throw new AppError('tooMany', 'Too many exports are running; try again when one has ended', {
        headers: { 'Retry-After': String(retryAfterSeconds) },
      })
    }
    const source = open()
    // Before the body, which listens itself: the first page may take minutes.
    signal.addEventListener('abort', source.abort, { once: true })
    const writer = writerOf(format, source.columns)
    const pages = await primed(this.#inTurn(source.pages)).catch((error: unknown) => {
      source.abort()
      release()
      if (failureKind(error) === 'other') throw error
      throw unavailable('The history database is not available at the moment', 5, error)
    })
    const chunks = written(pages, writer)
    const { log, clock } = this.#deps
    const body = bodyOf(chunks, {
      signal,
      timers: this.#timers,
      abort: source.abort,
      onEnd: () => {
        release()
        log.debug({ name, format }, 'an export ended')
      },
    })
    const day = clock.now().toISOString().slice(0, 10)
    return new Response(body, {
      headers: {
        'Content-Type': writer.contentType,
        'Content-Disposition': `attachment; filename="${name}-${day}.${format}"`,
        // Uncompressed: compression would buffer the whole file in memory.
        'Content-Encoding': 'identity',
        'Cache-Control': 'no-store',
      },
    })
  }
}
