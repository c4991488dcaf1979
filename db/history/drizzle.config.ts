import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: ['./db/history/schema.ts', './db/history/link-schema.ts'],
  out: './db/history/migrations',
  casing: 'snake_case',
})
