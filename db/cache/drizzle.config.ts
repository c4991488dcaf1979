import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: './db/cache/schema.ts',
  out: './db/cache/migrations',
  casing: 'snake_case',
})
