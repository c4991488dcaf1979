import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { errorText } from './error-text.ts'
import { SettingError, type SettingsReader } from './settings-reader.ts'

/** How TLS is used, by the names of libpq, which also has modes between these. */
const sslModes = ['disable', 'prefer', 'require', 'verify-full'] as const
export type SslMode = (typeof sslModes)[number]

/** The file is checked now, because later its fault would look like one of the server. */
function rootCertificate(read: SettingsReader): string | undefined {
  const path = read.text('POSTGRES_SSLROOTCERT')
  if (path === null) return undefined
  try {
    createSecureContext({ ca: readFileSync(path, 'utf8') })
    return path
  } catch (cause) {
    throw new SettingError(`POSTGRES_SSLROOTCERT: ${errorText(cause)}`, { cause })
  }
}

/** The server of the history, and where in it the installation lies. */
export function postgresSettings(read: SettingsReader) {
  const mode = read.choice('POSTGRES_MODE', ['embedded', 'external'] as const, 'embedded')
  const name = { pattern: /^[A-Za-z_][A-Za-z0-9_]{0,62}$/, allowed: 'letters, digits, underscore' }
  // Names that Postgres keeps for itself; in `drizzle`, earlier versions listed their migrations.
  const schemaName = {
    pattern: /^(?!pg_|information_schema$|drizzle$)[A-Za-z_][A-Za-z0-9_]{0,62}$/,
    allowed: `${name.allowed}; not drizzle, information_schema or pg_…`,
  }
  return {
    mode,
    host: read.text('POSTGRES_HOST'),
    readHost: read.text('POSTGRES_READ_HOST'),
    port: read.integer('POSTGRES_PORT', 5432, { min: 1, max: 65_535 }),
    database: read.matching('POSTGRES_DB', name) ?? 'larder',
    user: read.matching('POSTGRES_USER', name) ?? 'larder',
    password: read.secret('POSTGRES_PASSWORD'),
    sslMode: read.choice('POSTGRES_SSLMODE', sslModes, 'prefer'),
    sslRootCert: rootCertificate(read),
    schema: read.matching('POSTGRES_SCHEMA', schemaName) ?? 'public',
  }
}
