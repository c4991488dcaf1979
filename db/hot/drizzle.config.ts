import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: './db/hot/schema.ts',
  out: './db/hot/migrations',
  casing: 'snake_case',
})
