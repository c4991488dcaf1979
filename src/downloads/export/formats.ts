import { requireChoice } from '../../core/http/choice.ts'

export const exportFormats = ['csv', 'json'] as const
export type ExportFormat = (typeof exportFormats)[number]

export type Cell = string | number | boolean | null

/** One column of a table: its heading in CSV, its member in JSON. */
export interface Column<Row> {
  heading: string
  key: keyof Row & string
}

/** Parses a format, CSV by default; throws `invalid` for unknown ones. */
export function exportFormatOf(text: string | undefined): ExportFormat {
  return requireChoice(exportFormats, text ?? 'csv', 'format')
}

/**
 * Spreadsheets treat cells that begin like this as formulas, and anyone who names a host could
 * write one. The separator depends on the reader's locale, so the position after each possible
 * separator counts as a beginning too; so does a formula after quotes and spaces.
 */
const formula = /^(?=[\t\r])|(?:^|[;,|\t\r\n])(?=["' ]*[=+\-@＝＋－＠])/g
const needsQuotes = /[",\r\n]/

/** One cell according to RFC 4180. Prefixes possible formulas with an apostrophe. */
export function csvCell(value: Cell): string {
  if (value === null) return ''
  // Speeds and shares: more digits than these are noise.
  if (typeof value === 'number') return String(Number(value.toFixed(3)))
  if (typeof value !== 'string') return String(value)
  const text = value.replace(formula, "$&'")
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Writes a table in one format, page by page. */
interface Writer<Row> {
  contentType: string
  begin: string
  page: (rows: readonly Row[], isFirst: boolean) => string
  end: string
}

type Cells<Row> = { [Key in keyof Row]: Cell }

/** CSV starts with a byte order mark, without which spreadsheets guess the wrong encoding. */
const csvWriter = <Row extends Cells<Row>>(columns: readonly Column<Row>[]): Writer<Row> => ({
  contentType: 'text/csv; charset=utf-8',
  begin: `\u{feff}${columns.map(({ heading }) => csvCell(heading)).join(',')}\r\n`,
  page: (rows) =>
    rows.map((row) => `${columns.map(({ key }) => csvCell(row[key])).join(',')}\r\n`).join(''),
  end: '',
})

/** One array, one row per line. */
const jsonWriter = <Row extends Cells<Row>>(columns: readonly Column<Row>[]): Writer<Row> => ({
  contentType: 'application/json; charset=utf-8',
  begin: '[',
  page: (rows, isFirst) =>
    rows
      .map((row, index) => {
        const members = columns.map(({ key }) => [key, row[key]] as const)
        const comma = isFirst && index === 0 ? '' : ','
        return `${comma}\n${JSON.stringify(Object.fromEntries(members))}`
      })
      .join(''),
  end: '\n]\n',
})

export const writerOf = <Row extends Cells<Row>>(
  format: ExportFormat,
  columns: readonly Column<Row>[],
): Writer<Row> => (format === 'csv' ? csvWriter(columns) : jsonWriter(columns))

/** The file's chunks, as its pages arrive. */
export async function* written<Row extends Cells<Row>>(
  pages: AsyncIterable<readonly Row[]>,
  writer: Writer<Row>,
): AsyncGenerator<string> {
  yield writer.begin
  let isFirst = true
  for await (const rows of pages) {
    if (rows.length === 0) continue
    yield writer.page(rows, isFirst)
    isFirst = false
  }
  if (writer.end !== '') yield writer.end
}
