import type { SettingsReader } from './settings-reader.ts'

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
    port: read.integer('POSTGRES_PORT', 5432, { min: 1, max: 65_535 }),
    database: read.matching('POSTGRES_DB', name) ?? 'larder',
    user: read.matching('POSTGRES_USER', name) ?? 'larder',
    password: read.secret('POSTGRES_PASSWORD'),
    schema: read.matching('POSTGRES_SCHEMA', schemaName) ?? 'public',
  }
}
