import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { SystemRouteParts } from '../parts.ts'
import { Int, Model, stringUnion, Text, Utc } from '../../core/lib/schema.ts'
import { logLevels } from '../../core/lib/recent-log.ts'

const LogLevel = stringUnion(logLevels)

const LogLine = Model('LogLine', {
  sequence: Int,
  atUtc: Utc,
  level: LogLevel,
  message: Text,
  /** The other members as JSON; empty without any. */
  details: Text,
})

const RecentLines = Model('RecentLogLines', {
  /** Oldest first. */
  lines: Type.Array(LogLine),
  /** Lines below this level are not written; see `LOG_LEVEL`. */
  writtenFrom: LogLevel,
})

const linesUsual = 200
const linesMax = 1000

export const logViewRoutes = ({ access, config, recentLog }: SystemRouteParts) =>
  routesAt(access, 'System', '/api/ext/log').get(
    '',
    ({ query }) => {
      const { level: from = 'trace', search = '', limit = linesUsual } = query
      const lines = recentLog.read({ from, search, limit }).map(({ at, ...line }) => ({
        ...line,
        atUtc: at.toISOString(),
      }))
      return { lines, writtenFrom: config.logLevel }
    },
    {
      access: 'admin',
      query: t.Object({
        level: t.Optional(LogLevel),
        search: t.Optional(
          t.String({ maxLength: 200, description: 'Part of a line, in any case' }),
        ),
        limit: t.Optional(t.Integer({ minimum: 1, maximum: linesMax })),
      }),
      response: { 200: RecentLines },
      detail: { summary: 'Newest lines of the log of the service itself' },
    },
  )
