import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Nullable, Text, Utc } from '../../core/http/schema.ts'
import { jobStatus } from '../../core/operations/scan-status.ts'

/** Longest connection string, in characters. */
const connectionMax = 2000
/** Rows read, compared and written in one transaction. */
export const batchRows = { usual: 1000, most: 10_000 }

const ConnectionString = Type.Optional(
  Type.String({
    maxLength: connectionMax,
    description: 'Host=…;Port=5432;Database=…;Username=…;Password=…',
  }),
)

export const ConnectionQuery = Type.Object({ connectionString: ConnectionString })

const Overlap = Type.Object(
  {
    firstLineUtc: Utc,
    downloads: Type.Integer({ description: 'Left out by default' }),
    days: Type.Integer({ description: 'UTC days on which both have downloads of a service' }),
    firstDay: Nullable(Text),
    lastDay: Nullable(Text),
    services: Type.Array(Text),
  },
  { description: 'What the source holds of the time that Larder has counted from logs itself' },
)
export type Overlap = Static<typeof Overlap>

export const ConnectionCheck = Type.Object({
  valid: Flag,
  message: Text,
  recordCount: Nullable(Int),
  overlap: Nullable(Overlap),
})
export type ConnectionCheck = Static<typeof ConnectionCheck>

export const ImportBody = Type.Object({
  connectionString: ConnectionString,
  batchSize: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: batchRows.most }))),
  overwriteExisting: Type.Optional(Flag),
  overlap: Type.Optional(
    Type.Union([Type.Literal('skip'), Type.Literal('import')], {
      description:
        "skip, the default: only downloads before Larder's first counted line of their datasource. " +
        'import: later ones as well. Traffic that both counted is then in the figures twice, except ' +
        'for downloads of the same client, service, title and second.',
    }),
  ),
})

export const ImportOutcome = Type.Object({
  message: Text,
  totalRecords: Int,
  imported: Int,
  skipped: Int,
  errors: Int,
  reasons: Type.Record(Text, Int, {
    description:
      'Downloads that were not imported, by reason. Skipped: existing, counted (in the time that Larder ' +
      'has counted itself). Errors: missing, time, duration, bytes, requests, text (a value beyond the ' +
      'limits of every row), history (the database refused it).',
  }),
})
export type ImportOutcome = Static<typeof ImportOutcome>

export const ImportStatus = Type.Object(jobStatus)
