import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: './db/state/schema/index.ts',
  out: './db/state/migrations',
  casing: 'snake_case',
})
